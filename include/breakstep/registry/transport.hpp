// What a sampler that works through a flow can be told about it, and its warm-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/transport_warm_up.hpp"
#include "breakstep/target/flow.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

struct FlowSettings {
  /// But for the dimension, which is the target's. No layers mean two for each bit of the dimension, at most 8.
  target::FlowShape shape = {.kind = target::FlowKind::affine, .layers = 0};
  /// No steps mean one for each draw of the warm-up. Chains that arrive by HMC have been everywhere: hence this loss.
  runtime::TrainingOptions training = {.loss = runtime::FlowLoss::forward, .steps = 0};
};

/// What to do in a warm-up of so many draws, with what the settings leave open filled in.
runtime::TransportOptions transport_options(const FlowSettings& settings, int dimension, std::uint32_t draws);

/// Trains the flow of a sampler that has one, in the precision of its chains. With a gradient, they arrive by HMC
/// first.
template <class Real>
runtime::TransportWarmUp warm_up_transport(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                           lanes::Storage storage, std::size_t chains, bool one_chain_at_a_time,
                                           const runtime::TransportOptions& options, std::uint64_t seed,
                                           const runtime::Execution& execution);

extern template runtime::TransportWarmUp warm_up_transport<float>(const AnySampler&,
                                                                  const std::shared_ptr<const AnyTarget>&,
                                                                  lanes::Storage, std::size_t, bool,
                                                                  const runtime::TransportOptions&, std::uint64_t,
                                                                  const runtime::Execution&);
extern template runtime::TransportWarmUp warm_up_transport<double>(const AnySampler&,
                                                                   const std::shared_ptr<const AnyTarget>&,
                                                                   lanes::Storage, std::size_t, bool,
                                                                   const runtime::TransportOptions&, std::uint64_t,
                                                                   const runtime::Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
