// Cholesky factors of one matrix per chain, and triangular solves: W chains in lanes, or one chain with SIMD over rows.
//
// L(i,j) is the chain A(i,j), then fma(−L(i,k), L(j,k), ·) for k = 0 … j−1, then times 1/L(j,j) (or the square root
// when i = j). Tiles cover outputs and never split a chain, so both forms, all tile sizes and all widths give the same
// bits and the crossover between them may be tuned. A matrix that is not positive definite gives NaN from the failing
// column on.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// The lower triangles of W chains' n × n matrices, packed by rows, chains interleaved. A view.
template <class T, int W>
class Triangles {
 public:
  Triangles(T* data, int n) : data_(data), n_(n) {}
  static constexpr std::size_t elements(int n) { return static_cast<std::size_t>(n) * (n + 1) / 2 * W; }

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] BREAKSTEP_INLINE Pack<T, W> operator()(int i, int j) const {
    return Pack<T, W>::load(row(i) + static_cast<std::ptrdiff_t>(j) * W);
  }
  BREAKSTEP_INLINE void store(int i, int j, Pack<T, W> value) const {
    value.store(row(i) + static_cast<std::ptrdiff_t>(j) * W);
  }
  [[nodiscard]] BREAKSTEP_INLINE T* row(int i) const {
    return data_ + static_cast<std::ptrdiff_t>(i) * (i + 1) / 2 * W;
  }

 private:
  T* data_;
  int n_;
};

template <class T, int W>
using InterleavedVector = Vector<T, W, Storage::interleaved>;

namespace detail {

/// Sums in registers: every index is a constant once the loops over them are unrolled.
template <int Rows, int Columns, class T, int W>
struct Tile {
  Pack<T, W> sums[Rows][Columns];
  BREAKSTEP_INLINE auto& operator[](int row) { return sums[row]; }
};

/// Which columns' products a tile takes off: those before have been taken off already.
struct Products {
  int from, to;
};

/// Rows [i, i + Rows) and columns [j, j + Columns), all left of the diagonal, less the products.
template <int Rows, int Columns, class T, int W>
BREAKSTEP_INLINE void subtract(Tile<Rows, Columns, T, W>& sums, const Triangles<T, W>& a, int i, int j,
                               Products products) {
  using P = Pack<T, W>;
  const T* left[Rows];
  const T* right[Columns];
#pragma GCC unroll 8
  for (int c = 0; c < Columns; ++c) right[c] = a.row(j + c);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    left[r] = a.row(i + r);
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c) sums[r][c] = a(i + r, j + c);
  }
  const std::ptrdiff_t end = std::ptrdiff_t{products.to} * W;
  for (std::ptrdiff_t at = std::ptrdiff_t{products.from} * W; at < end; at += W) {
    P rights[Columns];
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c) rights[c] = P::load(right[c] + at);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const P factor = P::load(left[r] + at);
#pragma GCC unroll 8
      for (int c = 0; c < Columns; ++c) sums[r][c] = fnma(factor, rights[c], sums[r][c]);
    }
  }
}

/// The same of the diagonal tile of rows [i, i + Rows), of which only the lower half exists: ten sums of four rows,
/// where a full tile of four columns would not leave a register for its factors (21 of six, with twice the registers).
template <int Rows, class T, int W>
BREAKSTEP_INLINE void subtract_on_diagonal(Tile<Rows, Rows, T, W>& sums, const Triangles<T, W>& a, int i,
                                           Products products) {
  using P = Pack<T, W>;
  const T* row[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    row[r] = a.row(i + r);
#pragma GCC unroll 8
    for (int c = 0; c <= r; ++c) sums[r][c] = a(i + r, i + c);
  }
  const std::ptrdiff_t end = std::ptrdiff_t{products.to} * W;
  for (std::ptrdiff_t at = std::ptrdiff_t{products.from} * W; at < end; at += W) {
    P factors[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      factors[r] = P::load(row[r] + at);
#pragma GCC unroll 8
      for (int c = 0; c <= r; ++c) sums[r][c] = fnma(factors[r], factors[c], sums[r][c]);
    }
  }
}

