// Exponentials and logarithms of packs: exp, log, log1p, expm1, tanh, pow.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign, a result too small for a
// normal number is zero. A lane's result depends on nothing but that lane. Coefficients:
// tools/coefficients/exponential.sollya.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/double_word.hpp"
#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

/// How T is laid out, and the constants that differ between float and double.
template <class T>
struct Exponential;

template <>
struct Exponential<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr std::uint32_t one = 0x3F800000;
  static constexpr std::uint32_t half_root = 0x3F3504F4;  // bits of sqrt(1/2), where a mantissa starts
  static constexpr float round_to_integer =
      0x1.8p23F;  // x + this − this is x rounded; the sum's last bits are the integer
  static constexpr float ln2_high = 0x1.62e4p-1F;  // times any exponent it is exact
  static constexpr float ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float log2_e = 0x1.715476p0F;
  static constexpr float exp_overflows_above = 0x1.62e42ep6F;    // 88.72283
  static constexpr float exp_underflows_below = -0x1.5d589ep6F;  // −87.33654
  // exp(r) = 1 + r + r²·q(r) for |r| ≤ ln(2)/2, error 2^−28.
  static constexpr float exp_q[] = {0x1.fffffcp-2F, 0x1.55549p-3F, 0x1.5558ap-5F, 0x1.123ac6p-7F, 0x1.6a6034p-10F};
  // log(1 + f) = f − f²/2 + f³·p(f) for sqrt(1/2) ≤ 1 + f ≤ sqrt(2), error 2^−27.
  static constexpr float log_p[] = {0x1.55557p-2F,  -0x1.000234p-2F, 0x1.99944ep-3F, -0x1.5466fep-3F,
                                    0x1.239ce2p-3F, -0x1.0e96ccp-3F, 0x1.015974p-3F, -0x1.2a6f78p-4F};
  // tanh(a) = a + a·z·p(z) with z = a² for a ≤ 0.625, error 2^−27.
  static constexpr float tanh_p[] = {-0x1.555532p-2F, 0x1.110704p-3F, -0x1.b838ap-5F, 0x1.5211c4p-6F, -0x1.758facp-8F};
  static constexpr float expm1_is_minus_one_below = -18;
  static constexpr float expm1_overflows_above = 89;
  static constexpr float tanh_is_one_above = 10;
  // 2·atanh(s) = s·(2 + z·(2/3 + z·q(z))) with z = s² for |s| ≤ 0.1716 and 2/3 = high + low, error 2^−33.
  static constexpr float pow_q[] = {0x1.9999a4p-2F, 0x1.247a06p-2F, 0x1.d81038p-3F};
  static constexpr float two_thirds_high = 0x1.555556p-1F;
  static constexpr float two_thirds_low = -0x1.555556p-26F;
  static constexpr float pow_saturates_above = 170;  // |log of the result|
};

