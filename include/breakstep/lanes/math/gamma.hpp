// The logarithm of the gamma function of packs.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a
// normal number is zero. A lane's result depends on nothing but that lane. Coefficients:
// tools/coefficients/special_gamma.sollya.
#pragma once

#include <limits>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/by_register.hpp"
#include "breakstep/lanes/math/double_word.hpp"
#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

template <class T>
struct Gamma;

template <>
struct Gamma<float> {
  // log Γ(1 + z) = z·(z − 1)·(first + u·c(u)) with u = z − 1/2 for 0 ≤ z ≤ 1, error 2^−27.
  static constexpr float first = 0x1.eeb95cp-2F;
  static constexpr float first_low = -0x1.b048d4p-27F;
  static constexpr float center[] = {-0x1.2aed08p-3F, 0x1.01af04p-4F,  -0x1.007886p-5F,
                                     0x1.1362bap-6F,  -0x1.357138p-7F, 0x1.5cff8ep-8F,
                                     -0x1.93c75ap-9F, 0x1.40e27ep-9F,  -0x1.a01886p-10F};
  // log Γ(x) = (x − 1/2)·(log(x) − 1) + constant + b(1/x²)/x for x ≥ 3, error 2^−29.
  static constexpr float constant = 0x1.acfe3ap-2F;
  static constexpr float constant_low = -0x1.e6d052p-27F;
  static constexpr float stirling[] = {0x1.555556p-4F, -0x1.6c182p-9F, 0x1.9da4eap-11F, -0x1.f39e44p-12F};
  static constexpr float lgamma_overflows_above = 0x1.895f1ap121F;
};

template <>
struct Gamma<double> {
  // As for float, error 2^−56.
  static constexpr double first = 0x1.eeb95b094c191p-2;
  static constexpr double first_low = 0x1.4a6ee311e34ep-56;
  static constexpr double center[] = {
      -0x1.2aed059bd6085p-3,  0x1.01af62a29299cp-4,  -0x1.007aa83cef96ap-5,  0x1.1334235283ccap-6,
      -0x1.34dbda1290755p-7,  0x1.64f0664891709p-8,  -0x1.a5035375bc172p-9,  0x1.f814bc39e586ep-10,
      -0x1.313e530eb217ep-10, 0x1.750a4b9561bfdp-11, -0x1.cb5030587b224p-12, 0x1.1c8174070f674p-12,
      -0x1.6184f7ce81e2p-13,  0x1.b99b98451b684p-14, -0x1.1cf5ef2c3c907p-14, 0x1.6adf02aa25936p-15,
      -0x1.68682a9c77be5p-16, 0x1.abed15f102808p-17, -0x1.36eef64be7b83p-16, 0x1.a2f85d0278a35p-17};
  // As for float, error 2^−56.
  static constexpr double constant = 0x1.acfe390c97d69p-2;
  static constexpr double constant_low = 0x1.3494bc9001442p-56;
  static constexpr double stirling[] = {0x1.5555555555554p-4,  -0x1.6c16c16bfd225p-9, 0x1.a01a01045f07ep-11,
                                        -0x1.381324dafcd5p-11, 0x1.b935786e65d56p-11, -0x1.f40fc11be3bfdp-10,
                                        0x1.90452ab2e4eb9p-8,  -0x1.7c5b237d37c06p-6, 0x1.53181810b7fe5p-4,
                                        -0x1.b4ad7bf3fc90ep-3, 0x1.1753b4193df89p-2};
  static constexpr double lgamma_overflows_above = 0x1.754d9278b51a7p1014;
};

/// log Γ(1 + z) for 0 ≤ z ≤ 1; the words may overlap by a bit.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> lgamma_between_zeros(Pack<T, W> z) {
  using C = Gamma<T>;
  using P = Pack<T, W>;
  const auto z_minus_1 = fast_two_sum(P(T(-1)), z);
  const auto product = two_product(z, z_minus_1.high);
  const P product_low = fma(z, z_minus_1.low, product.low);
  const P u = z - T(0.5);
  const P slope = even_odd(u, u * u, C::center);
  const P factor = fma(u, slope, C::first);
  const P factor_low = fma(u, slope, C::first - factor) + C::first_low;
  const auto result = two_product(product.high, factor);
  return {result.high, result.low + fma(product.high, factor_low, product_low * factor)};
}

/// log Γ(x) for x ≥ 3 by Stirling's formula, given log x. NaN where it overflows.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> lgamma_of_large(Pack<T, W> x, DoubleWord<T, W> log_x) {
  using C = Gamma<T>;
  using P = Pack<T, W>;
  const P reciprocal = T(1) / x;
  const P z = reciprocal * reciprocal;
  const P binet = reciprocal * horner(z, C::stirling);
  const P l = log_x.high - T(1);  // exact
  const P offset = fma(l, T(-0.5), C::constant);
  const P offset_low = fma(l, T(-0.5), C::constant - offset);
  const auto product = two_product(x, l);
  const auto sum = two_sum(product.high, offset);
  const P low = (offset_low + C::constant_low) + binet;
  return sum.high + (sum.low + (fma(x - T(0.5), log_x.low, product.low) + low));
}

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> lgamma_of_register(Pack<T, W> x) {
  using P = Pack<T, W>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto is_large = x >= T(3);
  const auto is_small = x < T(1);
  // Below 3, Γ(x) is Γ(1 + z) times or over one factor, with 0 ≤ z ≤ 1 and an exact factor, which is 1 from 1 to 2.
  const P factor = select(is_large | is_small, x, max(x - T(1), P(T(1))));
  const auto log_factor = log_double_word(factor);
  P result = T(0);
  if (!is_large.all()) {
    const P z = select(is_small, x, x - select(x > T(2), P(T(2)), P(T(1))));
    const auto center = lgamma_between_zeros(z);
    const P sign = select(is_small, P(T(-1)), P(T(1)));
    const auto sum = two_sum(sign * log_factor.high, center.high);
    result = sum.high + (sum.low + fma(sign, log_factor.low, center.low));
  }
  if (is_large.any()) result = select(is_large, lgamma_of_large(x, log_factor), result);
  const P not_infinite = select((x > T(0)) & (x <= Gamma<T>::lgamma_overflows_above), result, P(infinity));
  return select(x >= T(0), not_infinite, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace detail

/// log Γ(x) for x ≥ 0. Error < 1 ulp, also around the zeros at 1 and 2. lgamma(±0) = lgamma(+∞) = +∞, NaN below zero.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> lgamma(Pack<T, W> x) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::lgamma_of_register(part); }, x);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
