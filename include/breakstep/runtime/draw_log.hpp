// DrawLog: draws of one coordinate kept in lanes for some laps, so that each chain's are written in one piece.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "breakstep/lanes/mask.hpp"
#include "breakstep/lanes/pack.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Each row has the positions of all lanes and which of them are draws. Writing turns a square of rows and lanes round
/// and moves what is a draw together, by an instruction that only AVX-512 has: a fifth of the work of writing draw by
/// draw, and a fifth as many changes from one chain's page of memory to another's.
template <class Real, int W>
class DrawLog {
 public:
  using U = lanes::Unsigned<sizeof(Real)>;
  static constexpr int rows = lanes::native_width<Real>;
  static constexpr bool is_possible = BREAKSTEP_ISA_AVX512 && W % rows == 0;

  [[nodiscard]] bool is_full() const { return used_ == rows; }
  [[nodiscard]] bool is_empty() const { return used_ == 0; }

  BREAKSTEP_INLINE void add(lanes::Mask<W> where, const lanes::Pack<Real, W>& position) {
    position.store(positions_[used_]);
    is_draw_[used_++] = static_cast<U>(where.bits());
  }

  /// Writes lane i's draws at data + slot[i] onwards and forgets them.
  __attribute__((noinline)) void write([[maybe_unused]] Real* data, [[maybe_unused]] const lanes::Pack<U, W>& slot) {
#if BREAKSTEP_ISA_AVX512
    using Register = lanes::Pack<Real, rows>;
    for (int first = 0; first < W; first += rows) {
      Register of_lane[rows];
#pragma GCC unroll 16
      for (int row = 0; row < rows; ++row) of_lane[row] = Register::load(positions_[row] + first);
      lanes::detail::transpose_square<rows / 2>(of_lane);
#pragma GCC unroll 16
      for (int k = 0; k < rows; ++k) {
        const int lane = first + k;
        Real* const to = data + static_cast<std::size_t>(slot[lane]);
        const unsigned here = draws_of(lane);
        const auto count = static_cast<unsigned>(std::popcount(here));
        store_some(to, here, (1U << count) - 1U, of_lane[k].part[0]);
        // Where the next log will end: by then it is in the nearest cache.
        __builtin_prefetch(to + count + rows - 1, 1);
      }
    }
#endif
    lanes::Pack<U, rows>(U(0)).store(is_draw_);
    used_ = 0;
  }

 private:
#if BREAKSTEP_ISA_AVX512
  /// The rows that are draws of a lane.
  [[nodiscard]] BREAKSTEP_INLINE unsigned draws_of(int lane) const {
    const __m512i rows_of_lanes = _mm512_load_si512(is_draw_);
    if constexpr (sizeof(Real) == 4) {
      return _mm512_test_epi32_mask(rows_of_lanes, _mm512_set1_epi32(static_cast<int>(1U << lane)));
    } else {
      return _mm512_test_epi64_mask(rows_of_lanes, _mm512_set1_epi64(std::int64_t{1} << lane));
    }
  }

  /// Writes the numbers of `which`, closed up, to the places of `places`.
  static BREAKSTEP_INLINE void store_some(float* to, unsigned which, unsigned places, __m512 numbers) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(places),
                          _mm512_maskz_compress_ps(static_cast<__mmask16>(which), numbers));
  }
  static BREAKSTEP_INLINE void store_some(double* to, unsigned which, unsigned places, __m512d numbers) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(places),
                          _mm512_maskz_compress_pd(static_cast<__mmask8>(which), numbers));
  }
#endif

  int used_ = 0;
  alignas(lanes::native_bytes) U is_draw_[rows] = {};
  alignas(lanes::native_bytes) Real positions_[rows][W];  ///< rows that are not used may hold anything
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
