// Matrix: one dense matrix shared by all chains, and its product with their vectors.
#pragma once

#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// A dense matrix, zero at first, stored by columns padded for SIMD over rows.
template <class T>
class Matrix {
 public:
  Matrix(int rows, int columns)
      : rows_(rows), columns_(columns), data_(aligned_zeros<T>(static_cast<std::size_t>(padded(rows)) * columns)) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] T operator()(int row, int column) const { return this->column(column)[row]; }
  [[nodiscard]] T& operator()(int row, int column) { return data_[offset(column) + row]; }
  /// Column j: `rows()` elements, then zeros up to a whole number of registers.
  [[nodiscard]] const T* column(int j) const { return data_.get() + offset(j); }

  [[nodiscard]] Matrix transposed() const {
    Matrix t(columns_, rows_);
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < rows_; ++i) t(j, i) = (*this)(i, j);
    }
    return t;
  }

 private:
  [[nodiscard]] std::size_t offset(int column) const { return static_cast<std::size_t>(padded(rows_)) * column; }

  int rows_;
  int columns_;
  AlignedArray<T> data_;
};

namespace detail {

/// Rows [first, first + Tile) of A·x for W interleaved chains.
template <int Tile, class T, int W>
BREAKSTEP_INLINE void multiply_rows(Truth<sizeof(T), W> chosen, const Vector<T, W, Storage::interleaved>& y,
                                    const Matrix<T>& a, const Vector<T, W, Storage::interleaved>& x, int first) {
  Pack<T, W> sums[Tile];
  for (auto& sum : sums) sum = Pack<T, W>(T(0));
  for (int j = 0; j < a.columns(); ++j) {
    const Pack<T, W> xj = x[j];
    const T* column = a.column(j) + first;
#pragma GCC unroll 16
    for (int r = 0; r < Tile; ++r) sums[r] = fma(Pack<T, W>(column[r]), xj, sums[r]);
  }
  for (int r = 0; r < Tile; ++r) y.store(first + r, merge(chosen, sums[r], y[first + r]));
}

/// Rows [first, first + Registers·N) of A·x for several chains whose coordinates lie contiguous. What is loaded of the
/// matrix serves all of them, and each of their coordinates all of the registers, so that multiply-adds are what takes
/// time and not loads.
template <int Chains, int Registers, class T>
BREAKSTEP_INLINE void multiply_chains(T* const* y, const Matrix<T>& a, const T* const* x, int first) {
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
  const T* column = a.column(0) + first;
  const std::ptrdiff_t stride = padded(a.rows());
  for (int j = 0; j < a.columns(); ++j, column += stride) {
    P part[Registers];
#pragma GCC unroll 8
    for (int r = 0; r < Registers; ++r) part[r] = P::load(column + r * N);
#pragma GCC unroll 8
    for (int c = 0; c < Chains; ++c) {
      const P xj(from[c][j]);
#pragma GCC unroll 8
      for (int r = 0; r < Registers; ++r) sums[c][r] = fma(part[r], xj, sums[c][r]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < Chains; ++c) {
#pragma GCC unroll 8
    for (int r = 0; r < Registers; ++r) sums[c][r].store(y[c] + first + r * N);
  }
}

/// The same for all of `count` chains, four at a time: twelve sums, three parts of a column and a coordinate fill the
/// sixteen registers of AVX2. With AVX-512, which has twice as many, eight: a matrix that the nearest cache does not
/// hold is then read half as often.
template <int Registers, class T>
void multiply_chains(T* const* y, const Matrix<T>& a, const T* const* x, int count, int first) {
  constexpr int most = BREAKSTEP_ISA_AVX512 ? 8 : 4;
  int c = 0;
  for (; c + most <= count; c += most) multiply_chains<most, Registers>(y + c, a, x + c, first);
  if constexpr (most > 4) {
    if (c + 4 <= count) {
      multiply_chains<4, Registers>(y + c, a, x + c, first);
      c += 4;
    }
  }
  switch (count - c) {
    case 3:
      return multiply_chains<3, Registers>(y + c, a, x + c, first);
    case 2:
      return multiply_chains<2, Registers>(y + c, a, x + c, first);
    case 1:
      return multiply_chains<1, Registers>(y + c, a, x + c, first);
    default:
      return;
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
    constexpr int N = native_width<T>;
    T* to[W];
    const T* from[W];
    int count = 0;
    for_each_lane(where, [&](int lane) {
      to[count] = y.lane_data(lane);
      from[count++] = x.lane_data(lane);
    });
    // The last registers go by two rather than alone, where possible.
    int first = 0, left = (a.rows() + N - 1) / N;
    for (; left > 4 || left == 3; left -= 3, first += 3 * N) detail::multiply_chains<3>(to, a, from, count, first);
    for (; left >= 2; left -= 2, first += 2 * N) detail::multiply_chains<2>(to, a, from, count, first);
    if (left == 1) detail::multiply_chains<1>(to, a, from, count, first);
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
