// The warm-up of a sampler that works through a flow.
#include "breakstep/registry/transport.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrival.hpp"
#include "breakstep/registry/run.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

runtime::TransportOptions transport_options(const FlowSettings& settings, int dimension, std::uint32_t draws) {
  runtime::TransportOptions options{.draws = draws, .shape = settings.shape, .training = settings.training};
  options.shape.dimension = dimension;
  constexpr int most_layers = 8;
  if (options.shape.layers == 0) options.shape.layers = std::clamp(2 * target::bits_of(dimension), 2, most_layers);
  if (options.training.steps == 0) options.training.steps = draws;
  return options;
}

template <class Real>
runtime::TransportWarmUp warm_up_transport(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                           lanes::Storage storage, std::size_t chains, bool one_chain_at_a_time,
                                           const runtime::TransportOptions& options, std::uint64_t seed,
                                           const runtime::Execution& execution) {
  // Far from its mass a flow is no better than none, and a slice sampler without gradients takes long to get there.
  runtime::TransportOptions rest = options;
  constexpr std::size_t enough_to_learn_from = 20000;
  auto arrived = target->has_gradient() ? arrive_first<Real>(target, storage, chains, one_chain_at_a_time, rest, seed,
                                                             execution, enough_to_learn_from)
                                        : std::nullopt;
  if (arrived) rest.seen = std::move(arrived->kept);
  const Doubles width{};
  const auto asks =
      options.training.loss == runtime::FlowLoss::reverse ? target::Asks::gradient : target::Asks::density;
  auto result = runtime::warm_up_transport<Real>(
      [&](const target::FlowNumbers& flow, std::uint64_t own_seed) {
        return make_run<Real>(sampler, target, storage, own_seed, chains, one_chain_at_a_time, {}, flow);
      },
      target->density(width, asks), rest, seed, execution);
  if (arrived) add_arrival(arrived->facts, result.facts);
  return result;
}

template runtime::TransportWarmUp warm_up_transport<float>(const AnySampler&, const std::shared_ptr<const AnyTarget>&,
                                                           lanes::Storage, std::size_t, bool,
                                                           const runtime::TransportOptions&, std::uint64_t,
                                                           const runtime::Execution&);
template runtime::TransportWarmUp warm_up_transport<double>(const AnySampler&, const std::shared_ptr<const AnyTarget>&,
                                                            lanes::Storage, std::size_t, bool,
                                                            const runtime::TransportOptions&, std::uint64_t,
                                                            const runtime::Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
