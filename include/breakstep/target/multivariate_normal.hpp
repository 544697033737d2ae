// A correlated normal distribution of any dimension with known moments: a stationary autoregression.
#pragma once

#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Mean 0, variances 1, Cov(xᵢ, xⱼ) = correlation^|i − j|.
struct MultivariateNormal {
  int size = 10;
  double correlation = 0.9;

  [[nodiscard]] int dimension() const { return size; }

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
    const P step(static_cast<Real>(correlation));
    const P precision(static_cast<Real>(1 / (1 - correlation * correlation)));
    P previous = x[0], squares(Real(0)), pull = -previous;  // on the coordinate before, from its own innovation
    const P first = previous * previous;
    for (int i = 1; i < size; ++i) {
      const P xi = x[i], innovation = fnma(step, previous, xi);
      squares = fma(innovation, innovation, squares);
      if constexpr (WithGradient) {
        const P force = precision * innovation;
        gradient.store(i - 1, fma(step, force, pull));
        pull = -force;
      }
      previous = xi;
    }
    if constexpr (WithGradient) gradient.store(size - 1, pull);
    return P(Real(-0.5)) * fma(precision, squares, first);
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
