// What a warm-up of erased samplers and targets needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/warm_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

/// Leaves the sampler the least it can do in a draw: one leapfrog step.
inline void stop_after_one_step(AnySampler& sampler) {
  for (const Parameter& parameter : sampler.parameters()) {
    if (parameter.name == "max_depth" || parameter.name == "steps") sampler.set(parameter.name, 1);
  }
}

/// The runs of a sampler, and of the same sampler stopped after one step. Both must outlive the result.
template <class Real>
runtime::RunsOf<Real> runs_of(const AnySampler& sampler, const AnySampler& one_step,
                              const std::shared_ptr<const AnyTarget>& target, lanes::Storage storage,
                              std::size_t chains, bool one_chain_at_a_time = false) {
  const auto maker = [=](const AnySampler& own) {
    return [=, &own](const target::GaussianPrior& metric, std::uint64_t seed) {
      return make_run<Real>(own, target, storage, seed, chains, one_chain_at_a_time, metric);
    };
  };
  return {maker(sampler), maker(one_step)};
}

/// Makes samplers that are alike.
using MakeSampler = std::function<std::unique_ptr<AnySampler>()>;

/// Warms a gradient sampler up in the way that suits it: one with a trajectory length by ChEES, one with
/// folds by MEADS, others by runtime::warm_up.
template <class Real>
runtime::WarmUp warm_up(const MakeSampler& make_sampler, const std::shared_ptr<const AnyTarget>& target,
                        lanes::Storage storage, std::size_t chains, bool one_chain_at_a_time,
                        const runtime::WarmUpOptions& options, std::uint64_t seed, const runtime::Execution& execution);

extern template runtime::WarmUp warm_up<float>(const MakeSampler&, const std::shared_ptr<const AnyTarget>&,
                                               lanes::Storage, std::size_t, bool, const runtime::WarmUpOptions&,
                                               std::uint64_t, const runtime::Execution&);
extern template runtime::WarmUp warm_up<double>(const MakeSampler&, const std::shared_ptr<const AnyTarget>&,
                                                lanes::Storage, std::size_t, bool, const runtime::WarmUpOptions&,
                                                std::uint64_t, const runtime::Execution&);

/// Whether the sampler's warm-up learns from all chains together and from no fewer.
bool needs_many_chains(const AnySampler& sampler);

/// The acceptance to aim at, if nobody says otherwise; 0 for samplers that aim at none.
double usual_acceptance(std::string_view sampler);

/// Gives the sampler all of a tuning but the metric.
void use_tuning(AnySampler& sampler, const runtime::Tuning& tuning);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
