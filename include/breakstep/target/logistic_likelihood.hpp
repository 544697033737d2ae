// The likelihood of 0/1 outcomes under a logistic model, and its gradient: two products with the data, tiled in
// registers.
#pragma once

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
    int row = 0;
    for (; row + tile <= rows_; row += tile, x += std::ptrdiff_t{tile} * columns_) {
      add_rows<tile, WithGradient, Real, W>(x, weights, gradient, limit, sums);
    }
    for (; row < rows_; ++row, x += columns_) add_rows<1, WithGradient, Real, W>(x, weights, gradient, limit, sums);
    return sums.below - sums.logarithms;
  }

  /// Writes the log likelihood of each row at `weights` (columns() numbers), with the same limit.
  void pointwise(const double* weights, double limit, double* out) const;

  /// The same rows with outcomes drawn from the model at `weights`, with the same limit.
  [[nodiscard]] LogisticLikelihood simulated(const double* weights, double limit, Synthetic& random) const;

 private:
  static constexpr int tile = 8;  // rows at once: enough chains of sums to hide the latency of each

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

  template <int Rows, bool WithGradient, class Real, int W>
  BREAKSTEP_INLINE void add_rows(const Real* x, const Real* weights, Real* gradient, Real limit,
                                 Sums<Real, W>& sums) const {
    using P = Pack<Real, W>;
    const P one(Real(1)), zero(Real(0)), highest(limit);
    P t[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) t[r] = zero;
    for (int j = 0; j < columns_; ++j) {
      const P weight = P::load(weights + std::ptrdiff_t{j} * W);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) t[r] = fma(P(x[j * Rows + r]), weight, t[r]);
    }
    // The logarithm of a product of a few numbers between 1 and 2 saves all but one of their logarithms.
    P product = one, force[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      // Written so that NaN stays NaN: it is not positive, and its size is NaN.
      const P size = min(highest, abs(t[r])), odds = exp(-size), all = one + odds;
      const auto is_positive = t[r] > zero;
      sums.below = sums.below - select(is_positive, zero, size);
      product = product * all;
      if constexpr (WithGradient) {
        force[r] = select(size < highest, select(is_positive, odds, one) / all, zero);
      }
    }
    sums.logarithms = sums.logarithms + log_of_positive(product);
    if constexpr (WithGradient) {
      for (int j = 0; j < columns_; ++j) {
        P sum = P::load(gradient + std::ptrdiff_t{j} * W);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) sum = fma(P(x[j * Rows + r]), force[r], sum);
        sum.store(gradient + std::ptrdiff_t{j} * W);
      }
    }
  }

  int rows_;
  int columns_;
  Numbers elements_;  // tiles of eight rows, each column by column; then the last rows one by one
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
