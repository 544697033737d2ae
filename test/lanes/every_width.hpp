// Runs a check at every width, and offers what the lane tests share: exact bits of a number, reproducible inputs.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/pack.hpp"

namespace lanes_test {

template <class T, int W>
struct Case {
  using Element = T;
  static constexpr int width = W;
};

/// Calls check(Case<T, W>{}) for widths 1, 2, 4, 8, 16 and 32; where few must do (cmake/Developer.cmake), 1 and 8.
template <class T, class Check>
void for_every_width(Check check) {
  check(Case<T, 1>{});
  check(Case<T, 8>{});
#ifndef BREAKSTEP_FEW_WIDTHS
  check(Case<T, 2>{});
  check(Case<T, 4>{});
  check(Case<T, 16>{});
  check(Case<T, 32>{});
#endif
}

template <class Check>
void for_every_real_and_width(Check check) {
  for_every_width<float>(check);
  for_every_width<double>(check);
}

/// The bits of a number, with all NaNs equal: what must agree between widths.
template <class T>
auto bits(T value) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (value != value) return ~U{0};
  return std::bit_cast<U>(value);
}

/// Ordinary numbers of mixed size and sign, the same in every run.
template <class T>
std::vector<T> ordinary_numbers(int count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> numbers;
  for (int i = 0; i < count; ++i) {
    const double unit = static_cast<double>(engine() >> 11) * 0x1p-53;
    numbers.push_back(static_cast<T>((unit - 0.5) * (i % 3 == 0 ? 1.0 : i % 3 == 1 ? 100.0 : 1e-3)));
  }
  return numbers;
}

}  // namespace lanes_test