/// Makes rows [i, i + Rows) and columns [j, j + Columns) of the factor; all columns left of j are final.
template <int Rows, int Columns, class T, int W>
BREAKSTEP_INLINE void factor_tile(const Triangles<T, W>& a, const InterleavedVector<T, W>& inverse_diagonal, int i,
                                  int j, int first) {
  using P = Pack<T, W>;
  Tile<Rows, Columns, T, W> sums;
  subtract(sums, a, i, j, {first, j});
#pragma GCC unroll 8
  for (int c = 0; c < Columns; ++c) {
#pragma GCC unroll 8
    for (int k = 0; k < c; ++k) {
      const P above = a(j + c, j + k);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) sums[r][c] = fnma(sums[r][k], above, sums[r][c]);
    }
    const P inverse = inverse_diagonal[j + c];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      sums[r][c] = sums[r][c] * inverse;
      a.store(i + r, j + c, sums[r][c]);
    }
  }
}

/// Makes the diagonal tile of rows [i, i + Rows); all columns left of i are final.
template <int Rows, class T, int W>
BREAKSTEP_INLINE void factor_diagonal_tile(const Triangles<T, W>& a, const InterleavedVector<T, W>& inverse_diagonal,
                                           int i, int first) {
  using P = Pack<T, W>;
  Tile<Rows, Rows, T, W> sums;
  subtract_on_diagonal(sums, a, i, {first, i});
#pragma GCC unroll 8
  for (int c = 0; c < Rows; ++c) {
#pragma GCC unroll 8
    for (int r = c; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int k = 0; k < c; ++k) sums[r][c] = fnma(sums[r][k], sums[c][k], sums[r][c]);
    }
    sums[c][c] = sqrt(sums[c][c]);
    const P inverse = P(T(1)) / sums[c][c];
    inverse_diagonal.store(i + c, inverse);
    a.store(i + c, i + c, sums[c][c]);
#pragma GCC unroll 8
    for (int r = c + 1; r < Rows; ++r) {
      sums[r][c] = sums[r][c] * inverse;
      a.store(i + r, i + c, sums[r][c]);
    }
  }
}

template <int Rows, int Columns, class T, int W>
BREAKSTEP_INLINE void update_tile(const Triangles<T, W>& a, int i, int j, Products products) {
  Tile<Rows, Columns, T, W> sums;
  subtract(sums, a, i, j, products);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c) a.store(i + r, j + c, sums[r][c]);
  }
}

template <int Rows, class T, int W>
BREAKSTEP_INLINE void update_diagonal_tile(const Triangles<T, W>& a, int i, Products products) {
  Tile<Rows, Rows, T, W> sums;
  subtract_on_diagonal(sums, a, i, products);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c <= r; ++c) a.store(i + r, i + c, sums[r][c]);
  }
}

/// Calls visit(size, i) for tiles that cover [begin, end): as many of the first size as fit, then of the next ones. The
/// size is a constant to visit.
template <int... Sizes, class Visit>
BREAKSTEP_INLINE void for_tiles(int begin, int end, Visit visit) {
  int i = begin;
  const auto of_one_size = [&]<int Size>(std::integral_constant<int, Size> size) BREAKSTEP_INLINE_LAMBDA {
    for (; i + Size <= end; i += Size) visit(size, i);
  };
  (of_one_size(std::integral_constant<int, Sizes>()), ...);
}

/// The more rows at a time, the less often what lies above them is read, from far away if n is large.
template <class Visit>
BREAKSTEP_INLINE void for_tiles_of_rows(int begin, int end, Visit visit) {
#if BREAKSTEP_ISA_AVX512
  for_tiles<6, 4, 1>(begin, end, visit);
#else
  for_tiles<4, 1>(begin, end, visit);
#endif
}

/// As many columns as the register file holds sums.
template <class Visit>
BREAKSTEP_INLINE void for_tiles_of_columns(int begin, int end, Visit visit) {
#if BREAKSTEP_ISA_AVX512
  for_tiles<4, 2, 1>(begin, end, visit);
#else
  // Four columns that remain are two and two: a tile of one has too few chains for the multipliers' latency.
  const int count = end - begin, threes = count % 3 == 1 && count > 1 ? count - 4 : count - count % 3;
  for_tiles<3>(begin, begin + threes, visit);
  for_tiles<2, 1>(begin + threes, end, visit);
#endif
}

/// Rows [i, i + Rows) of the factor, columns [first, end) or up to the diagonal. Products of the columns left of
/// `first` have been taken off.
template <int Rows, class T, int W>
void factor_rows(const Triangles<T, W>& a, const InterleavedVector<T, W>& inverse_diagonal, int i, int first, int end) {
  for_tiles_of_columns(first, std::min(i, end), [&](auto columns, int j) BREAKSTEP_INLINE_LAMBDA {
    factor_tile<Rows, columns()>(a, inverse_diagonal, i, j, first);
  });
  if (i < end) factor_diagonal_tile<Rows>(a, inverse_diagonal, i, first);
}

