// Linear algebra of a model: data shared by all chains, products with it, quadratic forms.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/target/numbers.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Numbers that a model knows: observations, constants. Held in both precisions, because a model runs in either.
class DataVector {
 public:
  DataVector() = default;
  DataVector(std::vector<double> values)  // NOLINT(google-explicit-constructor): data are written as lists
      : doubles_(std::move(values)) {
    floats_.reserve(doubles_.size());
    for (const double value : doubles_) floats_.push_back(static_cast<float>(value));
  }
  DataVector(std::initializer_list<double> values) : DataVector(std::vector<double>(values)) {}

  [[nodiscard]] int size() const { return static_cast<int>(doubles_.size()); }
  [[nodiscard]] double operator[](int i) const { return doubles_[static_cast<std::size_t>(i)]; }
  template <class Real>
  [[nodiscard]] const Real* as() const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return floats_.data();
    } else {
      return doubles_.data();
    }
  }

 private:
  std::vector<double> doubles_;
  std::vector<float> floats_;
};

/// The same in rows and columns, row by row.
class DataMatrix {
 public:
  DataMatrix() = default;
  /// Throws Error if `values` is not rows × columns numbers.
  DataMatrix(int rows, int columns, std::vector<double> values)
      : rows_(rows), columns_(columns), values_(std::move(values)) {
    if (rows < 0 || columns < 0 || static_cast<long long>(rows) * columns != values_.size()) {
      throw Error("a data matrix of " + std::to_string(rows) + " × " + std::to_string(columns) + " was given " +
                      std::to_string(values_.size()) + " numbers",
                  "it needs one for each row and column", "correct the data");
    }
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] double operator()(int row, int column) const { return values_[row * columns_ + column]; }
  template <class Real>
  [[nodiscard]] const Real* as() const {
    return values_.as<Real>();
  }

 private:
  int rows_ = 0;
  int columns_ = 0;
  DataVector values_;
};

namespace detail {

inline constexpr int tile_rows = 8;  // as many independent chains of fma as it takes to keep two units busy

/// out[r] = start + Σ_j x[r, j]·b[j], each one chain of fma in the order of j, whatever the tile.
template <int Rows, class Real, int W>
BREAKSTEP_INLINE void multiply_tile(const Real* x, int columns, const Pack<Real, W>* b, Pack<Real, W> start,
                                    Pack<Real, W>* out) {
  Pack<Real, W> sums[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) sums[r] = start;
  for (int j = 0; j < columns; ++j) {
    const Pack<Real, W> factor = b[j];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) sums[r] = fma(Pack<Real, W>(x[r * columns + j]), factor, sums[r]);
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) out[r] = sums[r];
}

/// g[j] += Σ_r x[r, j]·a[r], each one chain of fma in the order of rows, whatever the tile.
template <int Rows, class Real, int W>
BREAKSTEP_INLINE void multiply_transposed_tile(const Real* x, int columns, const Pack<Real, W>* a, Pack<Real, W>* g) {
  Pack<Real, W> factors[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) factors[r] = a[r];
  for (int j = 0; j < columns; ++j) {
    Pack<Real, W> sum = g[j];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) sum = fma(Pack<Real, W>(x[r * columns + j]), factors[r], sum);
    g[j] = sum;
  }
}

/// Calls tile(first row, constant number of rows) until all rows are covered.
template <class Tile>
BREAKSTEP_INLINE void for_tiles(int rows, Tile tile) {
  int i = 0;
  for (; i + tile_rows <= rows; i += tile_rows) tile(i, std::integral_constant<int, tile_rows>{});
  for (; i < rows; ++i) tile(i, std::integral_constant<int, 1>{});
}

template <class Real, int W>
struct Product : Tape<Real, W>::Node {
  const Real* x;
  int rows;
  int columns;
  Pack<Real, W>* start;  // null if it is a constant
  Pack<Real, W>* inputs;
  Pack<Real, W>* adjoints;

