// Inverses from Cholesky factors, for W chains in lanes: L⁻¹ in place, and (L·Lᵀ)⁻¹ element by element.
//
// Every element is one fma chain over ascending k; tiles cover outputs and never split a chain.
#pragma once

#include <algorithm>

#include "breakstep/lanes/cholesky.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

namespace detail {

/// Rows [i, i + Rows) and columns [j, j + Columns) of L⁻¹, all to the left of the diagonal tile; rows above are final.
template <int Rows, int Columns, class T, int W>
BREAKSTEP_INLINE void invert_tile(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal, int i,
                                  int j) {
  using P = Pack<T, W>;
  P sums[Rows][Columns];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) sums[r][c] = P(T(0));
  }
#pragma GCC unroll 4
  for (int k = 0; k < Columns; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c <= k; ++c) sums[r][c] = fma(l(i + r, j + k), l(j + k, j + c), sums[r][c]);
    }
  }
  const T* left[Rows];
  for (int r = 0; r < Rows; ++r) left[r] = l.row(i + r);
  const T* row = l.row(j + Columns) + std::ptrdiff_t{j} * W;
  for (int k = j + Columns; k < i; row += std::ptrdiff_t{++k} * W) {
    P above[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) above[c] = P::load(row + std::ptrdiff_t{c} * W);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const P factor = P::load(left[r] + std::ptrdiff_t{k} * W);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sums[r][c] = fma(factor, above[c], sums[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    const P inverse = inverse_diagonal[i + r];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
#pragma GCC unroll 4
      for (int k = 0; k < r; ++k) sums[r][c] = fma(l(i + r, i + k), sums[k][c], sums[r][c]);
      sums[r][c] = -(sums[r][c] * inverse);
      l.store(i + r, j + c, sums[r][c]);
    }
  }
}

/// Columns [begin, end) of rows [i, i + Rows), end ≤ i.
template <int Rows, class T, int W>
void invert_rows(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal, int i, int begin, int end) {
  int j = begin;
  for (; j + 3 <= end; j += 3) invert_tile<Rows, 3>(l, inverse_diagonal, i, j);
  for (; j < end; ++j) invert_tile<Rows, 1>(l, inverse_diagonal, i, j);
}

/// The diagonal tile of rows [i, i + Rows).
template <int Rows, class T, int W>
void invert_corner(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal, int i) {
  for (int c = 0; c < Rows; ++c) {
    l.store(i + c, i + c, inverse_diagonal[i + c]);
    for (int r = c + 1; r < Rows; ++r) {
      Pack<T, W> sum(T(0));
      for (int k = c; k < r; ++k) sum = fma(l(i + r, i + k), l(i + k, i + c), sum);
      l.store(i + r, i + c, -(sum * inverse_diagonal[i + r]));
    }
  }
}

/// Hands the sums of a tile at (i, j) to visit(row, column, element), those up to the diagonal. A copy, which a loop
/// may index: so the sums stay in registers and visit is compiled once.
template <int Rows, int Columns, class P, class Visit>
BREAKSTEP_INLINE void visit_tile(const P (&sums)[Rows][Columns], int i, int j, Visit& visit) {
  P found[Rows * Columns];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      if (i != j || c <= r) found[r * Columns + c] = sums[r][c];
    }
  }
#pragma GCC unroll 1
  for (int e = 0; e < Rows * Columns; ++e) {
    const int row = i + e / Columns, column = j + e % Columns;
    if (column <= row) visit(row, column, found[e]);
  }
}

/// Rows [i, i + Rows) and columns [j, j + Columns) of BᵀB for lower triangular B, left of the diagonal.
template <int Rows, int Columns, class T, int W, class Visit>
BREAKSTEP_INLINE void visit_product_tile(const Triangles<T, W>& b, int i, int j, Visit& visit) {
  using P = Pack<T, W>;
  P sums[Rows][Columns];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) sums[r][c] = P(T(0));
  }
