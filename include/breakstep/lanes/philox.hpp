// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): random words as a pure function of a key and a counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Four 32-bit words per lane. U is as wide as the real type they will become: uint32_t for float, uint64_t for double
/// (a word then fills the low half and the high half is zero), so that no lane ever changes its register position.
template <class U, int W>
struct Words {
  Pack<U, W> word[4];
};

namespace detail {

/// A word of 32 bits in each 64-bit lane of a register, or a single one. What the lanes' high halves hold is ignored.
template <class Part>
using WideLanes =
    std::conditional_t<std::is_integral_v<Part>, std::uint64_t,
                       typename Register<std::uint64_t, std::max<int>(2, sizeof(Part) / sizeof(std::uint64_t))>::type>;

/// The product of the low halves with a 32-bit constant.
template <class Wide>
BREAKSTEP_INLINE Wide multiply_low_halves(const Wide& a, std::uint32_t constant) {
  if constexpr (sizeof(Wide) == 8) {
    return std::uint64_t{constant} * static_cast<std::uint32_t>(a);
  } else if constexpr (sizeof(Wide) == 16) {
    return (Wide)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(constant));
  } else if constexpr (sizeof(Wide) == 32) {
    return (Wide)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(constant));
  } else {
#if BREAKSTEP_ISA_AVX512
    // A full mask instead of the plain intrinsic for the reason given at sqrt in pack.hpp.
    return (Wide)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, _mm512_set1_epi64(constant));
#endif
  }
}

/// Of the three, `late` is known last.
template <class Wide>
BREAKSTEP_INLINE Wide exclusive_or(const Wide& late, const Wide& a, const Wide& b) {
#if BREAKSTEP_ISA_AVX512
  // In one instruction that overwrites `late`: g++ would find it, but overwrite what is still needed.
  if constexpr (sizeof(Wide) == 64) {
    return (Wide)_mm512_ternarylogic_epi64((__m512i)late, (__m512i)a, (__m512i)b, 0x96);
  }
#endif
  return late ^ (a ^ b);
}

/// The low halves of `even` and `odd` in turns.
template <class Wide>
BREAKSTEP_INLINE Wide interleave_low_halves(const Wide& even, const Wide& odd) {
  if constexpr (sizeof(Wide) == 16) {
    return (Wide)_mm_blend_epi32((__m128i)even, _mm_slli_epi64((__m128i)odd, 32), 0b1010);
  } else if constexpr (sizeof(Wide) == 32) {
    return (Wide)_mm256_blend_epi32((__m256i)even, _mm256_slli_epi64((__m256i)odd, 32), 0b10101010);
  } else {
#if BREAKSTEP_ISA_AVX512
    return (Wide)_mm512_mask_shuffle_epi32((__m512i)even, 0xAAAA, (__m512i)odd, _MM_PERM_CCAA);
#endif
  }
}

}  // namespace detail

/// Philox4x32-10 of a 64-bit key and four counter words per lane. In 64-bit lanes the counter's high halves are
/// ignored. Other numbers of rounds exist only so that tests can show that they notice a weak generator.
template <class U, int W, int Rounds = 10>
BREAKSTEP_INLINE Words<U, W> philox(std::uint64_t key, Words<U, W> counter) {
  using P = Pack<U, W>;
  using Wide = detail::WideLanes<typename P::Part>;
  // Multiplication takes every other word of a register of 32-bit lanes; it is cheapest to keep these and the others
  // apart until the end.
  constexpr bool has_halves = sizeof(U) == 4 && P::part_width > 1;
  constexpr int count = P::parts * (has_halves ? 2 : 1);
  Wide x[4][count];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 16
    for (int p = 0; p < P::parts; ++p) {
      if constexpr (has_halves) {
        x[i][2 * p] = (Wide)counter.word[i].part[p];
        x[i][2 * p + 1] = (Wide)counter.word[i].part[p] >> 32;
      } else {
        x[i][p] = (Wide)counter.word[i].part[p];
      }
    }
  }
  Wide key0 = Wide{} + static_cast<std::uint32_t>(key), key1 = Wide{} + (key >> 32);
  Wide step0 = Wide{} + 0x9E3779B9U, step1 = Wide{} + 0xBB67AE85U;
  // Left alone, the compiler adds in scalar registers and moves every round's key into lanes: 3 % of a cheap draw.
  if constexpr (sizeof(Wide) > 8) asm("" : "+v"(step0), "+v"(step1));
#pragma GCC unroll 10
  for (int round = 0; round < Rounds; ++round) {
#pragma GCC unroll 16
    for (int p = 0; p < count; ++p) {
      const Wide product0 = detail::multiply_low_halves(x[0][p], 0xD2511F53U);
      const Wide product1 = detail::multiply_low_halves(x[2][p], 0xCD9E8D57U);
      x[0][p] = detail::exclusive_or<Wide>(product1 >> 32, x[1][p], key0);
      x[2][p] = detail::exclusive_or<Wide>(product0 >> 32, x[3][p], key1);
      x[1][p] = product1;
      x[3][p] = product0;
    }
    key0 += step0;
    key1 += step1;
  }
  Words<U, W> words;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 16
    for (int p = 0; p < P::parts; ++p) {
      using Part = typename P::Part;
      if constexpr (has_halves) {
        words.word[i].part[p] = (Part)detail::interleave_low_halves(x[i][2 * p], x[i][2 * p + 1]);
      } else {
        words.word[i].part[p] = static_cast<Part>(x[i][p] & (Wide{} + 0xFFFFFFFFU));
      }
    }
  }
  return words;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
