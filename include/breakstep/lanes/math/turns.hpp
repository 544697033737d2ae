// Sine and cosine of an angle given in turns: no multiple of π to subtract, hence exact reduction and no range limit to
// check.
#pragma once

#include <cstdint>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

template <class Real, int W>
struct SineAndCosine {
  Pack<Real, W> sine;
  Pack<Real, W> cosine;
};

namespace detail {

/// sin(f·π/2) and cos(f·π/2) for |f| ≤ 1/2; coefficients from tools/coefficients/turns.sollya.
template <int W>
BREAKSTEP_INLINE SineAndCosine<float, W> quarter_turn(Pack<float, W> f) {
  using P = Pack<float, W>;
  const P z = f * f;
  P s = fma(z, -0x1.2f5992p-8F, 0x1.466b2p-4F);
  s = fma(s, z, -0x1.4abbecp-1F);
  s = fma(s, z, 0x1.921fb6p0F);
  P c = fma(z, 0x1.d684aap-11F, -0x1.55b7cep-6F);
  c = fma(c, z, 0x1.03c1b8p-2F);
  c = fma(c, z, -0x1.3bd3ccp0F);
  return {s * f, fma(c, z, 1.0F)};
}
template <int W>
BREAKSTEP_INLINE SineAndCosine<double, W> quarter_turn(Pack<double, W> f) {
  using P = Pack<double, W>;
  const P z = f * f;
  P s = fma(z, 0x1.e357ef99eb0bbp-25, -0x1.e2fe76fdffd2bp-19);
  s = fma(s, z, 0x1.50782d5f14825p-13);
  s = fma(s, z, -0x1.32d2ccdfe9424p-8);
  s = fma(s, z, 0x1.466bc67754fffp-4);
  s = fma(s, z, -0x1.4abbce625be09p-1);
  s = fma(s, z, 0x1.921fb54442d18p0);
  P c = fma(z, -0x1.b167302e37198p-28, 0x1.f9c89ca1d5187p-22);
  c = fma(c, z, -0x1.a6d1e7294bffap-16);
  c = fma(c, z, 0x1.e1f5067b90b37p-11);
  c = fma(c, z, -0x1.55d3c7e3c325bp-6);
  c = fma(c, z, 0x1.03c1f081b5a67p-2);
  c = fma(c, z, -0x1.3bd3cc9be45dep0);
  return {s * f, fma(c, z, 1.0)};
}

}  // namespace detail

/// sin(2πu) and cos(2πu) for |u| ≤ 2¹⁹ (float) or 2⁴⁸ (double), error ≤ 2 ulp; NaN for NaN, wrong beyond the range.
template <class Real, int W>
BREAKSTEP_INLINE SineAndCosine<Real, W> sincos_turns(Pack<Real, W> u) {
  using U = Unsigned<sizeof(Real)>;
  // Adding 1.5·2²³ (1.5·2⁵²) rounds to an integer, and leaves that integer in the low bits of the sum.
  constexpr Real shifter = sizeof(Real) == 4 ? Real(0x1.8p23) : Real(0x1.8p52);
  const Pack<Real, W> quarters = u * Pack<Real, W>(Real(4));
  const Pack<Real, W> shifted = quarters + Pack<Real, W>(shifter);
  const auto [s, c] = detail::quarter_turn(quarters - (shifted - Pack<Real, W>(shifter)));
  const auto quadrant = bit_cast<U>(shifted);
  const auto odd = (quadrant & Pack<U, W>(U(1))) == Pack<U, W>(U(1));
  constexpr int to_sign = 8 * static_cast<int>(sizeof(Real)) - 2;
  const auto sine_sign = (quadrant & Pack<U, W>(U(2))) << to_sign;
  const auto cosine_sign = ((quadrant + Pack<U, W>(U(1))) & Pack<U, W>(U(2))) << to_sign;
  return {bit_cast<Real>(bit_cast<U>(select(odd, c, s)) ^ sine_sign),
          bit_cast<Real>(bit_cast<U>(select(odd, s, c)) ^ cosine_sign)};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
