// What a warm-up of erased samplers and targets needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

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

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
