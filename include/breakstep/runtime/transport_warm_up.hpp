// warm_up_transport(): chains of transport elliptical slice and their flow find the target together.
//
// The draws fall into rounds. The first is made with the identity and gives the flow its shifts and scales; before each
// of the others the flow is trained some steps, and the chains go on from where they are: u ← T⁻¹(x). The last round is
// made with the flow that is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "breakstep/runtime/engine.hpp"
#include "breakstep/runtime/flow_training.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

struct TransportOptions {
  std::uint32_t draws = 400;  ///< of each chain
  target::FlowShape shape = {};
  TrainingOptions training = {};
  Starts starts = {.kind = Starts::Kind::uniform, .scale = 2.0, .attempts = 100};
  std::vector<double> seen = {};  ///< positions where chains have been before; the forward loss learns from them, too
};

/// What a user should hear about it.
struct TransportFacts {
  double first_loss = 0, last_loss = 0;  ///< means over the first and the last tenth of the steps
  std::uint32_t steps = 0, skipped = 0;  ///< of training; skipped for gradients that are not finite
  std::uint64_t left_out = 0;            ///< positions of batches whose density is not finite
  std::vector<double> log_ratios;        ///< see FlowTrainer
  std::uint64_t bad_starts = 0, retried_starts = 0;
  std::vector<double> first_bad_start;
  Counters counters;
  double training_seconds = 0, seconds = 0;
};

struct TransportWarmUp {
  target::FlowNumbers flow;
  std::vector<double> positions;  ///< where the chains ended, in the target's coordinates
  TransportFacts facts;
};

/// Makes the runs, which change with the flow.
template <class Real>
using TransportRuns = std::function<std::unique_ptr<Run<Real>>(const target::FlowNumbers& flow, std::uint64_t seed)>;

/// `density` must know its gradient for the reverse loss. Throws Error if the options make no sense, no chain has a
/// usable start, or the flow has learnt nothing because no gradient was finite.
template <class Real>
TransportWarmUp warm_up_transport(const TransportRuns<Real>& runs, std::shared_ptr<const FlowTrainer::Density> density,
                                  const TransportOptions& options, std::uint64_t seed, const Execution& execution);

extern template TransportWarmUp warm_up_transport<float>(const TransportRuns<float>&,
                                                         std::shared_ptr<const FlowTrainer::Density>,
                                                         const TransportOptions&, std::uint64_t, const Execution&);
extern template TransportWarmUp warm_up_transport<double>(const TransportRuns<double>&,
                                                          std::shared_ptr<const FlowTrainer::Density>,
                                                          const TransportOptions&, std::uint64_t, const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