#pragma GCC unroll 4
  for (int k = 0; k < Rows; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r <= k; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sums[r][c] = fma(b(i + k, i + r), b(i + k, j + c), sums[r][c]);
    }
  }
  const T* row = b.row(i + Rows);
  const std::ptrdiff_t left_offset = std::ptrdiff_t{i} * W, right_offset = std::ptrdiff_t{j} * W;
  for (int k = i + Rows; k < b.size(); row += std::ptrdiff_t{++k} * W) {
    P right[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) right[c] = P::load(row + right_offset + std::ptrdiff_t{c} * W);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const P left = P::load(row + left_offset + std::ptrdiff_t{r} * W);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sums[r][c] = fma(left, right[c], sums[r][c]);
    }
  }
  visit_tile(sums, i, j, visit);
}

/// The same on the diagonal, rows and columns [i, i + Rows), of which only the lower half is made.
template <int Rows, class T, int W, class Visit>
BREAKSTEP_INLINE void visit_diagonal_product_tile(const Triangles<T, W>& b, int i, Visit& visit) {
  using P = Pack<T, W>;
  P sums[Rows][Rows];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c <= r; ++c) sums[r][c] = P(T(0));
  }
#pragma GCC unroll 4
  for (int k = 0; k < Rows; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r <= k; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c <= r; ++c) sums[r][c] = fma(b(i + k, i + r), b(i + k, i + c), sums[r][c]);
    }
  }
  const T* row = b.row(i + Rows) + std::ptrdiff_t{i} * W;
  for (int k = i + Rows; k < b.size(); row += std::ptrdiff_t{++k} * W) {
    P factors[Rows];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      factors[r] = P::load(row + std::ptrdiff_t{r} * W);
#pragma GCC unroll 4
      for (int c = 0; c <= r; ++c) sums[r][c] = fma(factors[r], factors[c], sums[r][c]);
    }
  }
  visit_tile(sums, i, i, visit);
}

/// Columns [begin, end) of rows [i, i + Rows) of BᵀB, end ≤ i.
template <int Rows, class T, int W, class Visit>
void visit_product_rows(const Triangles<T, W>& b, int i, int begin, int end, Visit& visit) {
  int j = begin;
  for (; j + 3 <= end; j += 3) visit_product_tile<Rows, 3>(b, i, j, visit);
  for (; j < end; ++j) visit_product_tile<Rows, 1>(b, i, j, visit);
}

/// Tiles are taken panel by panel: what a square of them reads stays in the cache, and the whole triangle would not.
inline constexpr int inverse_panel = 12;

}  // namespace detail

/// Replaces each chain's Cholesky factor L by L⁻¹, given 1/L(j,j).
template <class T, int W>
void invert_lower(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal) {
  constexpr int Rows = 4, panel = detail::inverse_panel;
  for (int first = 0; first < l.size(); first += panel) {
    const int last = std::min(first + panel, l.size());
    for (int j = 0; j < first; j += panel) {
      detail::for_tiles<Rows, 1>(
          first, last, [&](auto rows, int i) { detail::invert_rows<rows()>(l, inverse_diagonal, i, j, j + panel); });
    }
    detail::for_tiles<Rows, 1>(first, last, [&](auto rows, int i) {
      detail::invert_rows<rows()>(l, inverse_diagonal, i, first, i);
      detail::invert_corner<rows()>(l, inverse_diagonal, i);
    });
  }
}

/// Calls visit(i, j, element) for the elements j ≤ i of (L·Lᵀ)⁻¹ = BᵀB, B = L⁻¹, in an order that depends on n alone.
template <class T, int W, class Visit>
void visit_inverse(const Triangles<T, W>& b, Visit visit) {
  constexpr int Rows = 4, panel = detail::inverse_panel;
  for (int first = 0; first < b.size(); first += panel) {
    const int last = std::min(first + panel, b.size());
    for (int j = 0; j < first; j += panel) {
      detail::for_tiles<Rows, 1>(
          first, last, [&](auto rows, int i) { detail::visit_product_rows<rows()>(b, i, j, j + panel, visit); });
    }
    detail::for_tiles<Rows, 1>(first, last, [&](auto rows, int i) {
      detail::visit_product_rows<rows()>(b, i, first, i, visit);
      detail::visit_diagonal_product_tile<rows()>(b, i, visit);
    });
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
