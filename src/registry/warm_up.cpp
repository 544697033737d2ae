// Chooses the warm-up that suits a sampler, by the parameters it has.
#include "breakstep/registry/warm_up.hpp"

#include <algorithm>
#include <optional>

#include "arrival.hpp"
#include "breakstep/runtime/chees.hpp"
#include "breakstep/runtime/meads.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {
namespace {

std::optional<double> parameter_of(const AnySampler& sampler, std::string_view name) {
  for (const Parameter& parameter : sampler.parameters()) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

}  // namespace

template <class Real>
runtime::WarmUp warm_up(const MakeSampler& make_sampler, const std::shared_ptr<const AnyTarget>& target,
                        lanes::Storage storage, std::size_t chains, bool one_chain_at_a_time,
                        const runtime::WarmUpOptions& options, std::uint64_t seed,
                        const runtime::Execution& execution) {
  const auto sampler = make_sampler(), changed = make_sampler();
  if (parameter_of(*sampler, "trajectory")) {
    changed->set("keep_proposals", 1);
    const auto runs = runs_of<Real>(*changed, *changed, target, storage, chains, one_chain_at_a_time);
    const runtime::TrajectoryLimits limits{.max_steps = static_cast<int>(*parameter_of(*sampler, "max_steps")),
                                           .price = *parameter_of(*sampler, "price")};
    return runtime::warm_up_chees<Real>(runs.whole, limits, options, seed, execution);
  }
  if (const auto folds = parameter_of(*sampler, "folds")) {
    // Folds that follow each other cannot leave bad starts: a single chain in a steep place makes the steps of others
    // tiny.
    if (*folds == 0) changed->set("folds", runtime::usual_folds);
    runtime::WarmUpOptions rest = options;
    const auto arrived = arrive_first<Real>(target, storage, chains, one_chain_at_a_time, rest, seed, execution);
    const auto runs = runs_of<Real>(*changed, *changed, target, storage, chains, one_chain_at_a_time);
    auto result = runtime::warm_up_meads<Real>(runs.whole, rest, seed, execution);
    if (arrived) add_arrival(arrived->facts, result.facts);
    return result;
  }
  stop_after_one_step(*changed);
  return runtime::warm_up(runs_of<Real>(*sampler, *changed, target, storage, chains, one_chain_at_a_time), options,
                          seed, execution);
}

template runtime::WarmUp warm_up<float>(const MakeSampler&, const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                        std::size_t, bool, const runtime::WarmUpOptions&, std::uint64_t,
                                        const runtime::Execution&);
template runtime::WarmUp warm_up<double>(const MakeSampler&, const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                         std::size_t, bool, const runtime::WarmUpOptions&, std::uint64_t,
                                         const runtime::Execution&);

bool needs_many_chains(const AnySampler& sampler) {
  return parameter_of(sampler, "trajectory") || parameter_of(sampler, "folds");
}

double usual_acceptance(std::string_view sampler) {
  if (sampler == "mala") return 0.574;
  if (sampler == "meads") return 0;
  return sampler == "chees" ? 0.651 : 0.8;
}

void use_tuning(AnySampler& sampler, const runtime::Tuning& tuning) {
  if (tuning.step_size > 0) sampler.set("step_size", tuning.step_size);
  for (const auto& [name, value] : tuning.parameters) sampler.set(name, value);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
