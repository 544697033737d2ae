// Sine and cosine of packs, for every finite angle in radians.
//
// Errors are in units in the last place of the result, measured against MPFR by test/lanes/math_accuracy_test.cpp. All
// functions are stated for FlushToZero: a subnormal argument counts as zero of its sign. A lane's result depends on
// nothing but that lane. Coefficients: tools/coefficients/trigonometric.sollya.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

/// The constants that differ between float and double.
template <class T>
struct Trigonometric;

template <>
struct Trigonometric<float> {
  static constexpr float round_to_integer =
      0x1.8p23F;  // x + this − this is x rounded; the sum's last bits are the integer
  static constexpr float greatest_fast = 0x1p17F;
  static constexpr float two_over_pi = 0x1.45f306p-1F;
  static constexpr float half_pi[] = {0x1.921fb4p0F, 0x1.4442d2p-24F, -0x1.ee59dap-50F};  // to be added up
  // sin(r) = r − r·z·s(z) with z = r² for |r| ≤ π/4, error 2^−27; cos(r) = 1 + z·(z·c(z) − 1/2), error 2^−32.
  static constexpr float sin_s[] = {0x1.555544p-3F, -0x1.1106dp-7F, 0x1.99214ap-13F};
  static constexpr float cos_c[] = {0x1.55554ap-5F, -0x1.6c0c1ap-10F, 0x1.99e146p-16F};
};

template <>
struct Trigonometric<double> {
  static constexpr double round_to_integer = 0x1.8p52;
  static constexpr double greatest_fast = 0x1p30;
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double half_pi[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  // As for float, errors 2^−57 and 2^−63.
  static constexpr double sin_s[] = {0x1.5555555555547p-3,   -0x1.111111110f5a6p-7, 0x1.a01a019bb7a1bp-13,
                                     -0x1.71de3529d568ep-19, 0x1.ae5e2935bc1a9p-26, -0x1.5d8146e2454d9p-33};
  static constexpr double cos_c[] = {0x1.555555555554ap-5,   -0x1.6c16c16c14ddbp-10, 0x1.a01a019c561c2p-16,
                                     -0x1.27e4f7c77078cp-22, 0x1.1ee9be9795635p-29,  -0x1.8f971c87708bap-37};
};

/// 2/π in words of 64 bits after one of zeros, so that every exponent finds its bits at a position that is not
/// negative.
inline constexpr std::uint64_t two_over_pi_words[] = {
    0U,
    11743562013128004905U,
    18169587780923219392U,
    15808362127397457985U,
    18325537948574664033U,
    13196794004601950944U,
    452944820249399836U,
    18311050168422213438U,
    16754012890938950788U,
    16833452818741296705U,
    4148332274289687028U,
    11278244420634880059U,
    2303758334597371919U,
    17235013589178936607U,
    7869616827067468215U,
    5712322887342352941U,
    8441921394348257659U,
    4397547296490951402U,
    7780917995555872008U,
    6197850593633725355U,
};

/// x = quadrant·π/2 + remainder + low, the quadrant counted modulo 4.
struct ReducedAngle {
  std::uint32_t quadrant;
  double remainder;
  double low;
};

/// For one |x| ≥ 2^17: Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18 (1983).
/// x·2/π is formed modulo 4 from just those 192 bits of 2/π that matter for the exponent of x.
__attribute__((noinline, cold)) inline ReducedAngle reduce_large_angle(double x) {
  __extension__ using Wide = unsigned __int128;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  if (exponent == 0x7FF) return {0, std::numeric_limits<double>::quiet_NaN(), 0};
  const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;

  // With x = mantissa·2^(exponent − 1075), bits of 2/π in front of `first` only add multiples of 4.
  const int first = exponent - 1075 - 2 + 64;
  const auto word = [first](int i) {
    const std::uint64_t* at = two_over_pi_words + first / 64 + i;
    const int shift = first % 64;
    return shift == 0 ? at[0] : (at[0] << shift) | (at[1] >> (64 - shift));
  };
  const Wide low_product = Wide{mantissa} * word(2);
  const Wide middle_product = Wide{mantissa} * word(1) + (low_product >> 64);
  const std::uint64_t top = mantissa * word(0) + static_cast<std::uint64_t>(middle_product >> 64);
  auto middle = static_cast<std::uint64_t>(middle_product);
  auto low = static_cast<std::uint64_t>(low_product);

  // Two bits of whole quadrants, then a fraction; above one half it counts down from the next quadrant.
  std::uint64_t high = (top << 2) | (middle >> 62);
  middle = (middle << 2) | (low >> 62);
  low <<= 2;
  const std::uint64_t is_past_half = high >> 63;
  auto quadrant = static_cast<std::uint32_t>((top >> 62) + is_past_half);
  const std::uint64_t flip = 0 - is_past_half;
  high ^= flip;
  middle ^= flip;
  low ^= flip;

  // No double is so close to a multiple of π/2 that all of `high` is zero: the nearest leaves two bits of it.
  const int zeros = std::countl_zero(high);
  high = (high << zeros) | (middle >> (64 - zeros));
  middle = (middle << zeros) | (low >> (64 - zeros));
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + 11 - 64 - zeros) << 52);
  const double fraction = static_cast<double>(static_cast<std::int64_t>(high >> 11)) * scale;
  const std::uint64_t next = (high << 53) | (middle >> 11);
  const double fraction_low = static_cast<double>(static_cast<std::int64_t>(next >> 1)) * (scale * 0x1p-63);

  const double* half_pi = Trigonometric<double>::half_pi;
  const double product = fraction * half_pi[0];
  const double product_low =
      __builtin_fma(fraction, half_pi[0], -product) + __builtin_fma(fraction, half_pi[1], fraction_low * half_pi[0]);
  const double remainder = product + product_low;
  const double remainder_low = product_low - (remainder - product);
  const bool is_positive = (is_past_half != 0) == std::signbit(x);
  if (std::signbit(x)) quadrant = 0 - quadrant;
  return is_positive ? ReducedAngle{quadrant, remainder, remainder_low}
                     : ReducedAngle{quadrant, -remainder, -remainder_low};
}

