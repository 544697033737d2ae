// Matrix: one dense matrix shared by all chains, and its product with their vectors.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// A dense matrix, zero at first. A register's rows lie together, column by column: a product then reads memory in
/// order.
template <class T>
class Matrix {
 public:
  static constexpr int slice_rows = native_width<T>;

  Matrix(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        slice_size_(static_cast<std::ptrdiff_t>(slice_rows) * columns),
        data_(aligned_zeros<T>(static_cast<std::size_t>((rows + slice_rows - 1) / slice_rows * slice_size_))) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] T operator()(int row, int column) const { return data_[offset(row, column)]; }
  [[nodiscard]] T& operator()(int row, int column) { return data_[offset(row, column)]; }
  /// Rows from n·slice_rows on: slice_rows elements of each column, zeros beyond the last row.
  [[nodiscard]] const T* slice(int n) const { return data_.get() + n * slice_size_; }

  [[nodiscard]] Matrix transposed() const {
    Matrix t(columns_, rows_);
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < rows_; ++i) t(j, i) = (*this)(i, j);
    }
    return t;
  }

 private:
  [[nodiscard]] std::size_t offset(int row, int column) const {
    return static_cast<std::size_t>(row / slice_rows * slice_size_ + column * slice_rows + row % slice_rows);
  }

  int rows_;
  int columns_;
  std::ptrdiff_t slice_size_;
  AlignedArray<T> data_;
};

namespace detail {

/// Rows [first, first + Tile) of A·x for W interleaved chains.
template <int Tile, class T, int W>
BREAKSTEP_INLINE void multiply_rows(Truth<sizeof(T), W> chosen, const Vector<T, W, Storage::interleaved>& y,
                                    const Matrix<T>& a, const Vector<T, W, Storage::interleaved>& x, int first) {
  Pack<T, W> sums[Tile];
  for (auto& sum : sums) sum = Pack<T, W>(T(0));
  constexpr int N = Matrix<T>::slice_rows;
  const T* row[Tile];
  for (int r = 0; r < Tile; ++r) row[r] = a.slice((first + r) / N) + (first + r) % N;
  for (int j = 0; j < a.columns(); ++j) {
    const Pack<T, W> xj = x[j];
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) * N;
#pragma GCC unroll 16
    for (int r = 0; r < Tile; ++r) sums[r] = fma(Pack<T, W>(row[r][at]), xj, sums[r]);
  }
  for (int r = 0; r < Tile; ++r) y.store(first + r, merge(chosen, sums[r], y[first + r]));
}

#if BREAKSTEP_ISA_AVX512

/// Up to four last rows of A·x, which would leave most of a register empty, with those of three more chains beside
/// them.
template <int Chains>
class LastRows {
 public:
  static constexpr int columns_at_once = 4;

  LastRows(const Matrix<float>& a, int first) : rows_(a.slice(first / native_width<float>)) {
    for (auto& sum : sums_) sum = _mm512_setzero_ps();
  }

  /// Takes coordinates j to j + 3 of each chain.
  BREAKSTEP_INLINE void load(const float* const* x, std::ptrdiff_t j) {
    const auto of = [x, j](int c) BREAKSTEP_INLINE_LAMBDA { return _mm_loadu_ps(x[c < Chains ? c : Chains - 1] + j); };
#pragma GCC unroll 2
    for (int q = 0; q < quads; ++q) {
      coordinates_[q] = _mm512_castps128_ps512(of(4 * q));
      coordinates_[q] = _mm512_insertf32x4(coordinates_[q], of(4 * q + 1), 1);
      coordinates_[q] = _mm512_insertf32x4(coordinates_[q], of(4 * q + 2), 2);
      coordinates_[q] = _mm512_insertf32x4(coordinates_[q], of(4 * q + 3), 3);
    }
  }
  /// Adds what column j contributes, the one of number K among those loaded.
  template <int K>
  BREAKSTEP_INLINE void add(std::ptrdiff_t j) {
    const __m512 column = _mm512_maskz_broadcast_f32x4(all, _mm_loadu_ps(rows_ + j * native_width<float>));
#pragma GCC unroll 2
    for (int q = 0; q < quads; ++q) {
      sums_[q] = _mm512_fmadd_ps(column, _mm512_maskz_permute_ps(all, coordinates_[q], K * 0b01010101), sums_[q]);
    }
  }
  BREAKSTEP_INLINE void store(float* const* y, int first) const {
    alignas(native_bytes) float rows[quads * native_width<float>];
#pragma GCC unroll 2
    for (int q = 0; q < quads; ++q) _mm512_store_ps(rows + q * native_width<float>, sums_[q]);
    for (int c = 0; c < Chains; ++c) _mm512_storeu_ps(y[c] + first, _mm512_zextps128_ps512(_mm_load_ps(rows + 4 * c)));
  }