template <>
struct Exponential<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr std::uint64_t one = 0x3FF0000000000000;
  static constexpr std::uint64_t half_root = 0x3FE6A09E667F3BCD;
  static constexpr double round_to_integer = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa4p-1;
  static constexpr double ln2_low = -0x1.8432a1b0e2634p-43;
  static constexpr double log2_e = 0x1.71547652b82fep0;
  static constexpr double exp_overflows_above = 0x1.62e42fefa39efp9;    // 709.7827
  static constexpr double exp_underflows_below = -0x1.6232bdd7abcd2p9;  // −708.3964
  // As for float, error 2^−57.
  static constexpr double exp_q[] = {0x1.000000000000ap-1,  0x1.55555555554fcp-3,  0x1.5555555550689p-5,
                                     0x1.111111112725dp-7,  0x1.6c16c18488a72p-10, 0x1.a01a012dcb966p-13,
                                     0x1.a01999231b6efp-16, 0x1.71df1d1476f36p-19, 0x1.28ae3c99e664bp-22,
                                     0x1.ad8d55a3886e8p-26};
  // 2·atanh(s) = 2·s + s·z·r(z) with z = s² for |s| ≤ 0.1716, error 2^−57.
  static constexpr double log_r[] = {0x1.5555555555558p-1, 0x1.9999999995323p-2, 0x1.2492492deec37p-2,
                                     0x1.c71c62e684aaap-3, 0x1.7462b4ab7b39ap-3, 0x1.39fe5b524a36fp-3,
                                     0x1.2b58abb5b7255p-3};
  // As for float, error 2^−56.
  static constexpr double tanh_p[] = {-0x1.55555555554ffp-2,  0x1.111111110aca6p-3,  -0x1.ba1ba1b504efap-5,
                                      0x1.664f477aa8e77p-6,   -0x1.226e1627b6e15p-7, 0x1.d6cf279954ce5p-9,
                                      -0x1.7d689f11f3e13p-10, 0x1.3365faf2548adp-11, -0x1.df54cb712d866p-13,
                                      0x1.438fb8f5539e3p-14,  -0x1.0da4a0f0c3115p-16};
  static constexpr double expm1_is_minus_one_below = -38;
  static constexpr double expm1_overflows_above = 710;
  static constexpr double tanh_is_one_above = 20;
  // As for float, error 2^−69.
  static constexpr double pow_q[] = {0x1.999999999999ap-2, 0x1.24924924922fbp-2, 0x1.c71c71c74d6b9p-3,
                                     0x1.745d173c123d7p-3, 0x1.3b13aa1f597dbp-3, 0x1.1115402c3eee6p-3,
                                     0x1.e01cd0c1d81d2p-4, 0x1.da83ad0b0aec9p-4};
  static constexpr double two_thirds_high = 0x1.5555555555555p-1;
  static constexpr double two_thirds_low = 0x1.5555555555555p-55;
  static constexpr double pow_saturates_above = 1400;
};

/// x itself, but a zero of its sign if x is subnormal: a select moves bits and would let it through.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> flush_subnormal(Pack<T, W> x) {
  return fma(x, T(0x1p-100), x);  // far below half a unit in the last place
}

/// x = exponent·ln 2 + remainder. Only the last bits of `exponent_bits` are meaningful: the exponent as an integer.
template <class T, int W>
struct ReducedExponent {
  Pack<T, W> exponent;
  Pack<Unsigned<sizeof(T)>, W> exponent_bits;
  Pack<T, W> remainder;
};
template <class T, int W>
BREAKSTEP_INLINE ReducedExponent<T, W> reduce_exponent(Pack<T, W> x) {
  using C = Exponential<T>;
  const Pack<T, W> shifted = fma(x, C::log2_e, C::round_to_integer);
  const Pack<T, W> n = shifted - C::round_to_integer;
  const Pack<T, W> remainder = fma(n, -C::ln2_low, fma(n, -C::ln2_high, x));
  return {n, bit_cast<Unsigned<sizeof(T)>>(shifted), remainder};
}

/// exp(r) − 1 for |r| ≤ ln(2)/2.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> expm1_of_remainder(Pack<T, W> r) {
  const Pack<T, W> r2 = r * r;
  return fma(r2, even_odd(r, r2, Exponential<T>::exp_q), r);
}

}  // namespace detail

/// Whether e^x is a normal number.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Truth<sizeof(T), W> has_normal_exp(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  return (x >= C::exp_underflows_below) & (x <= C::exp_overflows_above);
}

/// exp(x) where has_normal_exp(x), meaningless elsewhere: without the price of special values.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> exp_if_normal(Pack<T, W> x) {
  using U = Unsigned<sizeof(T)>;
  const auto reduced = detail::reduce_exponent(x);
  const Pack<T, W> mantissa = detail::expm1_of_remainder(reduced.remainder) + T(1);
  // Added to the exponent's bits rather than multiplied: 2^n itself would overflow before the result does.
  return bit_cast<T>(bit_cast<U>(mantissa) + (reduced.exponent_bits << detail::Exponential<T>::mantissa_bits));
}

/// e^x. Error < 1.1 ulp. exp(±0) = 1, exp(−∞) = 0, exp(+∞) = +∞; above log of the greatest number +∞, below that of the
/// smallest normal number +0.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> exp(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  const Pack<T, W> not_above =
      select(x <= C::exp_overflows_above, exp_if_normal(x), x + std::numeric_limits<T>::infinity());
  return select(x < C::exp_underflows_below, Pack<T, W>(T(0)), not_above);
}

