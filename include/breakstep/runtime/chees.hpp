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

/// The criterion, a quarter of the mean squared change of |x − mean|² over all chains, and its derivative by the length
/// of the trajectories. Both are 0 if no chain counts or one of them overflows.
struct CheesCriterion {
  double value = 0, slope = 0;
};
CheesCriterion chees_criterion(const Proposals& proposals);

/// The harmonic mean of acceptances; 0 if there are none.
double harmonic_mean(const std::vector<double>& acceptances);

/// A length that climbs criterion/length^price: longer trajectories must be worth their steps. Without a price it is
/// the published method, which on heavy tails goes on to lengths that gain next to nothing.
class TrajectoryLength {
 public:
  TrajectoryLength(double first, double price);
  /// Takes in the criterion, with its slope by log(length); returns the length to be used next, between these bounds.
  double update(const CheesCriterion& criterion, double lowest, double highest);
  [[nodiscard]] double settled() const;

 private:
  double log_length_, price_, usual_value_ = 0, square_ = 0, average_ = 0;
  int updates_ = 0;
};

/// How long trajectories may become.
struct TrajectoryLimits {
  int max_steps = 1000;
  double price = 0;  ///< of length, see TrajectoryLength
};

/// The tuning has the parameter `trajectory` besides the step size. `make` makes runs of a sampler that keeps its
/// proposals (fields proposal, end_momentum and trajectory) and respects the same limits. Throws Error if the options
/// make no sense, no chain has a usable start, or no step size suits the target.
template <class Real>
WarmUp warm_up_chees(const typename RunsOf<Real>::Make& make, const TrajectoryLimits& limits,
                     const WarmUpOptions& options, std::uint64_t seed, const Execution& execution);

/// Only takes chains to where the target has its mass, each by steps of a size of its own, for samplers that cannot do
/// that themselves. Of the tuning there is a step size, the median of all.
template <class Real>
WarmUp arrive(const typename RunsOf<Real>::Make& make, const WarmUpOptions& options, std::uint64_t seed,
              const Execution& execution);

extern template WarmUp arrive<float>(const RunsOf<float>::Make&, const WarmUpOptions&, std::uint64_t, const Execution&);
extern template WarmUp arrive<double>(const RunsOf<double>::Make&, const WarmUpOptions&, std::uint64_t,
                                      const Execution&);
extern template WarmUp warm_up_chees<float>(const RunsOf<float>::Make&, const TrajectoryLimits&, const WarmUpOptions&,
                                            std::uint64_t, const Execution&);
extern template WarmUp warm_up_chees<double>(const RunsOf<double>::Make&, const TrajectoryLimits&, const WarmUpOptions&,
                                             std::uint64_t, const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
