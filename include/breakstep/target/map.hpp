// AffineMap: x = m + L·u with L the identity, diagonal or lower triangular; takes N(0, I) to a Gaussian prior.
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/lanes/cholesky.hpp"
#include "breakstep/lanes/matrix.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

using lanes::InterleavedVector;
using lanes::Mask;
using lanes::Pack;

/// A Gaussian prior as a target declares it. An empty mean is zero. At most one of `sd` (diagonal covariance, standard
/// deviations) and `covariance` (dense, row by row) is given; neither means the identity.
struct GaussianPrior {
  std::vector<double> mean = {};
  std::vector<double> sd = {};
  std::vector<double> covariance = {};
};

/// The map itself, at one precision, for any width. Immutable, shared by all chains.
template <class Real>
class AffineMap {
 public:
  /// The identity.
  explicit AffineMap(int dimension) : dimension_(dimension) {}

  /// The map that takes N(0, I) to `prior`. Throws Error if the prior's sizes are wrong or its covariance is not
  /// positive definite.
  AffineMap(const GaussianPrior& prior, int dimension) : dimension_(dimension) {
    const auto n = static_cast<std::size_t>(dimension);
    require(prior.mean.empty() || prior.mean.size() == n, "mean", prior.mean.size(), n);
    require(prior.sd.empty() || prior.sd.size() == n, "standard deviations", prior.sd.size(), n);
    require(prior.covariance.empty() || prior.covariance.size() == n * n, "covariance", prior.covariance.size(), n * n);
    for (const double m : prior.mean) mean_.push_back(static_cast<Real>(m));
    for (const double s : prior.sd) {
      if (!(s > 0))
        throw Error("a standard deviation of the prior is " + std::to_string(s), "it must be positive",
                    "correct the prior");
      scale_.push_back(static_cast<Real>(s));
    }
    if (!prior.covariance.empty()) factor(prior.covariance);
  }

  [[nodiscard]] int dimension() const { return dimension_; }
  [[nodiscard]] bool is_identity() const { return mean_.empty() && scale_.empty() && lower_.empty(); }
  /// Whether every coordinate goes by itself.
  [[nodiscard]] bool is_diagonal() const { return lower_.empty(); }

  /// x = m + L·u. Both have this map's dimension and must not overlap.
  template <int W>
  void apply(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& x) const {
    using P = Pack<Real, W>;
    for (int i = 0; i < dimension_; ++i) {
      P value = u[i];
      if (!scale_.empty()) value = value * P(scale_[i]);
      if (!lower_.empty()) {
        value = P(Real(0));
        for (int k = 0; k <= i; ++k) value = fma(P(lower(i, k)), u[k], value);
      }
      x.store(i, mean_.empty() ? value : value + P(mean_[i]));
    }
  }

  /// x = m + L·u of one position, L diagonal.
  void apply(const Real* u, Real* x) const {
    assert(is_diagonal());
    for (int i = 0; i < dimension_; ++i) {
      const Real value = scale_.empty() ? u[i] : u[i] * scale_[i];
      x[i] = mean_.empty() ? value : value + mean_[i];
    }
  }

  /// u = L⁻¹·(x − m). May overlap.
  template <int W>
  void invert(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& u) const {
    using P = Pack<Real, W>;
    for (int i = 0; i < dimension_; ++i) {
      P value = mean_.empty() ? x[i] : x[i] - P(mean_[i]);
      if (!scale_.empty()) value = value / P(scale_[i]);
      if (!lower_.empty()) {
        for (int k = 0; k < i; ++k) value = fma(P(-lower(i, k)), u[k], value);
        value = value / P(lower(i, i));
      }
      u.store(i, value);
    }
  }