namespace detail {

/// The exponent of a positive normal x that leaves a mantissa in [sqrt(1/2), sqrt(2)), as a number and in place: the
/// bits of 2^exponent.
template <class T, int W>
struct BinaryExponent {
  Pack<T, W> number;
  Pack<Unsigned<sizeof(T)>, W> bits;
};
template <class T, int W>
BREAKSTEP_INLINE BinaryExponent<T, W> binary_exponent(Pack<T, W> x) {
  using C = Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  constexpr U mantissa = (U(1) << C::mantissa_bits) - 1;
  const Pack<U, W> biased = bit_cast<U>(x) + (C::one - C::half_root);
  if constexpr (std::is_same_v<T, float>) {
    return {convert<float>(bit_cast<std::int32_t>(biased - C::one) >> C::mantissa_bits), biased & ~mantissa};
  } else {  // AVX2 can neither shift 64-bit integers with their sign nor convert them: use the last bits of 2^52
    const Pack<U, W> shifted = (biased >> C::mantissa_bits) | U(0x4330000000000000);
    return {bit_cast<double>(shifted) - (0x1p52 + 1023), biased & ~mantissa};
  }
}

/// exponent·ln 2 + log(1 + f) for an integer exponent and sqrt(1/2) ≤ 1 + f ≤ sqrt(2), where `small` is
/// exponent·ln2_low and whatever else is to be added that is below the last place of f.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> log_of_split(Pack<T, W> exponent, Pack<T, W> f, Pack<T, W> small) {
  using C = Exponential<T>;
  const Pack<T, W> square = f * f;
  Pack<T, W> rest;  // log(1 + f) − f + small
  if constexpr (std::is_same_v<T, float>) {
    rest = fma(square, -0.5F, fma(square * f, even_odd(f, square, C::log_p), small));
  } else {
    // 2·atanh(s) = f − f²/2 + s·(f²/2 + z·r(z)): the leading terms need no division.
    const Pack<T, W> s = f / (f + T(2));
    const Pack<T, W> z = s * s;
    rest = fma(square, -0.5, fma(s, fma(z, even_odd(z, z * z, C::log_r), square * 0.5), small));
  }
  const Pack<T, W> high = fma(exponent, C::ln2_high, f);
  const Pack<T, W> low = f - fma(exponent, -C::ln2_high, high);  // what `high` lost: its product is exact
  return high + (low + rest);
}

/// What log has to say outside the positive normal numbers, where `computed` is meaningless.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> log_of_special(Pack<T, W> x, Pack<T, W> computed) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const Pack<T, W> positive = select(x < infinity, computed, x);  // x if it is +∞ or NaN
  const Pack<T, W> not_negative = select(x == T(0), Pack<T, W>(-infinity), positive);
  using Int = Signed<sizeof(T)>;
  return bit_cast<T>(bit_cast<Int>(not_negative) | (x < T(0)).lanes);  // all bits set is NaN
}

}  // namespace detail

/// log(x) for finite x > 0 that are not subnormal (random uniforms, say), without the price of special values.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> log_of_positive(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  const auto exponent = detail::binary_exponent(x);
  const Pack<T, W> mantissa = bit_cast<T>(bit_cast<U>(x) - (exponent.bits - C::one));
  return detail::log_of_split(exponent.number, mantissa - T(1), exponent.number * C::ln2_low);
}

/// Natural logarithm. Error < 1 ulp. log(1) = +0, log(±0) = −∞, log(+∞) = +∞, NaN below zero.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> log(Pack<T, W> x) {
  return detail::log_of_special(x, log_of_positive(x));
}

