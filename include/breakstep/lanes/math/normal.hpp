// The normal distribution of packs: its distribution function and the inverse of it.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a
// normal number is zero. A lane's result depends on nothing but that lane. Coefficients:
// tools/coefficients/special_normal.sollya.
#pragma once

#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/double_word.hpp"
#include "breakstep/lanes/math/error_function.hpp"
#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

template <class T>
struct Normal;

template <>
struct Normal<float> {
  static constexpr float cdf_is_zero_below = -0x1.9e6602p3F;  // −12.94995
};

template <>
struct Normal<double> {
  static constexpr double cdf_is_zero_below = -0x1.2c27b05bf1a0ap5;  // −37.51938
};

}  // namespace detail

/// Distribution function of the standard normal. Error < 1.3 ulp, also in the left tail. normal_cdf(0) = 1/2; 0 at −∞ and
/// where the result would fall below the smallest normal number, 1 at +∞.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> normal_cdf(Pack<T, W> x) {
  using C = detail::ErrorFunction<T>;
  using P = Pack<T, W>;
  using U = Unsigned<sizeof(T)>;
  constexpr T last = -detail::Normal<T>::cdf_is_zero_below;
  // The tail beyond t = |x| is erfc(s)/2 with 2s = sqrt(2)·t and s² = t²/2.
  const P t = min(P(last + T(1)), abs(x));
  const auto square = two_product(t, T(-0.5) * t);
  const P twice_s = C::root_two * t;
  const P twice_s_low = fma(t, C::root_two_low, fma(t, C::root_two, -twice_s));
  const auto half = detail::half_erfc<T, W>({twice_s, twice_s_low}, square);
  const P scaled =
      bit_cast<T>(bit_cast<U>(half.mantissa) + (half.exponent_bits << detail::Exponential<T>::mantissa_bits));
  const P tail = select(t <= last, scaled, t - t);  // NaN of NaN
  return select(x > T(0), T(1) - tail, tail);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
