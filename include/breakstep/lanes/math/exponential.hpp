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
};

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

/// e^x. Error < 1.1 ulp. exp(±0) = 1, exp(−∞) = 0, exp(+∞) = +∞; above log of the greatest number +∞, below that of the
/// smallest normal number +0.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> exp(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  const auto reduced = detail::reduce_exponent(x);
  const Pack<T, W> mantissa = detail::expm1_of_remainder(reduced.remainder) + T(1);
  // Added to the exponent's bits rather than multiplied: 2^n itself would overflow before the result does.
  const Pack<T, W> scaled = bit_cast<T>(bit_cast<U>(mantissa) + (reduced.exponent_bits << C::mantissa_bits));
  const Pack<T, W> not_above = select(x <= C::exp_overflows_above, scaled, x + std::numeric_limits<T>::infinity());
  return select(x < C::exp_underflows_below, Pack<T, W>(T(0)), not_above);
}

namespace detail {

/// A positive normal x as 2^exponent·(1 + fraction) with sqrt(1/2) ≤ 1 + fraction < sqrt(2); the fraction is exact.
template <class T, int W>
struct SplitNumber {
  Pack<T, W> exponent;
  Pack<T, W> fraction;
};
template <class T, int W>
BREAKSTEP_INLINE SplitNumber<T, W> split_number(Pack<T, W> x) {
  using C = Exponential<T>;
  using U = Unsigned<sizeof(T)>;
  if constexpr (std::is_same_v<T, float>) {
    const Pack<std::int32_t, W> bits = bit_cast<std::int32_t>(x);
    const Pack<std::int32_t, W> above = bits - static_cast<std::int32_t>(C::half_root);
    const Pack<float, W> mantissa = bit_cast<float>(bits - (above & -(1 << C::mantissa_bits)));
    return {convert<float>(above >> C::mantissa_bits), mantissa - 1.0F};
  } else {  // AVX2 can neither shift 64-bit integers with their sign nor convert them: use the last bits of 2^52
    const Pack<U, W> bits = bit_cast<U>(x) + (C::one - C::half_root);
    const Pack<U, W> mantissa = (bits & ((U(1) << C::mantissa_bits) - 1)) + C::half_root;
    const Pack<U, W> exponent = (bits >> C::mantissa_bits) | U(0x4330000000000000);
    return {bit_cast<double>(exponent) - (0x1p52 + 1023), bit_cast<double>(mantissa) - 1.0};
  }
}

/// exponent·ln 2 + log(1 + f) for an integer exponent and sqrt(1/2) ≤ 1 + f ≤ sqrt(2).
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> log_of_split(Pack<T, W> exponent, Pack<T, W> f) {
  using C = Exponential<T>;
  const Pack<T, W> square = f * f;
  const Pack<T, W> small = exponent * C::ln2_low;
  Pack<T, W> rest;  // log(1 + f) − f, and the low part of exponent·ln 2
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

/// Natural logarithm. Error < 1 ulp. log(1) = +0, log(±0) = −∞, log(+∞) = +∞, NaN below zero.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> log(Pack<T, W> x) {
  const auto split = detail::split_number(x);
  return detail::log_of_special(x, detail::log_of_split(split.exponent, split.fraction));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
