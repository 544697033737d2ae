// The normal distribution of packs: its distribution function and the inverse of it.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a
// normal number is zero. A lane's result depends on nothing but that lane. Coefficients:
// tools/coefficients/special_normal.sollya.
#pragma once

#include <limits>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/by_register.hpp"
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
  // quantile(p) = y·(first + w·c(w)) with y = 2p − 1, w = −log(1 − y²) for 0 ≤ w ≤ 5, error 2^−27.
  static constexpr float first = 0x1.40d932p0F;
  static constexpr float first_low = 0x1.21a48p-28F;
  static constexpr float center[] = {0x1.4ffddp-2F,    0x1.0ba238p-6F,  -0x1.b1a04p-9F,   -0x1.66be5p-13F,
                                     0x1.d6dbd6p-15F,  0x1.267036p-17F, -0x1.ee3212p-19F, 0x1.f227b2p-22F,
                                     -0x1.cb4fb4p-26F, 0x1.3bcd3p-31F};
  // quantile(1 − m) = r + t(1/(r + 4) − 3/32) with r = sqrt(−2·log(m)) for r ≥ 3.56, absolute error 2^−27.
  static constexpr float tail[] = {-0x1.b8396ep-2F, -0x1.3b9294p2F,  -0x1.8c54a4p3F, -0x1.3ea59ap6F,
                                   -0x1.cce91ep7F,  -0x1.fdd312p10F, -0x1.cfaf6p11F, -0x1.493f26p16F};
};

template <>
struct Normal<double> {
  static constexpr double cdf_is_zero_below = -0x1.2c27b05bf1a0ap5;  // −37.51938
  // As for float, error 2^−59.
  static constexpr double first = 0x1.40d931ff62706p0;
  static constexpr double first_low = -0x1.9dcd6818d920ap-54;
  static constexpr double center[] = {
      0x1.4ffddeaa22dc2p-2,  0x1.0b9a8ec5b6f0ap-6,   -0x1.b0d7e369d0503p-9,  -0x1.7bc0e302568a2p-13,
      0x1.147b7b166aef2p-14, 0x1.7f6b8c122fd24p-19,  -0x1.8064ce3567d12p-20, -0x1.c4fc613bd77fdp-25,
      0x1.14e32bc13121ep-25, 0x1.22acdaddc8a24p-30,  -0x1.8ef8061464cc3p-31, -0x1.4f1b8020d64d4p-35,
      0x1.e66cbfb3e2fe9p-36, -0x1.4c7bc5fcca56ap-38, 0x1.c7e909e1d683bp-40,  -0x1.5a669b4ef3a59p-41,
      0x1.47e239be92fc7p-43, -0x1.8ba34930af21p-46,  0x1.3a93bef324d4ep-49,  -0x1.442b5cbc67b1ap-53,
      0x1.8cb1b2accb563p-58, -0x1.b91d414492a15p-64};
  // As for float, absolute error 2^−17: the start of an iteration.
  static constexpr double tail[] = {-0x1.b83a4aba0893dp-2, -0x1.3b899a24f8246p2, -0x1.8b66e89888171p3,
                                    -0x1.4403ee662cbaep6,  -0x1.13c7f52c6971cp8, -0x1.760853fd4e935p10,
                                    0x1.f30af84cac538p13};
};

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> normal_cdf_of_register(Pack<T, W> x) {
  using C = ErrorFunction<T>;
  using P = Pack<T, W>;
  using U = Unsigned<sizeof(T)>;
  constexpr T last = -Normal<T>::cdf_is_zero_below;
  // The tail beyond t = |x| is erfc(s)/2 with 2s = sqrt(2)·t and s² = t²/2.
  const P t = min(P(last + T(1)), abs(x));
  const auto square = two_product(t, T(-0.5) * t);
  const P twice_s = C::root_two * t;
  const P twice_s_low = fma(t, C::root_two_low, fma(t, C::root_two, -twice_s));
  const auto half = half_erfc<T, W>({twice_s, twice_s_low}, square);
  const P scaled = bit_cast<T>(bit_cast<U>(half.mantissa) + (half.exponent_bits << Exponential<T>::mantissa_bits));
  const P tail = select(t <= last, scaled, t - t);  // NaN of NaN
  return select(x > T(0), T(1) - tail, tail);
}

}  // namespace detail