/// log(1 + x). Error < 1 ulp. log1p(±0) = ±0, log1p(−1) = −∞, log1p(+∞) = +∞, NaN below −1.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> log1p(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  const Pack<T, W> sum = x + T(1);
  const auto exponent = detail::binary_exponent(sum);
  // The fraction f = (1 + x)/2^e − 1 comes from x itself, and so does what its rounding lost; log(1 + f) takes the loss
  // times 1/(1 + f). Quarters, since 2^−e is subnormal for the greatest x.
  const Pack<T, W> four_over = bit_cast<T>(Pack<U, W>(U(1) << (8 * sizeof(T) - 1)) - exponent.bits);
  const Pack<T, W> offset = fma(four_over, T(0.25), T(-1));
  const Pack<T, W> f = fma(x * T(0.25), four_over, offset);
  const Pack<T, W> lost = fma(x * T(0.25), four_over, offset - f);
  const Pack<T, W> small = fma(exponent.number, C::ln2_low, fma(lost, -f, lost));
  const Pack<T, W> computed = detail::log_of_split(exponent.number, f, small);
  const auto is_tiny = abs(x) < std::numeric_limits<T>::epsilon() / 4;
  return detail::log_of_special(sum, select(is_tiny, detail::flush_subnormal(x), computed));
}

/// e^x − 1. Error < 1.4 ulp. expm1(±0) = ±0, expm1(−∞) = −1, expm1(+∞) = +∞, also above log of the greatest number.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> expm1(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  const P not_below = select(x < C::expm1_is_minus_one_below, P(C::expm1_is_minus_one_below), x);
  const P bounded = select(x > C::expm1_overflows_above, P(C::expm1_overflows_above), not_below);
  const P shifted = fma(bounded, C::log2_e, C::round_to_integer);
  const P n = shifted - C::round_to_integer;
  const P exact = fma(n, -C::ln2_high, bounded);
  const P r = fma(n, -C::ln2_low, exact);
  const P r_low = fma(n, -C::ln2_low, exact - r);
  const P r2 = r * r;
  const P rest = fma(r2, even_odd(r, r2, C::exp_q), r_low);
  // Half of the result is h·e^r − 1/2 with h = 2^(n−1), since 2^n may overflow; its leading part is summed without
  // error.
  const P h = bit_cast<T>((bit_cast<U>(shifted) << C::mantissa_bits) + (C::one - (U(1) << C::mantissa_bits)));
  const P offset = h - T(0.5);
  const P high = fma(h, r, offset);
  const P low = fma(h, r, offset - high);
  const P half = high + fma(h, rest, low);
  const auto is_tiny = abs(x) < std::numeric_limits<T>::epsilon() / 4;
  return select(is_tiny, detail::flush_subnormal(x), half + half);
}

/// Hyperbolic tangent. Error < 1.3 ulp. tanh(±0) = ±0, tanh(±∞) = ±1.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> tanh(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  const P a = abs(x);
  const P z = a * a;
  const P near_zero = fma(a * z, even_odd(z, z * z, C::tanh_p), a);
  // 1 − 2/(e^(2a) + 1), the exponential as 2^n·(1 + p).
  const P bounded = select(a > C::tanh_is_one_above, P(C::tanh_is_one_above), a);
  const auto reduced = detail::reduce_exponent(bounded + bounded);
  const P scale = bit_cast<T>((reduced.exponent_bits << C::mantissa_bits) + C::one);
  const P denominator = fma(scale, detail::expm1_of_remainder(reduced.remainder), scale + T(1));
  const P elsewhere = T(1) - T(2) / denominator;
  const P magnitude = select(a < T(0.625), near_zero, elsewhere);
  return bit_cast<T>(bit_cast<U>(magnitude) | sign_bit(x));
}

