// The likelihood of 0/1 outcomes under a logistic model, and its gradient: two products with the data, tiled in
// registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "breakstep/target/data.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/synthetic.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// P(yᵢ = 1) = 1/(1 + exp(−Xᵢ·w)). Rows are kept multiplied by the sign of their outcome, so that both outcomes are one
/// formula: log likelihood −Σ log(1 + exp(−tᵢ)) with tᵢ = ±Xᵢ·w.
class LogisticLikelihood {
 public:
  /// `x` is rows × columns; outcome true means y = 1.
  LogisticLikelihood(const std::vector<double>& x, const std::vector<bool>& outcomes)
      : rows_(static_cast<int>(outcomes.size())), columns_(static_cast<int>(x.size() / outcomes.size())) {
    const auto columns = static_cast<std::size_t>(columns_);
    const auto signed_element = [&](std::size_t row, std::size_t j) {
      return outcomes[row] ? x[row * columns + j] : -x[row * columns + j];
    };
    std::vector<double> tiles;
    std::size_t row = 0;
    for (; row + tile <= outcomes.size(); row += tile) {
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t r = 0; r < tile; ++r) tiles.push_back(signed_element(row + r, j));
      }
    }
    for (; row < outcomes.size(); ++row) {
      for (std::size_t j = 0; j < columns; ++j) tiles.push_back(signed_element(row, j));
    }
    elements_ = Numbers(std::move(tiles));
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }

  /// The log likelihood at `weights` (columns() packs); with a gradient asked for, fills `gradient` (as many).
  /// Probabilities are kept within [p, 1 − p] for p = 1/(1 + e^limit), where the derivative is 0.
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const Real* weights, Real* gradient, Real limit) const {
    using P = Pack<Real, W>;
    Sums<Real, W> sums;
    if constexpr (WithGradient) {
      for (int j = 0; j < columns_; ++j) P(Real(0)).store(gradient + std::ptrdiff_t{j} * W);
    }
    const Real* x = elements_.as<Real>();
    Chunk<Real, W> chunk;
    int row = 0;
    while (row + tile <= rows_) {
      const int tiles = std::min(tiles_of_chunk, (rows_ - row) / tile);
      for (int k = 0; k < tiles; ++k) {
        const Real* const tile_of_x = x + std::ptrdiff_t{k} * tile * columns_;
        multiply_rows<tile>(tile_of_x, weights, chunk.rows + k * tile);
      }
      for (int k = 0; k < tiles; ++k) judge_rows<tile, WithGradient>(chunk.rows + k * tile, limit, sums);
      if constexpr (WithGradient) add_forces<tile>(x, tiles, chunk.rows, gradient);
      row += tiles * tile;
      x += std::ptrdiff_t{tiles} * tile * columns_;
    }
    for (; row < rows_; ++row, x += columns_) {
      multiply_rows<1>(x, weights, chunk.rows);
      judge_rows<1, WithGradient>(chunk.rows, limit, sums);
      if constexpr (WithGradient) add_forces<1>(x, 1, chunk.rows, gradient);
    }
    return sums.below - sums.logarithms;
  }

  /// Writes the log likelihood of each row at `weights` (columns() numbers), with the same limit.
  void pointwise(const double* weights, double limit, double* out) const;

  /// The same rows with outcomes drawn from the model at `weights`, with the same limit.
  [[nodiscard]] LogisticLikelihood simulated(const double* weights, double limit, Synthetic& random) const;

 private:
  static constexpr int tile = 8;  // rows at once: enough chains of sums to hide the latency of each
  static constexpr int tiles_of_chunk = 8;
  static constexpr int most_columns_at_once = 12;  // with their sums in registers

  /// Where a row's elements are: the first, and how far apart they lie.
  struct Row {
    std::ptrdiff_t first;
    int stride;
  };
  [[nodiscard]] Row place_of(int row) const;
  /// ±Xᵢ·w within the limit: the logarithm of the odds of a row's own outcome.
  [[nodiscard]] double log_odds(int row, const double* weights, double limit) const;

  template <class Real, int W>
  struct Sums {
    Pack<Real, W> below = Real(0), logarithms = Real(0);  // Σ min(t, 0) and Σ log(1 + exp(−|t|))
  };

  /// What is known of some rows: first tᵢ, then the derivative of the log likelihood by it. They are few enough to stay
  /// in the nearest cache, and enough for a column's sum to stay in a register for a while.
  template <class Real, int W>
  struct Chunk {
    Pack<Real, W> rows[tiles_of_chunk * tile];
  };

  /// t of the rows of one tile.
  template <int Rows, class Real, int W>
  BREAKSTEP_INLINE void multiply_rows(const Real* x, const Real* weights, Pack<Real, W>* t) const {
    using P = Pack<Real, W>;
    P sum[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) sum[r] = P(Real(0));
    for (int j = 0; j < columns_; ++j) {
      const P weight = P::load(weights + std::ptrdiff_t{j} * W);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) sum[r] = fma(P(x[j * Rows + r]), weight, sum[r]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) t[r] = sum[r];
  }

  /// Adds the rows' log likelihoods; with a gradient asked for, their derivatives by t take the place of t.
  template <int Rows, bool WithGradient, class Real, int W>
  BREAKSTEP_INLINE void judge_rows(Pack<Real, W>* t, Real limit, Sums<Real, W>& sums) const {
    using P = Pack<Real, W>;
    const P one(Real(1)), zero(Real(0)), highest(limit);
    constexpr Real negligible = -87;  // its exponential, beside 1
    // The logarithm of a product of a few numbers between 1 and 2 saves all but one of their logarithms.
    P product = one, below = sums.below;
    for (int r = 0; r < Rows; ++r) {
      // Written so that NaN stays NaN: it is not positive, and its size is NaN.
      const P own = t[r], size = min(highest, abs(own)), odds = exp_if_normal(max(P(negligible), -size));
      const P all = one + odds;
      const auto is_positive = own > zero;
      below = below - select(is_positive, zero, size);
      product = product * all;
      if constexpr (WithGradient) t[r] = select(size < highest, select(is_positive, odds, one) / all, zero);
    }
    sums.below = below;
    sums.logarithms = sums.logarithms + log_of_positive(product);
  }

  /// Adds the rows' forces times their elements to the gradient, columns in groups of nearly the same size.
  template <int Rows, class Real, int W>
  BREAKSTEP_INLINE void add_forces(const Real* x, int tiles, const Pack<Real, W>* forces, Real* gradient) const {
    const int groups = (columns_ + most_columns_at_once - 1) / most_columns_at_once;
    for (int group = 0, first = 0; group < groups; ++group) {
      const int count = (columns_ - first) / (groups - group);
      add_forces_to<most_columns_at_once, Rows>(count, x + std::ptrdiff_t{first} * Rows, tiles, forces,
                                                gradient + std::ptrdiff_t{first} * W);
      first += count;
    }
  }

  template <int Columns, int Rows, class Real, int W>
  void add_forces_to(int count, const Real* x, int tiles, const Pack<Real, W>* forces, Real* gradient) const {
    using P = Pack<Real, W>;
    if constexpr (Columns > 1) {
      if (count < Columns) return add_forces_to<Columns - 1, Rows>(count, x, tiles, forces, gradient);
    }
    P sum[Columns];
#pragma GCC unroll 12
    for (int j = 0; j < Columns; ++j) sum[j] = P::load(gradient + std::ptrdiff_t{j} * W);
    for (int k = 0; k < tiles; ++k, x += std::ptrdiff_t{Rows} * columns_) {
      for (int r = 0; r < Rows; ++r) {
        const P force = forces[k * Rows + r];
#pragma GCC unroll 12
        for (int j = 0; j < Columns; ++j) sum[j] = fma(P(x[j * Rows + r]), force, sum[j]);
      }
    }
#pragma GCC unroll 12
    for (int j = 0; j < Columns; ++j) sum[j].store(gradient + std::ptrdiff_t{j} * W);
  }

  int rows_;
  int columns_;
  Numbers elements_;  // tiles of eight rows, each column by column; then the last rows one by one
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
