// Gaussian-process regression: the posterior of noise, length scale and signal variance, all as logarithms with N(0,1)
// priors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "breakstep/lanes/inverse.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/synthetic.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The covariance signal·exp(steepness·D²) + noise·I, or derivatives with respect to its three numbers.
template <class Real, int W>
struct GpCovariance {
  Pack<Real, W> noise, steepness, signal;
};

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
  [[nodiscard]] static Parameters parameters() {
    return {positive("noise_variance"), positive("squared_length"), positive("signal_variance")};
  }
  /// y as the model draws it, not standardised again.
  [[nodiscard]] GpRegression with_simulated_data(const std::vector<double>& x, Synthetic& random) const;

  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    const auto n = static_cast<std::size_t>(n_);
    return lanes::Triangles<Real, W>::elements(n_) + 2 * n * W + 64;
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return log_likelihood_of<false>(covariance(x), nullptr, workspace);
  }
  /// Three times the work of the likelihood alone: the inverse of K costs two more products of its size.
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient,
                                                          Real* workspace) const {
    const GpCovariance<Real, W> at = covariance(x);
    GpCovariance<Real, W> by;
    const Pack<Real, W> value = log_likelihood_of<true>(at, &by, workspace);
    gradient.store(0, at.noise * by.noise);
    gradient.store(1, -(at.steepness * by.steepness));
    gradient.store(2, at.signal * by.signal);
    return value;
  }

  /// The likelihood of any K = signal·exp(steepness·D²) + noise·I; with a gradient asked for, fills `derivatives`.
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_of(const GpCovariance<Real, W>& at,
                                                std::type_identity_t<GpCovariance<Real, W>>* derivatives,
                                                Real* workspace) const {
    using P = Pack<Real, W>;
    const auto triangle = (lanes::Triangles<Real, W>::elements(n_) + 15) / 16 * 16;
    const lanes::Triangles<Real, W> k(workspace, n_);
    const InterleavedVector<Real, W> inverse(workspace + triangle, n_);
    const InterleavedVector<Real, W> residual(workspace + triangle + InterleavedVector<Real, W>::elements(n_), n_);
    const P steepness = at.steepness, signal = at.signal;
    fill_covariance(at, k);
    for (int i = 0; i < n_; ++i) residual.store(i, P(observed<Real>()[i]));
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
      P trace(Real(0)), by_signal(Real(0)), by_steepness(Real(0));
      const Real* const below = squared_distances<Real>();
      lanes::visit_inverse(k, [&](int i, int j, P element) BREAKSTEP_INLINE_LAMBDA {
        const P m = fma(residual[i], residual[j], -element);
        if (i == j) {
          trace = trace + m;
        } else {
          const P distance(below[static_cast<std::ptrdiff_t>(i) * (i - 1) / 2 + j]);
          const P weighted = m * exp(steepness * distance);
          by_signal = by_signal + weighted;
          by_steepness = fma(weighted, distance, by_steepness);
        }
      });
      const P half_trace = P(Real(0.5)) * trace;
      *derivatives = {half_trace, signal * by_steepness, by_signal + half_trace};
    }
    return value;
  }

 private:
  template <class Real, int W>
  static GpCovariance<Real, W> covariance(const InterleavedVector<Real, W>& x) {
    return {exp(x[0]), Pack<Real, W>(Real(-0.5)) / exp(x[1]), exp(x[2])};
  }
  template <class Real, int W>
  void fill_covariance(const GpCovariance<Real, W>& at, const lanes::Triangles<Real, W>& k) const {
    using P = Pack<Real, W>;
    const Real* squared = squared_distances<Real>();
    const auto fill_row = [&](int i, auto exponential) BREAKSTEP_INLINE_LAMBDA {
      const P steepness = at.steepness, signal = at.signal;
      Real* to = k.row(i);
      for (int j = 0; j < i; ++j, to += W) (signal * exponential(steepness * P(squared[j]))).store(to);
      (signal + at.noise).store(to);
    };
    for (int i = 0; i < n_; squared += i++) {
      // All exponents of a row lie between zero and that of its farthest point; NaN takes the careful way.
      if (has_normal_exp(at.steepness * P(farthest<Real>()[i])).all()) {
        fill_row(i, [](const P& x) BREAKSTEP_INLINE_LAMBDA { return exp_if_normal(x); });
      } else {
        fill_row(i, [](const P& x) BREAKSTEP_INLINE_LAMBDA { return exp(x); });
      }
    }
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
  [[nodiscard]] const Real* farthest() const {
    if constexpr (sizeof(Real) == 4) {
      return farthest_f_.data();
    } else {
      return farthest_d_.data();
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
  std::vector<double> farthest_d_;  // the greatest of each row
  std::vector<float> farthest_f_;
  std::vector<double> y_d_;
  std::vector<float> y_f_;
};

/// GpRegression with its prior counted twice, N(0, I/2): what elliptical slice sampling draws if the function it is
/// given as the likelihood already holds the prior.
class GpEssEffective : public GpRegression {
 public:
  explicit GpEssEffective(GpRegression once) : GpRegression(std::move(once)) {}

  [[nodiscard]] static GaussianPrior prior() {
    constexpr double sqrt_half = 0.70710678118654752440;
    return {.sd = {sqrt_half, sqrt_half, sqrt_half}};
  }
};

/// Parameters (σ, τ, λ) without logarithms: K = τ²·exp(−λ²·D²) + σ²·I, prior N(0, I). Eight modes that differ in signs.
class GpPaper {
 public:
  explicit GpPaper(GpRegression data) : data_(std::move(data)) {}

  [[nodiscard]] static int dimension() { return 3; }
  [[nodiscard]] static GaussianPrior prior() { return {}; }
  [[nodiscard]] static Parameters parameters() { return {real("sigma"), real("tau"), real("lambda")}; }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return data_.workspace<Real, W>();
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return data_.log_likelihood_of<false>(covariance(x), nullptr, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient,
                                                          Real* workspace) const {
    GpCovariance<Real, W> by;
    const Pack<Real, W> value = data_.log_likelihood_of<true>(covariance(x), &by, workspace), two(Real(2));
    gradient.store(0, two * x[0] * by.noise);
    gradient.store(1, two * x[1] * by.signal);
    gradient.store(2, -(two * x[2] * by.steepness));
    return value;
  }

 private:
  template <class Real, int W>
  static GpCovariance<Real, W> covariance(const InterleavedVector<Real, W>& x) {
    return {x[0] * x[0], -(x[2] * x[2]), x[1] * x[1]};
  }

  GpRegression data_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