  /// g ← Lᵀ·g: turns a gradient with respect to x into one with respect to u.
  template <int W>
  void pull_back(const InterleavedVector<Real, W>& g) const {
    using P = Pack<Real, W>;
    for (int i = 0; i < dimension_; ++i) {
      P value = g[i];
      if (!scale_.empty()) value = value * P(scale_[i]);
      if (!lower_.empty()) {
        value = P(Real(0));
        for (int k = i; k < dimension_; ++k) value = fma(P(lower(k, i)), g[k], value);
      }
      g.store(i, value);
    }
  }

  /// The same for one gradient, L diagonal.
  void pull_back(Real* g) const {
    assert(is_diagonal());
    if (scale_.empty()) return;
    for (int i = 0; i < dimension_; ++i) g[i] = g[i] * scale_[i];
  }

  /// u ← L⁻ᵀ·u.
  template <int W>
  void solve_transposed(const InterleavedVector<Real, W>& u) const {
    using P = Pack<Real, W>;
    for (int i = dimension_ - 1; i >= 0; --i) {
      P value = u[i];
      if (!scale_.empty()) value = value / P(scale_[i]);
      if (!lower_.empty()) {
        for (int k = i + 1; k < dimension_; ++k) value = fma(P(-lower(k, i)), u[k], value);
        value = value / P(lower(i, i));
      }
      u.store(i, value);
    }
  }

  /// log N(x; m, L·Lᵀ) up to a constant; adds its gradient, −L⁻ᵀ·L⁻¹·(x − m), to `gradient`; `u` is scratch.
  template <int W>
  [[nodiscard]] Pack<Real, W> add_log_density(const InterleavedVector<Real, W>& x,
                                              const InterleavedVector<Real, W>& gradient,
                                              const InterleavedVector<Real, W>& u) const {
    invert(x, u);
    const Pack<Real, W> value = Pack<Real, W>(Real(-0.5)) * dot(Mask<W>::all_lanes(), u, u);
    if (!is_identity()) solve_transposed(u);
    for (int i = 0; i < dimension_; ++i) gradient.store(i, gradient[i] - u[i]);
    return value;
  }

  /// log N(x; m, L·Lᵀ) up to a constant; `u` is scratch.
  template <int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x,
                                          const InterleavedVector<Real, W>& u) const {
    if (is_identity()) return Pack<Real, W>(Real(-0.5)) * dot(Mask<W>::all_lanes(), x, x);
    invert(x, u);
    return Pack<Real, W>(Real(-0.5)) * dot(Mask<W>::all_lanes(), u, u);
  }

 private:
  static void require(bool holds, const char* what, std::size_t found, std::size_t needed) {
    if (holds) return;
    throw Error("the prior's " + std::string(what) + " has " + std::to_string(found) + " numbers",
                std::to_string(needed) + " are needed for this dimension", "correct the prior");
  }

  [[nodiscard]] Real lower(int i, int k) const { return lower_[static_cast<std::size_t>(i) * dimension_ + k]; }

  void factor(const std::vector<double>& covariance) {
    const auto memory = lanes::aligned_zeros<double>(lanes::ColumnMatrix<double>::elements(dimension_));
    const lanes::ColumnMatrix<double> a(memory.get(), dimension_);
    for (int i = 0; i < dimension_; ++i) {
      for (int j = 0; j <= i; ++j) a(i, j) = covariance[static_cast<std::size_t>(i) * dimension_ + j];
    }
    std::vector<double> inverse_diagonal(static_cast<std::size_t>(dimension_));
    lanes::cholesky(a, inverse_diagonal.data());
    lower_.assign(static_cast<std::size_t>(dimension_) * dimension_, Real(0));
    for (int i = 0; i < dimension_; ++i) {
      if (!(a(i, i) > 0)) {
        throw Error("the prior's covariance cannot be used", "it is not positive definite",
                    "check its rows and columns");
      }
      for (int j = 0; j <= i; ++j) lower_[static_cast<std::size_t>(i) * dimension_ + j] = static_cast<Real>(a(i, j));
    }
  }

  int dimension_;
  std::vector<Real> mean_;
  std::vector<Real> scale_;
  std::vector<Real> lower_;  // row by row, zeros above the diagonal
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