/// Takes the products of a panel's columns off rows [i, i + Rows) right of it.
template <int Rows, class T, int W>
void update_rows(const Triangles<T, W>& a, int i, Products panel) {
  for_tiles_of_columns(
      panel.to, i, [&](auto columns, int j) BREAKSTEP_INLINE_LAMBDA { update_tile<Rows, columns()>(a, i, j, panel); });
  update_diagonal_tile<Rows>(a, i, panel);
}

}  // namespace detail

/// Replaces each chain's lower triangle A by its Cholesky factor L and fills 1/L(j,j). For W chains in lanes.
template <class T, int W>
void cholesky(const Triangles<T, W>& a, const InterleavedVector<T, W>& inverse_diagonal) {
  // Panels of columns whose products are taken off all that lies right of them while a tile's share of them is in the
  // nearest cache: 48 are 12 kB of four rows, and whole tiles of any height and width. What fits into the second cache
  // is near enough as it is. No chain depends on the panels.
  const int n = a.size();
  const int panel = Triangles<T, W>::elements(n) * sizeof(T) < 768 * 1024 ? n : 48;
  for (int first = 0; first < n; first += panel) {
    const int end = std::min(first + panel, n);
    detail::for_tiles_of_rows(
        first, n, [&](auto rows, int i) { detail::factor_rows<rows()>(a, inverse_diagonal, i, first, end); });
    detail::for_tiles_of_rows(end, n, [&](auto rows, int i) { detail::update_rows<rows()>(a, i, {first, end}); });
  }
}

/// y ← L⁻¹·y: each element one chain over ascending columns, then times 1/L(i,i).
template <class T, int W>
void solve_lower(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal,
                 const InterleavedVector<T, W>& y) {
  constexpr int Rows = 4;
  const int n = l.size();
  int i = 0;
  for (; i + Rows <= n; i += Rows) {
    const T* row[Rows];
    Pack<T, W> sums[Rows];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      row[r] = l.row(i + r);
      sums[r] = y[i + r];
    }
    for (int k = 0; k < i; ++k) {
      const Pack<T, W> yk = y[k];
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) sums[r] = fnma(Pack<T, W>::load(row[r] + std::ptrdiff_t{k} * W), yk, sums[r]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int k = 0; k < r; ++k) sums[r] = fnma(l(i + r, i + k), sums[k], sums[r]);
      sums[r] = sums[r] * inverse_diagonal[i + r];
      y.store(i + r, sums[r]);
    }
  }
  for (; i < n; ++i) {
    Pack<T, W> sum = y[i];
    for (int k = 0; k < i; ++k) sum = fnma(l(i, k), y[k], sum);
    y.store(i, sum * inverse_diagonal[i]);
  }
}

/// y ← L⁻ᵀ·y: each element one chain in the order in which the unknowns become known, that is over descending rows.
template <class T, int W>
void solve_upper(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal,
                 const InterleavedVector<T, W>& y) {
  for (int k = l.size() - 1; k >= 0; --k) {
    const Pack<T, W> yk = y[k] * inverse_diagonal[k];
    y.store(k, yk);
    for (int i = 0; i < k; ++i) y.store(i, fnma(l(k, i), yk, y[i]));
  }
}

/// One chain's n × n matrix, stored by columns of padded(n); what lies above the diagonal is
/// scratch. A view of 64-byte aligned memory.
template <class T>
class ColumnMatrix {
 public:
  ColumnMatrix(T* data, int n) : data_(data), n_(n) {}
  static constexpr std::size_t elements(int n) { return static_cast<std::size_t>(n) * padded(n); }

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] BREAKSTEP_INLINE T* column(int j) const { return data_ + static_cast<std::ptrdiff_t>(j) * padded(n_); }
  [[nodiscard]] BREAKSTEP_INLINE T& operator()(int i, int j) const { return column(j)[i]; }

 private:
  T* data_;
  int n_;
};

