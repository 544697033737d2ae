// Neal's funnel: one coordinate sets the scale of all others, from very narrow to very wide.
#pragma once

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// v ~ N(0, 3²), then size − 1 coordinates x | v ~ N(0, eᵛ). E v = 0, Var v = 9, E x = 0, Var x = e^4.5.
struct Funnel {
  int size = 10;

  [[nodiscard]] int dimension() const { return size; }
  [[nodiscard]] Parameters parameters() const {
    return size > 1 ? Parameters{real("v"), real("x", size - 1)} : Parameters{real("v")};
  }

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
    const P v = x[0], precision = exp(-v), others(static_cast<Real>(size - 1));
    P squares(Real(0));
    for (int i = 1; i < size; ++i) {
      const P xi = x[i], force = precision * xi;
      squares = fma(xi, force, squares);
      if constexpr (WithGradient) gradient.store(i, -force);
    }
    const P half(Real(0.5)), ninth(static_cast<Real>(1.0 / 9));
    if constexpr (WithGradient) gradient.store(0, fma(half, squares - others, -(ninth * v)));
    return -half * fma(ninth * v, v, fma(others, v, squares));
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
