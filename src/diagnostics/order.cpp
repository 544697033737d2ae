// Radix sort from the lowest digit upwards; digits that all numbers share, as the low ones of floats do, cost nothing.
#include "breakstep/diagnostics/order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

constexpr int digit_bits = 8;
constexpr int digits = 8;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

// An unsigned integer in the order of the numbers: negative ones have all bits flipped, others the sign alone.
std::uint64_t key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t flip = (std::uint64_t{0} - (bits >> 63)) | (std::uint64_t{1} << 63);
  return bits ^ flip;
}

std::size_t digit_of(std::uint64_t key, int digit) { return (key >> (digit * digit_bits)) % buckets; }

}  // namespace

void Order::sort(std::span<const double> values) {
  size_ = values.size();
  for (int side = 0; side < 2; ++side) {
    values_[side].resize(size_);
    places_[side].resize(size_);
  }
  counts_.assign(digits * buckets, 0);
  for (const double value : values) {
    const std::uint64_t bits = key(value);
    for (int digit = 0; digit < digits; ++digit) ++counts_[digit * buckets + digit_of(bits, digit)];
  }
  current_ = 0;
  std::copy(values.begin(), values.end(), values_[0].begin());
  std::iota(places_[0].begin(), places_[0].end(), 0U);
  for (int digit = 0; digit < digits; ++digit) {
    std::uint32_t* counts = &counts_[digit * buckets];
    const bool is_shared = size_ == 0 || counts[digit_of(key(values[0]), digit)] == size_;
    if (is_shared) continue;
    std::exclusive_scan(counts, counts + buckets, counts, 0U);
    const double* from = values_[current_].data();
    const std::uint32_t* from_place = places_[current_].data();
    current_ = 1 - current_;
    double* to = values_[current_].data();
    std::uint32_t* to_place = places_[current_].data();
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint32_t position = counts[digit_of(key(from[i]), digit)]++;
      to[position] = from[i];
      to_place[position] = from_place[i];
    }
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
