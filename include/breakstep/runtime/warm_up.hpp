// warm_up(): finds the step size and metric of a gradient sampler and brings its chains to where they mix.
//
// Phases are Stan's: each ends with a metric learnt from its draws, the last with the step size. A phase is made of
// blocks of draws. All chains take the step size of a block from what all of them did up to the last block but one, so
// that a chain may be a whole block ahead of another: nobody waits, and yet neither threads nor schedule nor storage
// can be told from the result. The number of chains can. In the first phase every chain has a step size of its own,
// which follows that chain's draws alone: where chains have to find the target's mass first, one that suits most of
// them would leave some stuck for ever.
//
// A chain on its own is tuned draw by draw with dual averaging, as Stan does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/runtime/engine.hpp"
#include "breakstep/target/map.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// What a warm-up finds out: all that a gradient sampler needs besides the target.
struct Tuning {
  double step_size = 0;
  target::GaussianPrior metric = {};                            ///< sd or covariance of the draws; unit if empty
  std::vector<std::pair<std::string, double>> parameters = {};  ///< what else the sampler is to be given, by name
};

enum class Metric { unit, diagonal, dense };

struct WarmUpOptions {
  std::uint32_t draws = 1000;  ///< of each chain
  double target_accept = 0.8;
  Metric metric = Metric::diagonal;
  Starts starts = {.kind = Starts::Kind::uniform, .scale = 2.0, .attempts = 100};
  double first_step_size = 1.0;  ///< where the search for one begins
  std::size_t keep = 0;          ///< of warm_up_chees: about so many positions of its last draws are wanted
};

/// What a user should hear about a warm-up.
struct WarmUpFacts {
  double accept_stat = 0;        ///< mean over the last phase's second half
  std::uint64_t divergent = 0;   ///< draws of the last phase
  double metric_change = 1;      ///< largest ratio of variances between the last two metrics learnt
  std::size_t most_changed = 0;  ///< and the coordinate that has it
  std::uint64_t bad_starts = 0;  ///< chains for which no attempt gave a finite density
  std::uint64_t retried_starts = 0;
  std::vector<double> first_bad_start;
  Counters counters;
  double seconds = 0;
};

struct WarmUp {
  Tuning tuning;
  std::vector<double> positions;  ///< where the chains ended, in the target's coordinates
  std::vector<double> kept;       ///< positions of chains before that, as far as they were wanted
  WarmUpFacts facts;
};

/// Makes the runs that a warm-up needs, which change with the metric.
template <class Real>
struct RunsOf {
  using Make = std::function<std::unique_ptr<Run<Real>>(const target::GaussianPrior& metric, std::uint64_t seed)>;
  Make whole;     ///< the sampler
  Make one_step;  ///< the sampler, made to stop after one leapfrog step
};

/// The seed of something other than draws, such that neither can be told from the other.
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t purpose);

/// Throws Error if the options make no sense.
void check(const WarmUpOptions& options);

/// Throws Error if the options make no sense or no chain has a usable start.
template <class Real>
WarmUp warm_up(const RunsOf<Real>& runs, const WarmUpOptions& options, std::uint64_t seed, const Execution& execution);

extern template WarmUp warm_up<float>(const RunsOf<float>&, const WarmUpOptions&, std::uint64_t, const Execution&);
extern template WarmUp warm_up<double>(const RunsOf<double>&, const WarmUpOptions&, std::uint64_t, const Execution&);

/// One metric's part of a warm-up: draws [begin, end), of which those from `learn_from` on make the next metric.
struct Phase {
  std::uint32_t begin, learn_from, end;
};

/// Stan's windows: draws 0 … 75 … 100 … 150 … 250 … 450 … 950 … 1000 of 1000.
std::vector<Phase> phases_of(std::uint32_t draws, bool learns_metric);

/// How many draws each block of a phase has: few at first, when the step size has far to go, later as many as keep the
/// end of a block from mattering.
std::vector<std::uint32_t> blocks_of(std::uint32_t draws, std::size_t chains);

/// Moves a step size until chains accept as they should. Of many chains one block's mean acceptance is nearly exact,
/// and the answer comes a block late: hence smaller gains than those of dual averaging, which is made for one chain's
/// noise (Hoffman and Gelman 2014), and an average that forgets the beginning.
class PooledStepSize {
 public:
  PooledStepSize(double first, double target_accept);
  /// Takes in a block's mean acceptance; returns the step size to be used next.
  double update(double acceptance);
  /// The one to keep.
  [[nodiscard]] double settled() const;

 private:
  double target_, log_step_, average_ = 0, weight_ = 0;
  int updates_ = 0;
};

/// Nesterov's dual averaging with Stan's constants, for a chain on its own.
class DualAveraging {
 public:
  DualAveraging(double first, double target_accept);
  double update(double acceptance);
  [[nodiscard]] double settled() const;

 private:
  double target_, centre_, log_step_, average_ = 0, error_ = 0;
  int updates_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
