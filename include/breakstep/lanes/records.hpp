// ChainRecords: what every chain is while no lane works on it, and what is saved: its number of draws and durable
// fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// One record of bytes per chain (see gather and scatter in fields.hpp) and how many draws the chain has made.
class ChainRecords {
 public:
  /// `description` is what describe_record says of the state; it is saved, and compared when loading.
  ChainRecords(std::string description, std::size_t record_bytes, std::size_t chains);

  [[nodiscard]] std::size_t chains() const { return draws_.size(); }
  [[nodiscard]] std::size_t bytes_per_chain() const { return record_bytes_; }
  [[nodiscard]] std::byte* record(std::size_t chain) { return bytes_.data() + chain * record_bytes_; }
  [[nodiscard]] const std::byte* record(std::size_t chain) const { return bytes_.data() + chain * record_bytes_; }
  [[nodiscard]] std::uint32_t& draws(std::size_t chain) { return draws_[chain]; }
  [[nodiscard]] std::uint32_t draws(std::size_t chain) const { return draws_[chain]; }
  [[nodiscard]] const std::string& description() const { return description_; }

  /// Writes all records, preceded by what they are and followed by a checksum. The caller checks the stream.
  void save(std::ostream& out) const;

  /// Reads what `save` wrote. Throws Error, leaving these records as they were, if the stream is cut short, damaged, or
  /// holds another kind of state or another number of chains.
  void load(std::istream& in);

 private:
  [[nodiscard]] std::uint64_t checksum() const;

  std::string description_;
  std::size_t record_bytes_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> draws_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
