// The mixture of MixtureCode evaluated as most programs would: with a dense precision matrix, for comparisons of speed.
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/target/data.hpp"
#include "breakstep/target/mixture.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The same density as MixtureCode from three products Σ⁻¹·z, z = x, x − 10 and x + 10, each 2·d² operations. In float
/// it keeps three or four digits, because the products cancel; MixtureCode does not have that trouble.
class MixtureCodeDense {
 public:
  explicit MixtureCodeDense(int dimension = 100, double correlation = 0.99)
      : covariance_{dimension, correlation}, log_determinant_(covariance_.log_determinant()) {
    const double off_diagonal = -correlation / covariance_.along() / covariance_.within();
    std::vector<double> tiles;
    for (int first = 0; first < dimension; first += rows) {
      for (int column = 0; column < dimension; ++column) {
        for (int row = first; row < first + rows; ++row) {
          tiles.push_back(row >= dimension ? 0 : off_diagonal + (row == column ? 1 / covariance_.within() : 0));
        }
      }
    }
    tiles_ = Numbers(std::move(tiles));
  }

  [[nodiscard]] int dimension() const { return covariance_.size; }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return 6 * InterleavedVector<Real, W>::elements(dimension());
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return evaluate<false>(x, x, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient,
                                                       Real* workspace) const {
    return evaluate<true>(x, gradient, workspace);
  }

 private:
  static constexpr int rows = 4;     // of the matrix at once; times the three vectors, the sums fill twelve registers
  static constexpr int vectors = 3;  // x, x − 10 and x + 10
  static constexpr double centre = 10;

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const int d = dimension();
    const std::ptrdiff_t row_size = std::ptrdiff_t{vectors} * W;
    Real* const z = workspace;  // the three vectors, coordinate by coordinate
    Real* const products = workspace + d * row_size;
    const P away(static_cast<Real>(centre));
    for (int i = 0; i < d; ++i) {
      const P xi = x[i];
      xi.store(z + i * row_size);
      (xi - away).store(z + i * row_size + W);
      (xi + away).store(z + i * row_size + 2 * std::ptrdiff_t{W});
    }
    P forms[vectors] = {P(Real(0)), P(Real(0)), P(Real(0))};
    const Real* tile = tiles_.as<Real>();
    for (int first = 0; first < d; first += rows) {
      P sums[rows][vectors];
#pragma GCC unroll 4
      for (auto& row : sums) {
#pragma GCC unroll 4
        for (P& sum : row) sum = P(Real(0));
      }
      for (const Real* zj = z; zj != z + d * row_size; zj += row_size, tile += rows) {
        P column[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) column[v] = P::load(zj + std::ptrdiff_t{v} * W);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
          const P element(tile[r]);
#pragma GCC unroll 4
          for (int v = 0; v < vectors; ++v) sums[r][v] = fma(element, column[v], sums[r][v]);
        }
      }
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        if (first + r >= d) break;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const std::ptrdiff_t at = (first + r) * row_size + std::ptrdiff_t{v} * W;
          forms[v] = fma(P::load(z + at), sums[r][v], forms[v]);
          if constexpr (WithGradient) sums[r][v].store(products + at);
        }
      }
    }
    const P half(Real(-0.5)), right = half * forms[1], left = half * forms[2];
    const P difference = right - left, odds = exp(-abs(difference)), nearer_weight = P(Real(1)) / (P(Real(1)) + odds);
    if constexpr (WithGradient) {
      const auto is_right = difference > P(Real(0));
      const P farther_weight = odds * nearer_weight;
      const P right_weight = select(is_right, nearer_weight, farther_weight);
      const P left_weight = select(is_right, farther_weight, nearer_weight);
      for (int i = 0; i < d; ++i) {
        const Real* product = products + i * row_size;
        const P outer = fma(right_weight, P::load(product + W), left_weight * P::load(product + 2 * std::ptrdiff_t{W}));
        gradient.store(i, -P::load(product) - outer);
      }
    }
    return fma(half, forms[0], max(right, left) + log1p(odds)) - P(static_cast<Real>(log_determinant_));
  }

  EqualCorrelation covariance_;
  double log_determinant_;
  Numbers tiles_;  // Σ⁻¹ in stripes of `rows` rows, each column by column
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
