// Saving and loading of chain records: little-endian, self-describing, checksummed.
#include "breakstep/lanes/records.hpp"

#include <bit>
#include <istream>
#include <ostream>
#include <utility>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

const std::string magic = "breakstep-records-1 ";

void write_number(std::ostream& out, std::uint64_t value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t read_number(std::istream& in) {
  std::uint64_t value = 0;
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

template <class T>
void write_all(std::ostream& out, const std::vector<T>& values) {
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <class T>
void read_all(std::istream& in, std::vector<T>& values) {
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <class T>
std::uint64_t continue_fnv1a(std::uint64_t hash, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3U;
  return hash;
}

}  // namespace

ChainRecords::ChainRecords(std::string description, std::size_t record_bytes, std::size_t chains)
    : description_(std::move(description)),
      record_bytes_(record_bytes),
      bytes_(record_bytes * chains),
      draws_(chains, 0) {}

std::uint64_t ChainRecords::checksum() const {
  return continue_fnv1a(continue_fnv1a(0xCBF29CE484222325U, draws_), bytes_);
}

void ChainRecords::save(std::ostream& out) const {
  const std::string head = magic + description_;
  write_number(out, head.size());
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  write_number(out, chains());
  write_all(out, draws_);
  write_all(out, bytes_);
  write_number(out, checksum());
}

void ChainRecords::load(std::istream& in) {
  constexpr std::uint64_t longest_head = 1U << 16U;
  const std::string head = magic + description_;
  const std::uint64_t head_bytes = read_number(in);
  std::string found(head_bytes <= longest_head ? head_bytes : 0, '\0');
  in.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (!in || found != head) {
    throw Error("cannot load chain states", "they are of another kind: '" + found + "' where '" + head + "' is needed",
                "use the sampler, target and precision they were saved with");
  }
  const std::uint64_t found_chains = read_number(in);
  if (!in || found_chains != chains()) {
    throw Error("cannot load chain states",
                std::to_string(found_chains) + " chains where " + std::to_string(chains()) + " are needed",
                "continue with the number of chains they were saved with");
  }
  ChainRecords loaded(description_, record_bytes_, chains());
  read_all(in, loaded.draws_);
  read_all(in, loaded.bytes_);
  const std::uint64_t sum = read_number(in);
  if (!in || sum != loaded.checksum()) {
    throw Error("cannot load chain states", "the data are cut short or damaged", "go back to an earlier checkpoint");
  }
  *this = std::move(loaded);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
