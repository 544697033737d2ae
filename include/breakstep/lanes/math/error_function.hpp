// The error function of packs, erf and erfc, and the tail of the normal distribution that erfc and normal_cdf share.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a
// normal number is zero. A lane's result depends on nothing but that lane. Coefficients:
// tools/coefficients/special_error_function.sollya.
#pragma once

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
struct ErrorFunction;

template <>
struct ErrorFunction<float> {
  // erf(x) = x + x·t(x²) for |x| ≤ 1, error 2^−29.
  static constexpr float center[] = {0x1.06eba8p-3F, -0x1.81274p-2F,   0x1.ce2d52p-4F, -0x1.b7fec4p-6F,
                                     0x1.542fecp-8F, -0x1.a5197ap-11F, 0x1.4c5cb4p-14F};
  // erf(x) = 1 − exp(g(x − 1)) for 1 ≤ x ≤ 4, error 2^−27.
  static constexpr float outer[] = {-0x1.d97fcp0F,  -0x1.51c99ep1F,   -0x1.afaedp-1F, -0x1.53a394p-5F,
                                    0x1.4215c2p-7F, -0x1.d3bb02p-10F, 0x1.6f7362p-13F};
  static constexpr float is_one_from = 4;
  static constexpr float erfc_is_zero_above = 0x1.2639bep3F;  // 9.194549
  // exp(s²)·erfc(s)·(s + 7/8) = first + q·p(q) with q = (s − middle)/(s + middle), error 2^−29.
  static constexpr float middle = 3;
  static constexpr float first = 0x1.632366p-1F;
  static constexpr float first_low = 0x1.282cecp-26F;
  static constexpr float scaled[] = {-0x1.856c64p-3F,  0x1.17d6fep-4F,  0x1.177f0cp-7F,  -0x1.0c6224p-5F,
                                     0x1.999e2ep-6F,   -0x1.5143a4p-7F, 0x1.9762a8p-10F, 0x1.92b6a2p-11F,
                                     -0x1.991d36p-12F, -0x1.ec1a8ap-14F};
  static constexpr float root_two = 0x1.6a09e6p0F;
  static constexpr float root_two_low = 0x1.9fcef4p-26F;
};

template <>
struct ErrorFunction<double> {
  // As for float, error 2^−56.
  static constexpr double center[] = {0x1.06eba8214db68p-3,   -0x1.812746b0379b5p-2,  0x1.ce2f21a040b02p-4,
                                      -0x1.b82ce311f7069p-6,  0x1.565bccf908894p-8,   -0x1.c02db03ff6859p-11,
                                      0x1.f9a2bb4bba0e4p-14,  -0x1.f4ca5bb2856d7p-17, 0x1.b9807f233887cp-20,
                                      -0x1.5c0bc3130e21dp-23, 0x1.d73d744d56748p-27,  -0x1.ac1a4196e188cp-31};
  // As for float, up to 6, error 2^−57.
  static constexpr double outer[] = {-0x1.d97fbf27aa2a1p0,   -0x1.51c9b0006c228p1,   -0x1.afabc11a2a89dp-1,
                                     -0x1.5477f09a25061p-5,  0x1.48c9d38e5b6p-7,     -0x1.033f5b4626b3dp-9,
                                     0x1.f1b08d9f4f1d4p-13,  0x1.b928c46547cc4p-16,  -0x1.c849da0de2099p-16,
                                     0x1.446e1fb36305ap-17,  -0x1.1dd1970f9961fp-19, 0x1.b4407e29afebap-23,
                                     0x1.f98a4dca10fcdp-25,  -0x1.217748e41530dp-25, 0x1.2767e568741f8p-27,
                                     -0x1.6e45f0e4619ffp-30, 0x1.0962777a531b8p-33,  -0x1.5ab29b00de3b3p-38};
  static constexpr double is_one_from = 6;
  static constexpr double erfc_is_zero_above = 0x1.a8b12fc6e4891p4;  // 26.54326
  // As for float, error 2^−57.
  static constexpr double middle = 3.5;
  static constexpr double first = 0x1.5bdb980804eeep-1;
  static constexpr double first_low = -0x1.a9ecfcdb187ccp-56;
  static constexpr double scaled[] = {
      -0x1.6d8663719f1bfp-3,  0x1.50787684bfeb4p-4,   -0x1.80c6624abab0cp-7,  -0x1.6aa6486a7a6f5p-6,
      0x1.b9983379423bfp-6,   -0x1.27a7cc9e83cccp-6,  0x1.04cb78aba114cp-7,   -0x1.0717d12c19a7fp-9,
      -0x1.68163aa0314d2p-15, 0x1.facc86c8e3b5fp-13,  -0x1.062e8f1907572p-14, -0x1.12edd35fcae1cp-16,
      0x1.828f15cf16ca9p-17,  0x1.406fafe887644p-21,  -0x1.db0e52182dbc3p-20, 0x1.829152f5399b8p-25,
      0x1.2b619026f559ap-22,  -0x1.1eb85199d36e4p-27, -0x1.7f76caf3c95a4p-25, -0x1.5e9d1380dfca1p-29,
      0x1.6e9b0ac76f2dfp-28,  0x1.4a847bf6dcd0cp-30};
  static constexpr double root_two = 0x1.6a09e667f3bcdp0;
  static constexpr double root_two_low = -0x1.bdd3413b26456p-54;
};

