// The derivative of the logarithm of the gamma function, of packs.
//
// Stated for FlushToZero, as all of math/. A lane's result depends on nothing but that lane.
#pragma once

#include <limits>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/by_register.hpp"
#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

template <class T>
struct Digamma;

// ψ(x) = log(x) − 1/(2x) − z·s(z) with z = 1/x², the coefficients B₂ₖ/2k of the asymptotic series, cut where its last
// term is below the precision for x ≥ start.
template <>
struct Digamma<float> {
  static constexpr float start = 6;
  static constexpr float series[] = {1 / 12.0F, -1 / 120.0F, 1 / 252.0F};
};
template <>
struct Digamma<double> {
  static constexpr double start = 10;
  static constexpr double series[] = {1 / 12.0,  -1 / 120.0,     1 / 252.0, -1 / 240.0,
                                      1 / 132.0, -691 / 32760.0, 1 / 12.0,  -3617 / 8160.0};
};

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> digamma_of_register(Pack<T, W> argument) {
  using C = Digamma<T>;
  using P = Pack<T, W>;
  P x = argument;
  P shift(T(0));
  // ψ(x) = ψ(x + 1) − 1/x, as often as a lane needs; lanes that are far enough wait.
  for (int k = 0; k < static_cast<int>(C::start); ++k) {
    const auto is_small = x < C::start;
    if (is_small.none()) break;
    shift = select(is_small, shift - T(1) / x, shift);
    x = select(is_small, x + T(1), x);
  }
  const P reciprocal = T(1) / x;
  const P z = reciprocal * reciprocal;
  const P tail = fma(reciprocal, T(0.5), z * horner(z, C::series));
  const P value = (log(x) - tail) + shift;
  const P at_zero = select(argument == T(0), P(-std::numeric_limits<T>::infinity()), value);
  const P at_infinity = select(argument == std::numeric_limits<T>::infinity(), argument, at_zero);
  return select(argument >= T(0), at_infinity, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace detail

/// ψ(x) = d/dx log Γ(x) for x ≥ 0. Error < 10 (float: 6) ulp of max(1, |ψ(x)|). digamma(±0) = −∞,
/// digamma(+∞) = +∞, NaN below zero.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> digamma(Pack<T, W> x) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::digamma_of_register(part); }, x);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
