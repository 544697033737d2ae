// log(e^a + e^b) of packs.
//
// Errors are in units in the last place, measured against MPFR by test/lanes/math_accuracy_test.cpp. The function is
// stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a normal number is
// zero. A lane's result depends on nothing but that lane. Coefficients: tools/coefficients/special_log_add_exp.sollya.
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
struct LogAddExp;

template <>
struct LogAddExp<float> {
  // log(1 + e) = t + t·y·r(y) with t = e/(1 + e/2), y = t² for 0 ≤ e ≤ 1, error 2^−31.
  static constexpr float atanh_tail[] = {0x1.555556p-4F, 0x1.999866p-7F, 0x1.24d76ep-9F, 0x1.bb3124p-12F,
                                         0x1.e1216p-14F};
};

template <>
struct LogAddExp<double> {
  // As for float, error 2^−57.
  static constexpr double atanh_tail[] = {0x1.5555555555555p-4,  0x1.999999999a27cp-7,  0x1.24924923df843p-9,
                                          0x1.c71c726c171afp-12, 0x1.745cf154e858p-14,  0x1.3b18a6cd11a3ep-16,
                                          0x1.10acf6187626fp-18, 0x1.eb8a175c66bdap-21, 0x1.688edd078a774p-23,
                                          0x1.4afd63d03d427p-24};
};

/// log(1 + e^x) for a double word x ≤ 0; the words overlap: |low| < 0.1·high.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> log1p_of_exp(DoubleWord<T, W> x) {
  using C = Exponential<T>;
  using P = Pack<T, W>;
  const auto power = exp_of_double_word(x);
  const auto mantissa = fast_two_sum(power.mantissa.high, power.mantissa.low);
  const P scale = bit_cast<T>((power.exponent_bits << C::mantissa_bits) + C::one);
  const auto is_zero = x.high < C::exp_underflows_below;  // the scale is meaningless there
  const P e = select(is_zero, P(T(0)), mantissa.high * scale);
  const P e_low = select(is_zero, P(T(0)), mantissa.low * scale);
  const auto denominator = fast_two_sum(P(T(1)), T(0.5) * e);
  const P denominator_low = fma(e_low, T(0.5), denominator.low);
  const P reciprocal = T(1) / denominator.high;
  const P t = e * reciprocal;
  const P remainder = fma(-t, denominator.high, e) + fma(-t, denominator_low, e_low);
  const P y = t * t;
  const P t_low = remainder * fma(reciprocal, T(0.25) * y, reciprocal);  // 2·atanh(t/2) has the slope 1/(1 − y/4)
  return {t, fma(t * y, even_odd(y, y * y, LogAddExp<T>::atanh_tail), t_low)};
}

template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> logaddexp_of_register(Pack<T, W> a, Pack<T, W> b) {
  using P = Pack<T, W>;
  const auto is_ordered = a < b;
  const P greater = select(is_ordered, b, a);
  const P less = select(is_ordered, a, b);
  // ∞ − ∞ is NaN, hence 0 for equal arguments; a difference far from zero has no use for its low word, which may be
  // NaN.
  const auto difference = two_sum(less, -greater);
  const auto is_equal = a == b;
  const P high = select(is_equal, P(T(0)), difference.high);
  const P low = select(is_equal | (high < Exponential<T>::exp_underflows_below), P(T(0)), difference.low);
  const auto added = log1p_of_exp<T, W>({high, low});
  const auto sum = two_sum(greater, added.high);
  const P finite = sum.high + (sum.low + added.low);
  const P result = select(abs(greater) < std::numeric_limits<T>::infinity(), finite, greater);
  return select((a == a) & (b == b), result, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace detail

/// log(e^a + e^b) without overflow; the same bits for (b, a). Error < 1 ulp of the result or, where that is smaller
/// because the terms cancel, of the argument of larger magnitude. Two equal infinities give themselves, +∞ beats all,
/// −∞ adds nothing, NaN in either gives NaN.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> logaddexp(Pack<T, W> a,
                                                                           std::type_identity_t<Pack<T, W>> b) {
  return by_register(
      [](auto c, auto d) __attribute__((always_inline)) { return detail::logaddexp_of_register(c, d); }, a, b);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
