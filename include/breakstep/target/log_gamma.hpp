// A skewed distribution with known moments: independent logarithms of gamma variables.
#pragma once

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// x = log g with g ~ Gamma(shape, 1), in every coordinate: log density shape·x − eˣ. Mean ψ(shape), variance
/// ψ′(shape); for shape 1 that is −0.5772… and π²/6, with skewness −1.14.
struct LogGamma {
  int size = 1;
  double shape = 1.0;

  [[nodiscard]] int dimension() const { return size; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    using P = Pack<Real, W>;
    P sum(Real(0));
    for (int i = 0; i < size; ++i) sum = sum + fma(P(static_cast<Real>(shape)), x[i], -exp(x[i]));
    return sum;
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    using P = Pack<Real, W>;
    const P power(static_cast<Real>(shape));
    P sum(Real(0));
    for (int i = 0; i < size; ++i) {
      const P gamma = exp(x[i]);
      sum = sum + fma(power, x[i], -gamma);
      gradient.store(i, power - gamma);
    }
    return sum;
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
