// A banana: a long normal distribution bent along a parabola.
#pragma once

#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// x₀ ~ N(0, 10²), x₁ | x₀ ~ N(bend·(x₀² − 100), 1). Means 0, variances 100 and 1 + 20000·bend² (19 at 0.03),
/// uncorrelated.
struct Banana {
  double bend = 0.03;

  [[nodiscard]] static int dimension() { return 2; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    return evaluate<false>(x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return evaluate<true>(x, gradient);
  }

 private:
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const P along = x[0], curvature(static_cast<Real>(bend)), precision(Real(0.01));
    const P across = fnma(curvature, fma(along, along, P(Real(-100))), x[1]);
    if constexpr (WithGradient) {
      gradient.store(0, along * fma(P(Real(2)) * curvature, across, -precision));
      gradient.store(1, -across);
    }
    return P(Real(-0.5)) * fma(precision * along, along, across * across);
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
