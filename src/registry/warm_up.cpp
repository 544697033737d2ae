// Chooses the warm-up that suits a sampler, by the parameters it has.
#include "breakstep/registry/warm_up.hpp"

#include <algorithm>
#include <optional>

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

std::unique_ptr<AnySampler> make_sampler_that_arrives() {
  auto sampler = make_sampler("chees");
  sampler->set("keep_proposals", 1);
  return sampler;
}

/// Folds that follow each other cannot leave bad starts: a single chain in a steep place makes the steps of others
/// tiny. Hence chains arrive by other means first.
template <class Real>
runtime::WarmUp warm_up_in_folds(const typename runtime::RunsOf<Real>::Make& folded,
                                 const typename runtime::RunsOf<Real>::Make& walking, runtime::WarmUpOptions options,
                                 std::uint64_t seed, const runtime::Execution& execution) {
  constexpr std::uint64_t arriving = 4;  // purpose of a seed
  constexpr std::uint32_t too_few = 20, one_of = 5;
  if (options.draws < too_few) return runtime::warm_up_meads<Real>(folded, options, seed, execution);
  runtime::WarmUpOptions first = options;
  first.draws = options.draws / one_of;
  first.target_accept = usual_acceptance("chees");
  const auto arrived = runtime::arrive<Real>(walking, first, runtime::derived_seed(seed, arriving), execution);
  options.draws -= first.draws;
  options.starts = {.kind = runtime::Starts::Kind::given, .scale = 1, .positions = arrived.positions};
  auto result = runtime::warm_up_meads<Real>(folded, options, seed, execution);
  result.facts.bad_starts = arrived.facts.bad_starts;
  result.facts.retried_starts = arrived.facts.retried_starts;
  result.facts.first_bad_start = arrived.facts.first_bad_start;
  result.facts.counters.add(arrived.facts.counters);
  result.facts.seconds += arrived.facts.seconds;
  return result;
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
    return runtime::warm_up_chees<Real>(runs.whole, static_cast<int>(*parameter_of(*sampler, "max_steps")), options,
                                        seed, execution);
  }
  if (const auto folds = parameter_of(*sampler, "folds")) {
    if (*folds == 0) changed->set("folds", runtime::usual_folds);
    const auto walker = make_sampler_that_arrives();
    const auto runs = runs_of<Real>(*changed, *walker, target, storage, chains, one_chain_at_a_time);
    return warm_up_in_folds<Real>(runs.whole, runs.one_step, options, seed, execution);
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
