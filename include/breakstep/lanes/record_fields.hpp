// RecordField: one durable field of every chain, found by its name, for what looks at all chains between two draws.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/records.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Where a field lies in a record, in bytes, and how many elements a chain has of it.
struct FieldPlace {
  std::size_t offset = 0;
  std::size_t elements = 0;
};

/// Throws Error if the description names no such field, or one of another type: `type` is as describe_record writes it,
/// "f8" say.
FieldPlace find_field(std::string_view description, std::string_view name, std::string_view type);

/// A field of real numbers.
template <class Real>
class RecordField {
 public:
  RecordField(const ChainRecords& records, std::string_view name)
      : place_(find_field(records.description(), name, std::is_same_v<Real, float> ? "f4" : "f8")) {}

  [[nodiscard]] std::size_t elements() const { return place_.elements; }

  /// All chains' elements, one chain after the other.
  [[nodiscard]] std::vector<double> read(const ChainRecords& records) const {
    std::vector<double> all;
    read(records, all);
    return all;
  }

  /// The same into memory that is used again and again.
  void read(const ChainRecords& records, std::vector<double>& all) const {
    all.resize(records.chains() * place_.elements);
    double* next = all.data();
    for (std::size_t c = 0; c < records.chains(); ++c) {
      const std::byte* from = records.record(c) + place_.offset;
      for (std::size_t i = 0; i < place_.elements; ++i, from += sizeof(Real)) {
        Real element;
        std::memcpy(&element, from, sizeof element);
        *next++ = static_cast<double>(element);
      }
    }
  }

  /// One chain's elements: values[0] … values[elements() - 1].
  void write(ChainRecords& records, std::size_t chain, const double* values) const {
    for (std::size_t i = 0; i < place_.elements; ++i) {
      const auto element = static_cast<Real>(values[i]);
      std::memcpy(records.record(chain) + place_.offset + i * sizeof(Real), &element, sizeof element);
    }
  }

 private:
  FieldPlace place_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
