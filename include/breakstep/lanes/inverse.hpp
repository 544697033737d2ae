// Inverses from Cholesky factors, for W chains in lanes: L⁻¹ in place, and (L·Lᵀ)⁻¹ element by element.
//
// Every element is one fma chain over ascending k; tiles cover outputs and never split a chain.
#pragma once

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
  for (int k = j + Columns; k < i; ++k) {
    P above[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) above[c] = l(k, j + c);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const P factor = l(i + r, k);
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

template <int Rows, class T, int W>
void invert_rows(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal, int i) {
  int j = 0;
  for (; j + 3 <= i; j += 3) invert_tile<Rows, 3>(l, inverse_diagonal, i, j);
  for (; j < i; ++j) invert_tile<Rows, 1>(l, inverse_diagonal, i, j);
  for (int c = 0; c < Rows; ++c) {
    l.store(i + c, i + c, inverse_diagonal[i + c]);
    for (int r = c + 1; r < Rows; ++r) {
      Pack<T, W> sum(T(0));
      for (int k = c; k < r; ++k) sum = fma(l(i + r, i + k), l(i + k, i + c), sum);
      l.store(i + r, i + c, -(sum * inverse_diagonal[i + r]));
    }
  }
}

/// Rows [i, i + Rows) and columns [j, j + Columns) of BᵀB for lower triangular B; j ≤ i.
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
      for (int c = 0; c < Columns; ++c) {
        // On the diagonal tile the columns beyond r do not exist; any element will do, it is not used.
        sums[r][c] = fma(b(i + k, i + r), b(i + k, std::min(j + c, i + r)), sums[r][c]);
      }
    }
  }
  for (int k = i + Rows; k < b.size(); ++k) {
    P right[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) right[c] = b(k, j + c);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const P left = b(k, i + r);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sums[r][c] = fma(left, right[c], sums[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      if (j + c <= i + r) visit(i + r, j + c, sums[r][c]);
    }
  }
}

template <int Rows, class T, int W, class Visit>
void visit_product_rows(const Triangles<T, W>& b, int i, Visit& visit) {
  int j = 0;
  for (; j + 3 <= i; j += 3) visit_product_tile<Rows, 3>(b, i, j, visit);
  for (; j < i; ++j) visit_product_tile<Rows, 1>(b, i, j, visit);
  visit_product_tile<Rows, Rows>(b, i, i, visit);
}

}  // namespace detail

/// Replaces each chain's Cholesky factor L by L⁻¹, given 1/L(j,j).
template <class T, int W>
void invert_lower(const Triangles<T, W>& l, const InterleavedVector<T, W>& inverse_diagonal) {
  constexpr int Rows = 4;
  int i = 0;
  for (; i + Rows <= l.size(); i += Rows) detail::invert_rows<Rows>(l, inverse_diagonal, i);
  for (; i < l.size(); ++i) detail::invert_rows<1>(l, inverse_diagonal, i);
}

/// Calls visit(i, j, element) for the elements j ≤ i of (L·Lᵀ)⁻¹ = BᵀB, B = L⁻¹, in an order that depends on n alone.
template <class T, int W, class Visit>
void visit_inverse(const Triangles<T, W>& b, Visit visit) {
  constexpr int Rows = 3;
  int i = 0;
  for (; i + Rows <= b.size(); i += Rows) detail::visit_product_rows<Rows>(b, i, visit);
  for (; i < b.size(); ++i) detail::visit_product_rows<1>(b, i, visit);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
