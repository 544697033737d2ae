// Gaussian-process regression: the posterior of noise, length scale and signal variance, all as logarithms with N(0,1)
// priors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/lanes/inverse.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Parameters (s, l, c): K = eᶜ·exp(−D² / 2eˡ) + eˢ·I, y ~ N(0, K), prior N(0, I). A covariance that is not positive
/// definite in floating point has density NaN, which every sampler rejects.
class GpRegression {
 public:
  /// `features` is rows × columns; both features and y are standardised here (population standard deviation).
  GpRegression(std::vector<double> features, std::vector<double> y);

  /// All columns but the last are features, the last is y. `points` > 0 takes the first rows only.
  static GpRegression read(const std::string& path, int points = 0);
  /// n points of a smooth function of six variables with noise, from a seeded generator.
  static GpRegression synthetic(int n, std::uint64_t seed = 3);

  [[nodiscard]] int points() const { return n_; }
  [[nodiscard]] static int dimension() { return 3; }
  [[nodiscard]] static GaussianPrior prior() { return {}; }
  [[nodiscard]] static std::vector<std::string> parameter_names() { return {"log_noise", "log_length", "log_signal"}; }

  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    const auto n = static_cast<std::size_t>(n_);
    return lanes::Triangles<Real, W>::elements(n_) + 2 * n * W + 64;
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return evaluate<false>(x, x, workspace);
  }
  /// Three times the work of the likelihood alone: the inverse of K costs two more products of its size.
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient,
                                                          Real* workspace) const {
    return evaluate<true>(x, gradient, workspace);
  }

 private:
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const auto triangle = (lanes::Triangles<Real, W>::elements(n_) + 15) / 16 * 16;
    const lanes::Triangles<Real, W> k(workspace, n_);
    const InterleavedVector<Real, W> inverse(workspace + triangle, n_);
    const InterleavedVector<Real, W> residual(workspace + triangle + InterleavedVector<Real, W>::elements(n_), n_);
    const P noise = exp(x[0]), steepness = P(Real(-0.5)) / exp(x[1]), signal = exp(x[2]);
    const Real* squared = squared_distances<Real>();
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < i; ++j) k.store(i, j, signal * exp(steepness * P(*squared++)));
      k.store(i, i, signal + noise);
      residual.store(i, P(observed<Real>()[i]));
    }
    lanes::cholesky(k, inverse);
    lanes::solve_lower(k, inverse, residual);
    const auto all = lanes::Mask<W>::all_lanes();
    // log det K = −2·Σ log(1/Lᵢᵢ); products of a few diagonal elements at a time save logarithms.
    P log_determinant(Real(0));
    for (int i = 0; i < n_; ++i) log_determinant = log_determinant + log(inverse[i]);
    const P value = fma(P(Real(-0.5)), dot(all, residual, residual), log_determinant);
    if constexpr (WithGradient) {
      // ½·tr(M·∂K) with M = ααᵀ − K⁻¹ and α = K⁻¹y; the elements of the signal's covariance are made again.
      lanes::solve_upper(k, inverse, residual);
      lanes::invert_lower(k, inverse);
      P trace(Real(0)), by_signal(Real(0)), by_length(Real(0));
      const Real* const below = squared_distances<Real>();
      lanes::visit_inverse(k, [&](int i, int j, P element) BREAKSTEP_INLINE_LAMBDA {
        const P m = fma(residual[i], residual[j], -element);
        if (i == j) {
          trace = trace + m;
        } else {
          const P exponent = steepness * P(below[static_cast<std::ptrdiff_t>(i) * (i - 1) / 2 + j]);
          const P weighted = m * exp(exponent);
          by_signal = by_signal + weighted;
          by_length = fnma(weighted, exponent, by_length);
        }
      });
      const P half_trace = P(Real(0.5)) * trace;
      gradient.store(0, noise * half_trace);
      gradient.store(1, signal * by_length);
      gradient.store(2, signal * (by_signal + half_trace));
    }
    return value;
  }

  template <class Real>
  [[nodiscard]] const Real* squared_distances() const {
    if constexpr (sizeof(Real) == 4) {
      return squared_f_.data();
    } else {
      return squared_d_.data();
    }
  }
  template <class Real>
  [[nodiscard]] const Real* observed() const {
    if constexpr (sizeof(Real) == 4) {
      return y_f_.data();
    } else {
      return y_d_.data();
    }
  }

  int n_;
  std::vector<double> squared_d_;  // below the diagonal, row by row
  std::vector<float> squared_f_;
  std::vector<double> y_d_;
  std::vector<float> y_f_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