  static void back(Product& node) {
    for_tiles(node.rows, [&](int i, auto count) {
      multiply_transposed_tile<count()>(node.x + static_cast<std::ptrdiff_t>(i) * node.columns, node.columns,
                                        node.adjoints + i, node.inputs);
    });
    if (node.start == nullptr) return;
    OrderedSum<Pack<Real, W>> total(node.rows);
    for (int i = 0; i < node.rows; ++i) total.add(i, node.adjoints[i]);
    *node.start = *node.start + total.total();
  }
};

}  // namespace detail

/// start + x·b for every row of x: the linear predictor of a regression. One node for all rows.
template <class Number>
Vector<Number> multiply_add(const std::type_identity_t<Number>& start, const DataMatrix& x, const Vector<Number>& b) {
  using Real = RealOf<Number>;
  using Value = ValueOf<Number>;
  assert(b.size() == x.columns());
  const int rows = x.rows(), columns = x.columns();
  const Real* data = x.as<Real>();
  const auto* factors = values_of(b);
  auto* out = detail::take<Value>(rows);
  detail::for_tiles(rows, [&](int i, auto count) {
    detail::multiply_tile<count()>(data + static_cast<std::ptrdiff_t>(i) * columns, columns, factors,
                                   value_of<Number>(start), out + i);
  });
  if constexpr (detail::is_pack<Number>) {
    return {out, rows};
  } else if constexpr (detail::is_variable<Number>) {
    auto& tape = Number::Recorder::active();
    auto* adjoints = tape.adjoints(rows);
    auto& node = tape.template add<detail::Product<Real, Value::width>>();
    node.x = data;
    node.rows = rows;
    node.columns = columns;
    node.start = start.adjoint;
    node.inputs = b.adjoints();
    node.adjoints = adjoints;
    return {out, adjoints, rows};
  } else {
    return make_vector<Number>(rows, [&](int i) {
      Number y = start.shifted(out[i]);
      for (int k = 0; k < Number::directions; ++k) {
        for (int j = 0; j < columns; ++j) {
          y.slope[k] = fma(Value(data[static_cast<std::ptrdiff_t>(i) * columns + j]), b[j].slope[k], y.slope[k]);
        }
      }
      return y;
    });
  }
}

/// x·b for every row of x. One node for all rows.
template <class Number>
Vector<Number> multiply(const DataMatrix& x, const Vector<Number>& b) {
  return multiply_add<Number>(constant<Number>(0), x, b);
}

/// Σ aᵢ·xᵢ with data a.
template <class Number>
Number dot(const DataVector& a, const Vector<Number>& x) {
  using Value = ValueOf<Number>;
  assert(a.size() == x.size());
  const auto* data = a.as<RealOf<Number>>();
  const auto* values = values_of(x);
  auto* slopes = detail::take_slopes<Number>(x.size());
  detail::OrderedSum<Value> total(x.size());
  for (int i = 0; i < x.size(); ++i) {
    total.add(i, Value(data[i]) * values[i]);
    if constexpr (!detail::is_pack<Number>) slopes[i] = Value(data[i]);
  }
  return detail::reduced<Number>(total.total(), detail::VectorSlopes<Number>{x, slopes});
}

/// xᵀ·A·x for a square matrix of data, which need not be symmetric.
template <class Number>
Number quadratic_form(const DataMatrix& a, const Vector<Number>& x) {
  using Value = ValueOf<Number>;
  const int n = x.size();
  assert(a.rows() == n && a.columns() == n);
  const auto* data = a.as<RealOf<Number>>();
  const auto* values = values_of(x);
  auto* product = detail::take<Value>(n);
  detail::for_tiles(n, [&](int i, auto count) {
    detail::multiply_tile<count()>(data + static_cast<std::ptrdiff_t>(i) * n, n, values, detail::literal<Value>(0),
                                   product + i);
  });
  detail::OrderedSum<Value> total(x.size());
  for (int i = 0; i < n; ++i) total.add(i, values[i] * product[i]);
  if constexpr (!detail::is_pack<Number>) {  // the slope is (A + Aᵀ)·x
    detail::for_tiles(n, [&](int i, auto count) {
      detail::multiply_transposed_tile<count()>(data + static_cast<std::ptrdiff_t>(i) * n, n, values + i, product);
    });
  }
  return detail::reduced<Number>(total.total(), detail::VectorSlopes<Number>{x, product});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