namespace detail {

/// log x of a positive normal x, with at least ten more bits than T holds.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> log_double_word(Pack<T, W> x) {
  using C = Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  const auto exponent = binary_exponent(x);
  const P f = bit_cast<T>(bit_cast<U>(x) - (exponent.bits - C::one)) - T(1);
  // s = f/(2 + f)
  const auto denominator = fast_two_sum(P(T(2)), f);
  const P reciprocal = T(1) / denominator.high;
  const P s_high = f * reciprocal;
  const P s_low = reciprocal * fma(s_high, -denominator.low, fma(s_high, -denominator.high, f));
  const DoubleWord<T, W> s = {s_high, s_low};
  // 2·atanh(s) = 2·s + s·z·(2/3 + z·q(z)); q itself is small enough for one word.
  const P square = s_high * s_high;
  const DoubleWord<T, W> z = {square, fma(s_high + s_high, s_low, fma(s_high, s_high, -square))};
  const P q = even_odd(square, square * square, C::pow_q);
  const auto tail = two_product(square, q);
  auto factor = fast_two_sum(P(C::two_thirds_high), tail.high);
  factor.low += fma(z.low, q, tail.low) + C::two_thirds_low;
  const auto rest = multiply(multiply(z, factor), s);
  const auto leading = fast_two_sum(exponent.number * C::ln2_high, s_high + s_high);
  const auto sum = fast_two_sum(leading.high, rest.high);
  const P low = fma(exponent.number, C::ln2_low, s_low + s_low) + rest.low;
  return fast_two_sum(sum.high, (leading.low + sum.low) + low);
}

/// e^(high + low) for |high| ≤ pow_saturates_above: 0 or +∞ where the result is out of range.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> exp_double_word(DoubleWord<T, W> x) {
  using C = Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  const P n = fma(x.high, C::log2_e, C::round_to_integer) - C::round_to_integer;
  const P exact = fma(n, -C::ln2_high, x.high);
  const P small = fma(n, -C::ln2_low, x.low);
  const P r = exact + small;
  const P r_low = (exact - r) + small;
  const P r2 = r * r;
  const auto leading = fast_two_sum(P(T(1)), r);
  const P mantissa = leading.high + (leading.low + fma(r2, even_odd(r, r2, C::exp_q), r_low));
  // 2^n in two factors, since it may be out of range where the result is not.
  const P half_shifted = fma(n, T(0.5), C::round_to_integer);
  const P rest_shifted = (n - (half_shifted - C::round_to_integer)) + C::round_to_integer;
  const P half_scale = bit_cast<T>((bit_cast<U>(half_shifted) << C::mantissa_bits) + C::one);
  const P rest_scale = bit_cast<T>((bit_cast<U>(rest_shifted) << C::mantissa_bits) + C::one);
  return (mantissa * half_scale) * rest_scale;
}

/// Whether magnitude ≥ 0 is an integer, ∞ included.
template <class T, int W>
BREAKSTEP_INLINE Truth<sizeof(T), W> is_integer(Pack<T, W> magnitude) {
  constexpr T no_fraction = T(std::uint64_t(1) << Exponential<T>::mantissa_bits);
  return (magnitude >= no_fraction) | ((magnitude + no_fraction) - no_fraction == magnitude);
}

}  // namespace detail

/// x^y. Error < 1 ulp. All special cases as C's pow: pow(x, ±0) = pow(1, y) = 1 even for NaN, a negative x has powers
/// for integer y only, pow(−1, ±∞) = 1. A result too small is zero with the sign it would have had.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> pow(Pack<T, W> x, std::type_identity_t<Pack<T, W>> y) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const P base = abs(x);
  const P power = abs(y);
  const auto log_base = detail::log_double_word(base);
  const P log_high = select(base == T(0), P(-infinity), select(base < infinity, log_base.high, base));
  const P product = y * log_high;
  const P bounded = min(P(C::pow_saturates_above), max(P(-C::pow_saturates_above), product));  // NaN stays
  const P product_low = fma(y, log_base.low, fma(y, log_high, -product));
  const P magnitude = detail::exp_double_word<T, W>({bounded, select(bounded == product, product_low, P(T(0)))});

  const auto is_whole = detail::is_integer(power);
  const P odd_base = select(detail::is_integer(power * T(0.5)), P(T(0)), select(is_whole, x, P(T(0))));
  const P computed = bit_cast<T>(bit_cast<U>(magnitude) | sign_bit(odd_base));
  const auto is_defined = is_whole | (x == base) | (base == infinity);  // otherwise x is negative, or NaN
  const auto is_one = (x == T(1)) | (y == T(0)) | ((base == T(1)) & (power == infinity));
  return select(is_one, P(T(1)), select(is_defined, computed, P(std::numeric_limits<T>::quiet_NaN())));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
