// RecordField: one durable field of every chain, found by its name, for what looks at all chains between two draws.
#pragma once

#include <algorithm>
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
    std::vector<double> all(records.chains() * place_.elements);
    std::vector<Real> one(place_.elements);
    auto next = all.begin();
    for (std::size_t c = 0; c < records.chains(); ++c) {
      if (!one.empty()) std::memcpy(one.data(), records.record(c) + place_.offset, one.size() * sizeof(Real));
      next = std::copy(one.begin(), one.end(), next);
    }
    return all;
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
