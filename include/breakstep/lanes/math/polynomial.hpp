// Polynomials of a pack with explicit fma, in three fixed orders of evaluation.
#pragma once

#include <bit>
#include <cstddef>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// c[0] + c[1]·x + … + c[N−1]·x^(N−1) by Horner's rule: the fewest operations and the smallest error, all in one chain.
template <class T, int W, std::size_t N>
BREAKSTEP_INLINE Pack<T, W> horner(Pack<T, W> x, const T (&c)[N]) {
  Pack<T, W> sum = c[N - 1];
#pragma GCC unroll 32
  for (std::size_t i = N - 1; i > 0; --i) sum = fma(sum, x, c[i - 1]);
  return sum;
}

/// The same as even(x²) + x·odd(x²), x² given: two chains of half the length for no further operation. Every step still
/// has one constant, which is the memory operand of its fma; Estrin's first step has two.
template <class T, int W, std::size_t N>
BREAKSTEP_INLINE Pack<T, W> even_odd(Pack<T, W> x, Pack<T, W> x2, const T (&c)[N]) {
  static_assert(N >= 2);
  Pack<T, W> sum[2] = {c[(N - 1) / 2 * 2], c[(N - 2) / 2 * 2 + 1]};
#pragma GCC unroll 32
  for (std::size_t i = N - 2; i > 0; --i) sum[(i - 1) % 2] = fma(sum[(i - 1) % 2], x2, c[i - 1]);
  return fma(sum[1], x, sum[0]);
}

namespace detail {

/// The terms c[First] … c[First + Count − 1], as a polynomial of its own; powers[k] = x^(2^k).
template <std::size_t First, std::size_t Count, class T, int W, std::size_t N, std::size_t K>
BREAKSTEP_INLINE Pack<T, W> estrin_terms(const Pack<T, W> (&powers)[K], const T (&c)[N]) {
  if constexpr (Count == 1) {
    return c[First];
  } else {
    constexpr std::size_t half = std::bit_ceil(Count) / 2;
    constexpr int level = std::countr_zero(half);
    return fma(powers[level], estrin_terms<First + half, Count - half>(powers, c),
               estrin_terms<First, half>(powers, c));
  }
}

}  // namespace detail

/// The same by Estrin's scheme: log2(N) dependent steps instead of N, for log2(N) − 1 more multiplications.
template <class T, int W, std::size_t N>
BREAKSTEP_INLINE Pack<T, W> estrin(Pack<T, W> x, const T (&c)[N]) {
  constexpr std::size_t levels = N > 2 ? static_cast<std::size_t>(std::bit_width(N - 1)) : 1;
  Pack<T, W> powers[levels];
  powers[0] = x;
#pragma GCC unroll 8
  for (std::size_t k = 1; k < levels; ++k) powers[k] = powers[k - 1] * powers[k - 1];
  return detail::estrin_terms<0, N>(powers, c);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
