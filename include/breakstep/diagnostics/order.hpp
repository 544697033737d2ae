// Numbers in ascending order, each with the place it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Sorts finite numbers in linear time and keeps its memory, 24 bytes per number, for the next time.
class Order {
 public:
  /// At most 2^32 - 1 numbers.
  void sort(std::span<const double> values);

  /// The numbers in ascending order.
  std::span<const double> values() const { return {values_[current_].data(), size_}; }
  /// Where each of them was before.
  std::span<const std::uint32_t> places() const { return {places_[current_].data(), size_}; }
  /// Memory for as many numbers, free for other use until the next sort.
  std::span<double> spare() { return {values_[1 - current_].data(), size_}; }

 private:
  std::size_t size_ = 0;
  int current_ = 0;
  std::vector<double> values_[2];
  std::vector<std::uint32_t> places_[2];
  std::vector<std::uint32_t> counts_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
