// A standard normal number from 32 random bits, by the inverse of the distribution function in tables.
#pragma once

#include <cstdint>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/look_up.hpp"
#include "breakstep/lanes/math/normal.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {
namespace detail {

/// The sum over c of normal_of_octave[c][(e + 127) mod 16]·s^c is the t whose upper tail is 2^(e−32)·(3/2 + s), for
/// e = 15 … 30 and |s| ≤ 1/2. From tools/coefficients/normal_from_bits.sollya; errors 2^−22.0 (t = 4.2) to 2^−24.5.
inline constexpr Table16 normal_of_octave[] = {
    {0x1.f4baep1F, 0x1.dee15cp1F, 0x1.c81a78p1F, 0x1.b0465p1F, 0x1.973d58p1F, 0x1.7ccd7ap1F, 0x1.60b5d2p1F,
     0x1.429fdp1F, 0x1.2213b8p1F, 0x1.fcc812p0F, 0x1.ad0a62p0F, 0x1.516928p0F, 0x1.c6381p-1F, 0x1.46496p-2F,
     0x1.0f04ecp2F, 0x1.04e092p2F},
    {-0x1.49a6d8p-3F, -0x1.5715fcp-3F, -0x1.663f5ap-3F, -0x1.77888ep-3F, -0x1.8b7aacp-3F, -0x1.a2d3cep-3F,
     -0x1.bea444p-3F, -0x1.e08228p-3F, -0x1.057512p-2F, -0x1.21028cp-2F, -0x1.46b4b8p-2F, -0x1.7e5f8cp-2F,
     -0x1.db8e16p-2F, -0x1.518e8ap-1F, -0x1.32d46ep-3F, -0x1.3da4dap-3F},
    {0x1.9f2f9ap-5F, 0x1.ae18b6p-5F, 0x1.bea0c2p-5F, 0x1.d12bd6p-5F, 0x1.e5fe2p-5F, 0x1.fdb1b8p-5F, 0x1.0c72d4p-4F,
     0x1.1c31b2p-4F, 0x1.2e9a4cp-4F, 0x1.44413ap-4F, 0x1.5d69aep-4F, 0x1.786a28p-4F, 0x1.87e502p-4F, 0x1.1bb09ap-4F,
     0x1.856ac2p-5F, 0x1.91a066p-5F},
    {-0x1.681282p-6F, -0x1.745bdap-6F, -0x1.81ed96p-6F, -0x1.910114p-6F, -0x1.a1e406p-6F, -0x1.b4efc4p-6F,
     -0x1.ca9fbap-6F, -0x1.e38dbap-6F, -0x1.00434ap-5F, -0x1.1147bp-5F, -0x1.258988p-5F, -0x1.3e2e92p-5F,
     -0x1.6021d8p-5F, -0x1.d6d7f4p-5F, -0x1.52a49ap-6F, -0x1.5ce556p-6F},
    {0x1.5f5006p-7F, 0x1.6ac4c6p-7F, 0x1.781b3ep-7F, 0x1.84ee92p-7F, 0x1.9586fp-7F, 0x1.a6fee2p-7F, 0x1.ba7e7ep-7F,
     0x1.d1c858p-7F, 0x1.ed1b94p-7F, 0x1.0607ep-6F, 0x1.186f86p-6F, 0x1.2e1cbcp-6F, 0x1.476504p-6F, 0x1.35b808p-6F,
     0x1.49386ap-7F, 0x1.5649a4p-7F},
    {-0x1.6f17c8p-8F, -0x1.7ae75cp-8F, -0x1.87e78ep-8F, -0x1.968042p-8F, -0x1.a66dd8p-8F, -0x1.b88668p-8F,
     -0x1.ccce46p-8F, -0x1.e3ef2ap-8F, -0x1.fe5d4cp-8F, -0x1.0ebddp-7F, -0x1.20dca4p-7F, -0x1.36a0dap-7F,
     -0x1.50dc84p-7F, -0x1.8f291p-7F, -0x1.5a7c98p-8F, -0x1.63f50cp-8F},
    {0x1.e73462p-9F, 0x1.f813d8p-9F, 0x1.01fe5ap-8F, 0x1.117656p-8F, 0x1.18304p-8F, 0x1.25108ap-8F, 0x1.34e9e4p-8F,
     0x1.426824p-8F, 0x1.4ff354p-8F, 0x1.640516p-8F, 0x1.7a68eep-8F, 0x1.974204p-8F, 0x1.b76c4ep-8F, 0x1.c91cfep-8F,
     0x1.dc2608p-9F, 0x1.caa41p-9F},
    {-0x1.23df8ap-9F, -0x1.2d3134p-9F, -0x1.375b08p-9F, -0x1.417a54p-9F, -0x1.4e1dc6p-9F, -0x1.5b17b8p-9F,
     -0x1.6a4bdp-9F, -0x1.7b7fe8p-9F, -0x1.8ff6acp-9F, -0x1.a5fdaap-9F, -0x1.c141aap-9F, -0x1.dfba3ap-9F,
     -0x1.02c2eep-8F, -0x1.208bd8p-8F, -0x1.12cbc4p-9F, -0x1.1ccc22p-9F},
};

/// Beyond the tables, where one number in 60,000 is. A call, because its code is long.
template <int W>
[[gnu::noinline, gnu::cold]] Pack<float, W> normal_beyond_octaves(Pack<float, W> k) {
  return -normal_quantile(max(k, 0.5F) * Pack<float, W>(0x1p-32F));
}

}  // namespace detail

/// Standard normal: the highest bit is the sign, and the others, k, say that the tail beyond |x| has the probability
/// max(k, 1/2)/2³², so that |x| ≤ 6.4. Error < 2 ulp of max(|x|, 1).
template <int W>
BREAKSTEP_INLINE Pack<float, W> normal_from_bits(Pack<std::uint32_t, W> bits) {
  using P = Pack<float, W>;
  using Bits = Pack<std::uint32_t, W>;
  const P k = convert<float>(bit_cast<std::int32_t>(bits & Bits(0x7FFFFFFFU)));
  const Bits k_bits = bit_cast<std::uint32_t>(k);
  const Bits octave = k_bits >> 23;
  const P s = bit_cast<float>((k_bits & Bits(0x007FFFFFU)) | Bits(0x3F800000U)) - P(1.5F);
  const P s2 = s * s;
  // Even and odd powers apart: two chains of half the length.
  P even = look_up(detail::normal_of_octave[6], octave), odd = look_up(detail::normal_of_octave[7], octave);
#pragma GCC unroll 3
  for (int c = 4; c >= 0; c -= 2) {
    even = fma(even, s2, look_up(detail::normal_of_octave[c], octave));
    odd = fma(odd, s2, look_up(detail::normal_of_octave[c + 1], octave));
  }
  P t = fma(odd, s, even);
  // Below 2¹⁵, or rounded up to 2³¹; one comparison, because what is below wraps round.
  constexpr std::uint32_t first = 0x47000000U, end = 0x4F000000U;
  const Mask<W> is_in = where_less(k_bits - Bits(first), Bits(end - first));
  if (!is_in.all()) [[unlikely]] {
    t = select(is_in, t, detail::normal_beyond_octaves(k));
  }
  return bit_cast<float>(bit_cast<std::uint32_t>(t) ^ (bits & Bits(0x80000000U)));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
