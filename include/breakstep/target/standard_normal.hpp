// The standard normal distribution in any dimension, as a density: it declares no prior.
#pragma once

#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

struct StandardNormal {
  int size = 1;

  [[nodiscard]] int dimension() const { return size; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    return Pack<Real, W>(Real(-0.5)) * dot(lanes::Mask<W>::all_lanes(), x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient,
                                                       Real* workspace) const {
    for (int i = 0; i < size; ++i) gradient.store(i, -x[i]);
    return log_density<Real, W>(x, workspace);
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