namespace detail {

template <class T>
BREAKSTEP_INLINE T fma_scalar(T a, T b, T c) {
  return fma(Pack<T, 1>(a), b, c)[0];
}

/// The panel's own corner, columns and rows [first, first + Columns): too small for SIMD over rows.
template <int Columns, class T>
void factor_corner(const ColumnMatrix<T>& a, T* inverse_diagonal, int first) {
  for (int c = 0; c < Columns; ++c) {
    for (int r = c; r < Columns; ++r) {
      T value = a(first + r, first + c);
      for (int k = 0; k < first + c; ++k) value = fma_scalar(-a(first + r, k), a(first + c, k), value);
      if (r == c) {
        value = sqrt(Pack<T, 1>(value))[0];
        inverse_diagonal[first + c] = T(1) / value;
      } else {
        value = value * inverse_diagonal[first + c];
      }
      a(first + r, first + c) = value;
    }
  }
}

template <int Columns, class T>
using Corner = std::array<std::array<T, Columns>, Columns>;

/// Rows [row, row + Registers·N) of the panel of columns [first, first + Columns), whose corner is final.
template <int Registers, int Columns, class T>
BREAKSTEP_INLINE void factor_panel_rows(const ColumnMatrix<T>& a, const Corner<Columns, T>& corner,
                                        const T* inverse_diagonal, int first, int row) {
  constexpr int N = native_width<T>;
  using P = Pack<T, N>;
  P tile[Columns][Registers];
  for (int c = 0; c < Columns; ++c) {
    for (int r = 0; r < Registers; ++r) tile[c][r] = P::load(a.column(first + c) + row + r * N);
  }
  for (int k = 0; k < first; ++k) {
    const T* left = a.column(k);
    P lefts[Registers];
#pragma GCC unroll 4
    for (int r = 0; r < Registers; ++r) lefts[r] = -P::load(left + row + r * N);
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const P factor(left[first + c]);
#pragma GCC unroll 4
      for (int r = 0; r < Registers; ++r) tile[c][r] = fma(lefts[r], factor, tile[c][r]);
    }
  }
  for (int c = 0; c < Columns; ++c) {
    const P inverse(inverse_diagonal[first + c]);
    for (int r = 0; r < Registers; ++r) {
      for (int k = 0; k < c; ++k) tile[c][r] = fma(-tile[k][r], P(corner[c][k]), tile[c][r]);
      tile[c][r] = tile[c][r] * inverse;
      tile[c][r].store(a.column(first + c) + row + r * N);
    }
  }
}

template <int Columns, class T>
void factor_panel(const ColumnMatrix<T>& a, T* inverse_diagonal, int first) {
  constexpr int N = native_width<T>;
  factor_corner<Columns>(a, inverse_diagonal, first);
  Corner<Columns, T> corner;
  for (int c = 0; c < Columns; ++c) {
    for (int k = 0; k <= c; ++k) corner[c][k] = a(first + c, first + k);
  }
  // Registers start at whole multiples of N, so the first ones run over the corner (and, harmlessly, over rows above
  // the diagonal): it is put back afterwards.
  int row = first / N * N;
  for (; row + 2 * N <= padded(a.size()); row += 2 * N) {
    factor_panel_rows<2, Columns>(a, corner, inverse_diagonal, first, row);
  }
  for (; row < a.size(); row += N) factor_panel_rows<1, Columns>(a, corner, inverse_diagonal, first, row);
  for (int c = 0; c < Columns; ++c) {
    for (int k = 0; k <= c; ++k) a(first + c, first + k) = corner[c][k];
  }
}

}  // namespace detail

/// Replaces one chain's lower triangle by its Cholesky factor, with SIMD over rows; `inverse_diagonal` has n elements.
template <class T>
void cholesky(const ColumnMatrix<T>& a, T* inverse_diagonal) {
  constexpr int Columns = 4;
  int first = 0;
  for (; first + Columns <= a.size(); first += Columns) detail::factor_panel<Columns>(a, inverse_diagonal, first);
  for (; first < a.size(); ++first) detail::factor_panel<1>(a, inverse_diagonal, first);
}

/// y ← L⁻¹·y for one chain; y has padded(n) elements.
template <class T>
void solve_lower(const ColumnMatrix<T>& l, const T* inverse_diagonal, T* y) {
  constexpr int N = native_width<T>;
  using P = Pack<T, N>;
  const int n = l.size();
  for (int k = 0; k < n; ++k) {
    y[k] = y[k] * inverse_diagonal[k];
    const T yk = y[k];
    const T* column = l.column(k);
    int i = k + 1;
    for (; i < n && i % N != 0; ++i) y[i] = detail::fma_scalar(-column[i], yk, y[i]);
    for (; i < n; i += N) fma(-P::load(column + i), P(yk), P::load(y + i)).store(y + i);
  }
}

/// y ← L⁻ᵀ·y for one chain.
template <class T>
void solve_upper(const ColumnMatrix<T>& l, const T* inverse_diagonal, T* y) {
  const int n = l.size();
  for (int i = n - 1; i >= 0; --i) {
    const T* column = l.column(i);
    T value = y[i];
    for (int k = n - 1; k > i; --k) value = detail::fma_scalar(-column[k], y[k], value);
    y[i] = value * inverse_diagonal[i];
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