 private:
  static constexpr __mmask16 all = 0xffff;  // of the forms without a mask g++ 12 warns
  static constexpr int quads = (Chains + 3) / 4;
  const float* rows_;
  __m512 coordinates_[quads];
  __m512 sums_[quads];
};

#endif

/// No rows but those that fill registers.
struct NoLastRows {
  static constexpr int columns_at_once = 1;
  void load(const void*, std::ptrdiff_t) {}
  template <int K>
  void add(std::ptrdiff_t) {}
  void store(const void*, int) const {}
};

/// Rows [first, first + Registers·N) of A·x, and the last rows after them, for several chains whose coordinates lie
/// contiguous. What is loaded of the matrix serves all of them, and each of their coordinates all of the registers, so
/// that multiply-adds are what takes time and not loads.
template <int Chains, int Registers, class T, class Last>
BREAKSTEP_INLINE void multiply_chains(T* const* y, const Matrix<T>& a, const T* const* x, int first, Last last) {
  constexpr int N = native_width<T>;
  using P = Pack<T, N>;
  P sums[Chains][Registers];
#pragma GCC unroll 8
  for (int c = 0; c < Chains; ++c) {
#pragma GCC unroll 8
    for (int r = 0; r < Registers; ++r) sums[c][r] = P(T(0));
  }
  const T* from[Chains];
#pragma GCC unroll 8
  for (int c = 0; c < Chains; ++c) from[c] = x[c];
  const T* slice[Registers];
#pragma GCC unroll 8
  for (int r = 0; r < Registers; ++r) slice[r] = a.slice(first / N + r);
  const auto add_column = [&]<int K>(std::ptrdiff_t j, std::integral_constant<int, K>) BREAKSTEP_INLINE_LAMBDA {
    P part[Registers];
#pragma GCC unroll 8
    for (int r = 0; r < Registers; ++r) part[r] = P::load(slice[r] + j * N);
#pragma GCC unroll 8
    for (int c = 0; c < Chains; ++c) {
      const P xj(from[c][j]);
#pragma GCC unroll 8
      for (int r = 0; r < Registers; ++r) sums[c][r] = fma(part[r], xj, sums[c][r]);
    }
    last.template add<K>(j);
  };
  constexpr int at_once = Last::columns_at_once;
  const std::ptrdiff_t columns = a.columns();
  std::ptrdiff_t j = 0;
  for (; j + at_once <= columns; j += at_once) {
    last.load(from, j);
    [&]<int... K>(std::integer_sequence<int, K...>) BREAKSTEP_INLINE_LAMBDA {
      (add_column(j + K, std::integral_constant<int, K>{}), ...);
    }
    (std::make_integer_sequence<int, at_once>{});
  }
  if (at_once > 1 && j < columns) {
    last.load(from, j);
    [&]<int... K>(std::integer_sequence<int, K...>) BREAKSTEP_INLINE_LAMBDA {
      ((j + K < columns ? add_column(j + K, std::integral_constant<int, K>{}) : void()), ...);
    }
    (std::make_integer_sequence<int, at_once - 1>{});
  }
#pragma GCC unroll 8
  for (int c = 0; c < Chains; ++c) {
#pragma GCC unroll 8
    for (int r = 0; r < Registers; ++r) sums[c][r].store(y[c] + first + r * N);
  }
  last.store(y, first + Registers * N);
}

