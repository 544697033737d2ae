// A cheap target with known answers: prior N(0, I) in three dimensions and independent Gaussian measurements of them.
#pragma once

#include <array>
#include <vector>

#include "breakstep/target/synthetic.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Each coordinate i was measured once, as measured[i] with standard deviation `noise`. The posterior is normal with
/// mean measured[i] / (1 + noise²) and variance noise² / (1 + noise²).
struct GaussianLikelihood {
  std::array<double, 3> measured = {0.5, -0.3, 0.8};
  double noise = 0.25;

  [[nodiscard]] static int dimension() { return 3; }
  [[nodiscard]] static GaussianPrior prior() { return {}; }
  [[nodiscard]] double mean(int i) const { return measured[static_cast<std::size_t>(i)] / (1 + noise * noise); }
  [[nodiscard]] double variance() const { return noise * noise / (1 + noise * noise); }
  [[nodiscard]] GaussianLikelihood with_simulated_data(const std::vector<double>& x, Synthetic& random) const {
    GaussianLikelihood simulated = *this;
    for (std::size_t i = 0; i < 3; ++i) simulated.measured[i] = x[i] + noise * random.normal();
    return simulated;
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real*) const {
    using P = Pack<Real, W>;
    const P precision(static_cast<Real>(1 / noise));
    P squares(Real(0));
    for (int i = 0; i < 3; ++i) {
      const P residual = (x[i] - P(static_cast<Real>(measured[static_cast<std::size_t>(i)]))) * precision;
      squares = fma(residual, residual, squares);
    }
    return P(Real(-0.5)) * squares;
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient,
                                                          Real* workspace) const {
    using P = Pack<Real, W>;
    const P precision(static_cast<Real>(1 / noise));
    for (int i = 0; i < 3; ++i) {
      const P residual = (x[i] - P(static_cast<Real>(measured[static_cast<std::size_t>(i)]))) * precision;
      gradient.store(i, -residual * precision);
    }
    return log_likelihood<Real, W>(x, workspace);
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
