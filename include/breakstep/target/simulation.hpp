// Targets that can simulate: a draw from the prior, and data that follow from it, for checks of calibration.
#pragma once

#include <concepts>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/target/synthetic.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// A target whose prior is not Gaussian draws from it by itself, in the sampler's coordinates. It must be exactly the
/// prior that its log density holds, Jacobians included.
template <class T>
concept DrawsPrior = requires(const T& t, Synthetic& random) {
  { t.draw_prior(random) } -> std::same_as<std::vector<double>>;
};

/// `with_simulated_data` gives the same target with data drawn from the model at `position` instead of its own.
template <class T>
concept CanSimulate = (HasPrior<T> || DrawsPrior<T>)&&requires(const T& t, const std::vector<double>& position,
                                                               Synthetic& random) {
  { t.with_simulated_data(position, random) } -> std::same_as<T>;
};

/// A position drawn from the target's prior.
template <CanSimulate Target>
std::vector<double> draw_prior(const Target& target, Synthetic& random) {
  if constexpr (DrawsPrior<Target>) {
    return target.draw_prior(random);
  } else {
    const lanes::FlushToZero scope;
    const int d = target.dimension();
    const auto memory = lanes::aligned_zeros<double>(2 * static_cast<std::size_t>(d));
    const InterleavedVector<double, 1> u(memory.get(), d), x(memory.get() + d, d);
    for (int i = 0; i < d; ++i) u.set(0, i, random.normal());
    AffineMap<double>(target.prior(), d).apply(u, x);
    return {memory.get() + d, memory.get() + 2 * d};
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
