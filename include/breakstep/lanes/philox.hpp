// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): random words as a pure function of a key and a counter.
#pragma once

#include <cstdint>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Four 32-bit words per lane. U is as wide as the real type they will become: uint32_t for float, uint64_t for double
/// (a word then fills the low half and the high half is zero), so that no lane ever changes its register position.
template <class U, int W>
struct Words {
  Pack<U, W> word[4];
};

namespace detail {

/// The full product of a 32-bit constant with the word in each lane, split in halves.
///
/// 64-bit lanes: bits above 31 of `a` are ignored by the multiplier and bits above 31 of `low` are left as they fall;
/// what is built on them by xor is ignored by the next multiplication again.
template <class U, int W>
BREAKSTEP_INLINE void multiply_words(std::uint32_t constant, const Pack<U, W>& a, Pack<U, W>& high, Pack<U, W>& low) {
  using P = Pack<U, W>;
  using Part = typename P::Part;
  for (int p = 0; p < P::parts; ++p) {
    const Part x = a.part[p];
    if constexpr (P::part_width == 1) {
      const std::uint64_t product = static_cast<std::uint64_t>(constant) * static_cast<std::uint32_t>(x);
      high.part[p] = static_cast<U>(product >> 32);
      low.part[p] = static_cast<U>(static_cast<std::uint32_t>(product));
    } else if constexpr (sizeof(U) == 8) {
      Part product;
      if constexpr (sizeof(Part) == 16) {
        product = (Part)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x(constant));
      } else if constexpr (sizeof(Part) == 32) {
        product = (Part)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x(constant));
      } else {
#if BREAKSTEP_ISA_AVX512
        product = (Part)_mm512_maskz_mul_epu32(0xFF, (__m512i)x, _mm512_set1_epi64(constant));
#endif
      }
      high.part[p] = product >> 32;
      low.part[p] = product;
    } else if constexpr (sizeof(Part) == 16) {
      const __m128i c = _mm_set1_epi32(static_cast<int>(constant));
      const __m128i even = _mm_mul_epu32((__m128i)x, c);
      const __m128i odd = _mm_mul_epu32(_mm_srli_epi64((__m128i)x, 32), c);
      high.part[p] = (Part)_mm_blend_epi32(_mm_srli_epi64(even, 32), odd, 0b1010);
      low.part[p] = (Part)_mm_blend_epi32(even, _mm_slli_epi64(odd, 32), 0b1010);
    } else if constexpr (sizeof(Part) == 32) {
      const __m256i c = _mm256_set1_epi32(static_cast<int>(constant));
      const __m256i even = _mm256_mul_epu32((__m256i)x, c);
      const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)x, 32), c);
      high.part[p] = (Part)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0b10101010);
      low.part[p] = (Part)_mm256_mullo_epi32((__m256i)x, c);
    } else {
#if BREAKSTEP_ISA_AVX512
      // Full masks instead of the plain intrinsics for the reason given at sqrt in pack.hpp. A masked shuffle moves and
      // merges at once.
      const __m512i c = _mm512_set1_epi32(static_cast<int>(constant));
      const __m512i even = _mm512_maskz_mul_epu32(0xFF, (__m512i)x, c);
      const __m512i odd = _mm512_maskz_mul_epu32(0xFF, _mm512_maskz_srli_epi64(0xFF, (__m512i)x, 32), c);
      high.part[p] = (Part)_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
      low.part[p] = (Part)_mm512_mask_shuffle_epi32(even, 0xAAAA, odd, _MM_PERM_CCAA);
#endif
    }
  }
}

}  // namespace detail

/// Philox4x32-10 of a 64-bit key and four counter words per lane. In 64-bit lanes the counter's high halves are
/// ignored. Other numbers of rounds exist only so that tests can show that they notice a weak generator.
template <class U, int W, int Rounds = 10>
BREAKSTEP_INLINE Words<U, W> philox(std::uint64_t key, Words<U, W> counter) {
  using P = Pack<U, W>;
  using Part = typename P::Part;
  // The key's high halves in 64-bit lanes take part in nothing that is kept.
  Part key0 = Part{} + static_cast<U>(static_cast<std::uint32_t>(key));
  Part key1 = Part{} + static_cast<U>(key >> 32);
  Part step0 = Part{} + static_cast<U>(0x9E3779B9U), step1 = Part{} + static_cast<U>(0xBB67AE85U);
  // Left alone, the compiler adds in scalar registers and moves every round's key into lanes: 3 % of a cheap draw.
  if constexpr (P::part_width > 1) asm("" : "+v"(step0), "+v"(step1));
  P x0 = counter.word[0], x1 = counter.word[1], x2 = counter.word[2], x3 = counter.word[3];
#pragma GCC unroll 10
  for (int round = 0; round < Rounds; ++round) {
    P high0, low0, high1, low1;
    detail::multiply_words(0xD2511F53U, x0, high0, low0);
    detail::multiply_words(0xCD9E8D57U, x2, high1, low1);
    for (int p = 0; p < P::parts; ++p) {
      x0.part[p] = high1.part[p] ^ (x1.part[p] ^ key0);  // the products are late: what waits for them must be short
      x2.part[p] = high0.part[p] ^ (x3.part[p] ^ key1);
    }
    x1 = low1;
    x3 = low0;
    key0 += step0;
    key1 += step1;
  }
  if constexpr (sizeof(U) == 8) {
    const P low_half(0xFFFFFFFFU);
    return {x0 & low_half, x1 & low_half, x2 & low_half, x3 & low_half};
  } else {
    return {x0, x1, x2, x3};
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