/// x = quadrant·π/2 + remainder − excess with |remainder| ≤ π/4; only the last two bits of the quadrant are meaningful.
template <class T, int W>
struct ReducedAngles {
  Pack<Unsigned<sizeof(T)>, W> quadrant;
  Pack<T, W> remainder;
  Pack<T, W> excess;
};

/// Replaces the lanes of `where` by reduce_large_angle. Through arrays, so that the packs themselves stay in registers.
template <class T, int W>
BREAKSTEP_INLINE void reduce_large_lanes(ReducedAngles<T, W>& angles, Pack<T, W> x, Truth<sizeof(T), W> where) {
  using U = Unsigned<sizeof(T)>;
  T angle[W];
  U quadrant[W];
  T remainder[W];
  T excess[W];
  const ReducedAngles<T, W> fast = angles;  // a copy may have an address without moving the original to memory
  x.store(angle);
  fast.quadrant.store(quadrant);
  fast.remainder.store(remainder);
  fast.excess.store(excess);
  for_each_lane(where.mask(), [&](int lane) {
    const ReducedAngle reduced = reduce_large_angle(static_cast<double>(angle[lane]));
    quadrant[lane] = reduced.quadrant;
    remainder[lane] = static_cast<T>(reduced.remainder);
    excess[lane] = static_cast<T>((static_cast<double>(remainder[lane]) - reduced.remainder) - reduced.low);
  });
  angles.quadrant = Pack<U, W>::load(quadrant);
  angles.remainder = Pack<T, W>::load(remainder);
  angles.excess = Pack<T, W>::load(excess);
}

template <class T, int W>
BREAKSTEP_INLINE ReducedAngles<T, W> reduce_angle(Pack<T, W> x) {
  using C = Trigonometric<T>;
  // Not const: g++ 12 keeps constant aggregates in memory across a branch, and there is one below.
  Pack<T, W> shifted = fma(x, C::two_over_pi, C::round_to_integer);
  Pack<T, W> n = shifted - C::round_to_integer;
  // `exact` has no rounding error, and since it is a multiple of the last place of `product`, `rounding` has none
  // either. With half_pi[1] > 0, product and excess are +0 for x = ±0, so that subtracting them keeps the sign of zero.
  Pack<T, W> exact = fma(n, -C::half_pi[0], x);
  Pack<T, W> product = n * C::half_pi[1];
  Pack<T, W> product_low = fma(n, C::half_pi[1], -product);
  Pack<T, W> remainder = exact - product;
  Pack<T, W> rounding = product - (exact - remainder);
  Pack<T, W> excess = rounding + fma(n, C::half_pi[2], product_low);
  ReducedAngles<T, W> angles = {bit_cast<Unsigned<sizeof(T)>>(shifted), remainder, excess};
  Truth<sizeof(T), W> is_large = abs(x) > C::greatest_fast;
  if (is_large.any()) [[unlikely]]
    reduce_large_lanes(angles, x, is_large);
  return angles;
}

}  // namespace detail

template <class T, int W>
struct SinCos {
  Pack<T, W> sin;
  Pack<T, W> cos;
};

/// Sine and cosine of x radians, the same bits as sin(x) and cos(x). Errors < 1 ulp for every finite x; NaN for ±∞.
/// sin(±0) = ±0. Lanes beyond 2^17 (float) or 2^30 (double) cost about 20 ns each.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE SinCos<T, W> sincos(Pack<T, W> x) {
  using C = detail::Trigonometric<T>;
  using U = Unsigned<sizeof(T)>;
  using P = Pack<T, W>;
  auto [quadrant, r, excess] = detail::reduce_angle(x);
  P z = fma(r, r, (r * T(-2)) * excess);
  P sine = r - fma(r * z, horner(z, C::sin_s), excess);
  P cosine = fma(z, fma(z, horner(z, C::cos_c), T(-0.5)), T(1));
  auto is_even = (quadrant & U(1)) == U(0);
  constexpr int to_sign = 8 * sizeof(T) - 2;
  Pack<U, W> sin_sign = (quadrant & U(2)) << to_sign;
  Pack<U, W> cos_sign = ((quadrant + U(1)) & U(2)) << to_sign;
  return {bit_cast<T>(bit_cast<U>(select(is_even, sine, cosine)) ^ sin_sign),
          bit_cast<T>(bit_cast<U>(select(is_even, cosine, sine)) ^ cos_sign)};
}

/// Sine of x radians; see sincos.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> sin(Pack<T, W> x) { return sincos(x).sin; }

/// Cosine of x radians; see sincos.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> cos(Pack<T, W> x) { return sincos(x).cos; }

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