/// 2^exponent·mantissa; only the last bits of the exponent are meaningful. Adding the exponent to the bits of a number
/// near 1 multiplies by 2^exponent as long as the product is normal.
template <class T, int W>
struct ScaledDoubleWord {
  Pack<Unsigned<sizeof(T)>, W> exponent_bits;
  DoubleWord<T, W> mantissa;
};

/// exp(x) for a double word x within the range of exp; relative error of the double word about 2^(−4 − p), where p is
/// the precision of T. The mantissa's parts may overlap: |low| < 0.1.
template <class T, int W>
BREAKSTEP_INLINE ScaledDoubleWord<T, W> exp_of_double_word(DoubleWord<T, W> x) {
  using C = Exponential<T>;
  using P = Pack<T, W>;
  const P shifted = fma(x.high, C::log2_e, C::round_to_integer);
  const P n = shifted - C::round_to_integer;
  const auto exact = fast_two_sum(fma(n, -C::ln2_high, x.high), x.low);
  const P r = fma(n, -C::ln2_low, exact.high);
  const P r_low = fma(n, -C::ln2_low, exact.high - r) + exact.low;
  const P r2 = r * r;
  const P rest = fma(r2, even_odd(r, r2, C::exp_q), fma(r, r_low, r_low));
  const auto sum = fast_two_sum(P(T(1)), r);
  return {bit_cast<Unsigned<sizeof(T)>>(shifted), {sum.high, sum.low + rest}};
}

/// 2^exponent·mantissa, left unscaled: what callers make of erfc(s)/2 may be normal when it is not.
template <class T, int W>
struct HalfErfc {
  Pack<Unsigned<sizeof(T)>, W> exponent_bits;
  Pack<T, W> mantissa;
};

/// erfc(s)/2 for s ≥ 0, given 2·s and −s² as double words; error < 1.5 ulp.
template <class T, int W>
BREAKSTEP_INLINE HalfErfc<T, W> half_erfc(DoubleWord<T, W> twice_s, DoubleWord<T, W> minus_square) {
  using C = ErrorFunction<T>;
  using P = Pack<T, W>;
  const auto e = exp_of_double_word(minus_square);
  // With d = 2s + 7/4 the result is e·p(q)/d. One reciprocal serves q and 1/d; both are rough, but q counts little (p
  // is nearly constant) and the quotient is corrected by its remainder.
  const auto d = two_sum(twice_s.high, P(T(1.75)));
  const P d_low = d.low + twice_s.low;
  const P plus = twice_s.high + 2 * C::middle;
  const P reciprocal = T(1) / (plus * d.high);
  const P q = (twice_s.high - 2 * C::middle) * (reciprocal * d.high);
  const P over_d = reciprocal * plus;
  const P tail = even_odd(q, q * q, C::scaled);
  const P p = fma(q, tail, C::first);
  const P p_low = fma(q, tail, C::first - p) + C::first_low;
  const auto product = two_product(e.mantissa.high, p);
  const P product_low = product.low + fma(e.mantissa.low, p, e.mantissa.high * p_low);
  const auto numerator = fast_two_sum(product.high, product_low);
  const P quotient = numerator.high * over_d;
  const P remainder = fma(-quotient, d.high, numerator.high) + fma(-quotient, d_low, numerator.low);
  return {e.exponent_bits, fma(remainder, over_d, quotient)};
}

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> erf_of_register(Pack<T, W> x) {
  using C = ErrorFunction<T>;
  using P = Pack<T, W>;
  const P z = x * x;
  const P near_zero = fma(x, even_odd(z, z * z, C::center), x);
  const auto is_outer = abs(x) > T(1);
  if (is_outer.none()) return near_zero;
  const P u = min(P(C::is_one_from), abs(x)) - T(1);
  const P magnitude = T(1) - exp(even_odd(u, u * u, C::outer));
  return select(is_outer, copysign(magnitude, x), near_zero);
}

}  // namespace detail

/// Error function. Error < 1.2 ulp. erf(±0) = ±0, erf(±∞) = ±1.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> erf(Pack<T, W> x) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::erf_of_register(part); }, x);
}

namespace detail {

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> erfc_of_register(Pack<T, W> x) {
  using C = ErrorFunction<T>;
  using P = Pack<T, W>;
  using U = Unsigned<sizeof(T)>;
  const P s = min(P(C::erfc_is_zero_above + T(1)), abs(x));
  const auto square = two_product(s, s);
  const auto half = half_erfc<T, W>({s + s, P(T(0))}, {-square.high, -square.low});
  constexpr int mantissa_bits = Exponential<T>::mantissa_bits;
  const P scaled = bit_cast<T>(bit_cast<U>(half.mantissa) + ((half.exponent_bits + U(1)) << mantissa_bits));
  const P tail = select(s <= C::erfc_is_zero_above, scaled, s - s);  // NaN of NaN
  return select(x < T(0), T(2) - tail, tail);
}

}  // namespace detail

/// 1 − erf(x) with relative accuracy for large x. Error < 1.5 ulp. erfc(−∞) = 2, erfc(+∞) = 0, also where the result
/// would fall below the smallest normal number.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> erfc(Pack<T, W> x) {
  return by_register(
      [](auto part) __attribute__((always_inline)) { return detail::erfc_of_register(part); }, x);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