/// Distribution function of the standard normal. Error < 1.5 ulp, also in the left tail. normal_cdf(0) = 1/2; 0 at −∞
/// and where the result would fall below the smallest normal number, 1 at +∞.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> normal_cdf(Pack<T, W> x) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::normal_cdf_of_register(part); }, x);
}

namespace detail {

/// exp(t²/2)·(1 − Φ(t)) for t ≥ 0, to a few ulp.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> mills_ratio(Pack<T, W> t) {
  using C = ErrorFunction<T>;
  const Pack<T, W> twice_s = C::root_two * t;
  const Pack<T, W> q = (twice_s - 2 * C::middle) / (twice_s + 2 * C::middle);
  return fma(q, even_odd(q, q * q, C::scaled), C::first) / (twice_s + T(1.75));
}

/// t with 1 − Φ(t) = m, for small m.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> tail_quantile(Pack<T, W> m) {
  using P = Pack<T, W>;
  const auto log_m = log_double_word(m);
  const P r = sqrt(T(-2) * log_m.high);
  const P offset = horner(T(1) / (r + T(4)) - T(0.09375), Normal<T>::tail);
  if constexpr (std::is_same_v<T, float>) {
    const P remainder = fma(r, r, T(2) * log_m.high) + T(2) * log_m.low;
    return r + fma(remainder, T(-0.5) / r, offset);
  } else {
    // One step of third order on f(t) = t²/2 − log(mills) + log(m), where f′ = hazard and f″ = hazard·(hazard − t).
    const P t = r + offset;
    const P mills = mills_ratio(t);
    const auto half_square = two_product(t, T(0.5) * t);
    const P f = ((half_square.high + log_m.high) + (half_square.low + log_m.low)) - log(mills);
    constexpr T root_two_pi = T(2.50662827463100050241576528481104525L);
    const P hazard = T(1) / (root_two_pi * mills);
    const P step = f * (root_two_pi * mills);
    return t - fma(T(0.5) * (hazard - t), step * step, step);
  }
}

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> normal_quantile_of_register(Pack<T, W> p) {
  using C = Normal<T>;
  using P = Pack<T, W>;
  const P m = select(p > T(0.5), T(1) - p, p);  // exact
  const P y = T(1) - (m + m);
  const P y_low = (T(1) - y) - (m + m);
  const P w = -log(fma(T(-4) * m, m, T(4) * m));
  const P slope = even_odd(w, w * w, C::center);
  const P ratio = fma(w, slope, C::first);
  const P ratio_low = fma(w, slope, C::first - ratio) + C::first_low;
  P t = fma(y, ratio, fma(y, ratio_low, y_low * ratio));
  const auto is_tail = m < T(0.0017);
  if (is_tail.any()) {
    const P in_tail = select(m > T(0), tail_quantile(m), std::numeric_limits<T>::infinity());
    t = select(is_tail, in_tail, t);
  }
  const P x = select(p < T(0.5), -t, t);
  return select((p >= T(0)) & (p <= T(1)), x, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace detail

/// Inverse of normal_cdf. Error < 1.7 ulp, also around p = 1/2 and in the tails. normal_quantile(1/2) = 0, ∓∞ at 0 and
/// 1, NaN outside [0, 1]; equal up to sign at p and 1 − p if both are exact. Slower if any lane has p or 1 − p below
/// 0.0017.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> normal_quantile(Pack<T, W> p) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::normal_quantile_of_register(part); }, p);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
