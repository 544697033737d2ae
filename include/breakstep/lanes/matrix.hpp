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
#pragma GCC unroll 8
    for (int r = 0; r < Tile; ++r) sums[r] = fma(Pack<T, W>(column[r]), xj, sums[r]);
  }
  for (int r = 0; r < Tile; ++r) y.store(first + r, select(chosen, sums[r], y[first + r]));
}

/// Rows [first, first + Tile·N) of A·x for one chain.
template <int Tile, class T>
BREAKSTEP_INLINE void multiply_rows(T* y, const Matrix<T>& a, const T* x, int first) {
  constexpr int N = native_width<T>;
  Pack<T, N> sums[Tile];
  for (auto& sum : sums) sum = Pack<T, N>(T(0));
  for (int j = 0; j < a.columns(); ++j) {
    const Pack<T, N> xj(x[j]);
    const T* column = a.column(j) + first;
#pragma GCC unroll 8
    for (int r = 0; r < Tile; ++r) sums[r] = fma(Pack<T, N>::load(column + r * N), xj, sums[r]);
  }
  for (int r = 0; r < Tile; ++r) sums[r].store(y + first + r * N);
}

}  // namespace detail

/// y = A·x for the chains of `where`; y must not overlap x. Every element is one fma chain from +0 over ascending
/// columns, tiled over rows only, so both storages and every tile size give the same bits.
template <class T, int W, Storage S>
void multiply(Mask<W> where, const Vector<T, W, S>& y, const Matrix<T>& a, const Vector<T, W, S>& x) {
  assert(y.length() == a.rows() && x.length() == a.columns() && y.data() != x.data());
  if constexpr (S == Storage::interleaved) {
    const Truth<sizeof(T), W> chosen(where);
    int first = 0;
    for (; first + 8 <= a.rows(); first += 8) detail::multiply_rows<8>(chosen, y, a, x, first);
    for (; first < a.rows(); ++first) detail::multiply_rows<1>(chosen, y, a, x, first);
  } else {
    constexpr int N = native_width<T>;
    for_each_lane(where, [&](int lane) {
      T* to = y.lane_data(lane);
      const T* from = x.lane_data(lane);
      int first = 0;
      for (; first + 8 * N <= a.rows(); first += 8 * N) detail::multiply_rows<8>(to, a, from, first);
      for (; first < a.rows(); first += N) detail::multiply_rows<1>(to, a, from, first);
    });
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