/// The same for all of `count` chains, at most four at a time: twelve sums, three parts of a column and a coordinate
/// fill the sixteen registers of AVX2. With AVX-512, which has twice as many, eight: a matrix that the nearest cache
/// does not hold is then read half as often. Nearly equal groups, because few chains leave multiply-adds waiting for
/// each other.
template <int Registers, bool with_last = false, class T>
__attribute__((noinline)) void multiply_all_chains(T* const* y, const Matrix<T>& a, const T* const* x, int count,
                                                   int first) {
  constexpr int most = BREAKSTEP_ISA_AVX512 ? 8 : 4;
  int groups = (count + most - 1) / most;
  const auto multiply_group = [&]<int Chains>(int begin, std::integral_constant<int, Chains>) {
    if constexpr (with_last) {
#if BREAKSTEP_ISA_AVX512
      const LastRows<Chains> last(a, first + Registers * native_width<T>);
      multiply_chains<Chains, Registers>(y + begin, a, x + begin, first, last);
#endif
    } else {
      multiply_chains<Chains, Registers>(y + begin, a, x + begin, first, NoLastRows());
    }
    return true;
  };
  for (int begin = 0; groups > 0; --groups) {
    const int size = (count - begin + groups - 1) / groups;
    [&]<int... Less>(std::integer_sequence<int, Less...>) {
      ((size == Less + 1 && multiply_group(begin, std::integral_constant<int, Less + 1>{})) || ...);
    }
    (std::make_integer_sequence<int, most>{});
    begin += size;
  }
}

/// A·x for `count` chains.
template <class T>
void multiply_rows_of_chains(T* const* y, const Matrix<T>& a, const T* const* x, int count) {
  constexpr int N = native_width<T>;
  constexpr int few_rows = 4, with_few = 2;  // registers in the tile that takes the last few rows along
  const int rest = a.rows() % N;
  const bool takes_few = N == 16 && rest > 0 && rest <= few_rows && a.rows() > with_few * N;
  int first = 0, left = takes_few ? a.rows() / N - with_few : (a.rows() + N - 1) / N;
  // The last registers go by two rather than alone, where possible.
  for (; left > 4 || left == 3; left -= 3, first += 3 * N) multiply_all_chains<3>(y, a, x, count, first);
  for (; left >= 2; left -= 2, first += 2 * N) multiply_all_chains<2>(y, a, x, count, first);
  for (; left == 1; left -= 1, first += N) multiply_all_chains<1>(y, a, x, count, first);
  if constexpr (N == 16) {
    if (takes_few) multiply_all_chains<with_few, true>(y, a, x, count, first);
  }
}

}  // namespace detail

/// y = A·x for the chains of `where`; y must not overlap x. Every element is one fma chain from +0 over ascending
/// columns, tiled over rows and chains only, so both storages and every tile size give the same bits.
template <int W, class T, AnyVector To, AnyVector From>
void multiply(Mask<W> where, const To& y, const Matrix<T>& a, const From& x) {
  static_assert(To::storage == From::storage);
  assert(y.length() == a.rows() && x.length() == a.columns());
  if constexpr (To::storage == Storage::interleaved) {
    const Truth<sizeof(T), W> chosen(where);
    int first = 0;
    for (; first + 10 <= a.rows(); first += 10) detail::multiply_rows<10>(chosen, y, a, x, first);
    for (; first < a.rows(); ++first) detail::multiply_rows<1>(chosen, y, a, x, first);
  } else {
    T* to[W];
    const T* from[W];
    int count = 0;
    for_each_lane(where, [&](int lane) {
      to[count] = y.lane_data(lane);
      from[count++] = x.lane_data(lane);
    });
    detail::multiply_rows_of_chains(to, a, from, count);
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
