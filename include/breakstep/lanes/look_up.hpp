// look_up: a table of sixteen numbers, read by every lane at a place of its own.
#pragma once

#include <cstdint>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

struct alignas(64) Table16 {
  float numbers[16];
};

/// table.numbers[index mod 16] in every lane; one instruction for a register of AVX-512, three with AVX2.
template <int W>
BREAKSTEP_INLINE Pack<float, W> look_up(const Table16& table, Pack<std::uint32_t, W> index) {
  using P = Pack<float, W>;
  using Part = typename P::Part;
  return P::map(
      [&table](auto where) -> Part {
        if constexpr (P::part_width == 1) {
          return table.numbers[where & 15U];
        } else if constexpr (sizeof(Part) == 16) {
          const __m128i place = _mm_and_si128((__m128i)where, _mm_set1_epi32(15));
          return (Part)_mm_i32gather_ps(table.numbers, place, sizeof(float));
        } else if constexpr (sizeof(Part) == 32) {
          // A permutation looks at the lowest three bits; the fourth, as a sign, chooses between two of them.
          const __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(table.numbers), (__m256i)where);
          const __m256 high = _mm256_permutevar8x32_ps(_mm256_load_ps(table.numbers + 8), (__m256i)where);
          return (Part)_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32((__m256i)where, 28)));
        } else {
#if BREAKSTEP_ISA_AVX512
          return (Part)_mm512_maskz_permutexvar_ps(0xFFFF, (__m512i)where, _mm512_load_ps(table.numbers));
#endif
        }
      },
      index);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
