// Biochemical oxygen demand: two parameters of a saturating curve, hardly identified by early measurements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/lanes/math/rough_expm1.hpp"
#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// obsᵢ ~ N(x₀·(1 − exp(−x₁·tᵢ)), 2·10⁻⁴), without the constant.
class BodLikelihood {
 public:
  BodLikelihood(std::vector<double> times, std::vector<double> observed);
  /// Columns `t` and `obs`.
  static BodLikelihood read(const std::string& path);
  /// Twenty measurements of the curve with parameters (1, 0.1).
  static BodLikelihood synthetic(std::uint64_t seed = 7);

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    constexpr double precision = 1 / 2e-4;
    const P level = x[0], minus_rate = -x[1];
    P squares(Real(0)), by_level(Real(0)), by_minus_rate(Real(0));
    const Real* times = times_.as<Real>();
    const Real* observed = observed_.as<Real>();
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const P t(times[i]), minus_share = rough_expm1(minus_rate * t);
      const P residual = fma(level, minus_share, P(observed[i]));
      squares = fma(residual, residual, squares);
      if constexpr (WithGradient) {
        by_level = fma(residual, minus_share, by_level);
        by_minus_rate = fma(residual * t, minus_share + Real(1), by_minus_rate);
      }
    }
    if constexpr (WithGradient) {
      const P factor(static_cast<Real>(-precision));
      gradient.store(0, factor * by_level);
      gradient.store(1, -factor * level * by_minus_rate);
    }
    return P(static_cast<Real>(-0.5 * precision)) * squares;
  }

 private:
  Numbers times_;
  Numbers observed_;
};

/// The likelihood alone as a density. It is improper: x₁ → 0 with x₀·x₁ fixed is a straight line, which the data hardly
/// reject. Long chains drift.
class BodCode {
 public:
  explicit BodCode(BodLikelihood likelihood) : likelihood_(std::move(likelihood)) {}

  [[nodiscard]] static int dimension() { return 2; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    return likelihood_.evaluate<false>(x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return likelihood_.evaluate<true>(x, gradient);
  }

 private:
  BodLikelihood likelihood_;
};

/// With prior N(0, I): proper.
class BodStandardNormalPrior {
 public:
  explicit BodStandardNormalPrior(BodLikelihood likelihood) : likelihood_(std::move(likelihood)) {}

  [[nodiscard]] static int dimension() { return 2; }
  [[nodiscard]] static GaussianPrior prior() { return {}; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real*) const {
    return likelihood_.evaluate<false>(x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient, Real*) const {
    return likelihood_.evaluate<true>(x, gradient);
  }

 private:
  BodLikelihood likelihood_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
