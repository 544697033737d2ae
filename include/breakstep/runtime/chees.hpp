// The warm-up of ChEES-HMC (Hoffman, Radul and Sountsov 2021): one step size and one trajectory length, from what all
// chains do in every draw.
//
// The length climbs the criterion: a quarter of the mean squared change of |x − mean|², by Adam on the logarithm of the
// length. The step size follows the harmonic mean of the acceptances by dual averaging. Both settle on averages of the
// last phase. Every draw waits for all chains: trajectories are equally long, so there is little to wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "breakstep/runtime/warm_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One draw of all chains: where they were, what they proposed with which momentum, and how likely it was accepted. A
/// chain of weight 0 does not count.
struct Proposals {
  std::size_t dimension = 0;
  std::vector<double> before, proposed, momentum;  ///< chain by chain
  std::vector<double> weight;                      ///< one for each chain
};

/// The criterion's derivative by the length of the trajectories, from all chains. 0 if no chain counts or it overflows.
double chees_slope(const Proposals& proposals);

/// The harmonic mean of acceptances; 0 if there are none.
double harmonic_mean(const std::vector<double>& acceptances);

/// A length that climbs the criterion.
class TrajectoryLength {
 public:
  explicit TrajectoryLength(double first);
  /// Takes in the slope by log(length); returns the length to be used next, between these bounds.
  double update(double slope, double lowest, double highest);
  [[nodiscard]] double settled() const;

 private:
  double log_length_, square_ = 0, average_ = 0;
  int updates_ = 0;
};

/// The tuning has the parameter `trajectory` besides the step size. `make` makes runs of a sampler that keeps its
/// proposals (fields proposal, end_momentum and trajectory) and makes at most `max_steps` steps. Throws Error if the
/// options make no sense, no chain has a usable start, or no step size suits the target.
template <class Real>
WarmUp warm_up_chees(const typename RunsOf<Real>::Make& make, int max_steps, const WarmUpOptions& options,
                     std::uint64_t seed, const Execution& execution);

/// Only takes chains to where the target has its mass, each by steps of a size of its own, for samplers that cannot do
/// that themselves. Of the tuning there is a step size, the median of all.
template <class Real>
WarmUp arrive(const typename RunsOf<Real>::Make& make, const WarmUpOptions& options, std::uint64_t seed,
              const Execution& execution);

extern template WarmUp arrive<float>(const RunsOf<float>::Make&, const WarmUpOptions&, std::uint64_t, const Execution&);
extern template WarmUp arrive<double>(const RunsOf<double>::Make&, const WarmUpOptions&, std::uint64_t,
                                      const Execution&);
extern template WarmUp warm_up_chees<float>(const RunsOf<float>::Make&, int, const WarmUpOptions&, std::uint64_t,
                                            const Execution&);
extern template WarmUp warm_up_chees<double>(const RunsOf<double>::Make&, int, const WarmUpOptions&, std::uint64_t,
                                             const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
