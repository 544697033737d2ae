// The first part of a warm-up whose sampler cannot leave bad starts by itself: chains arrive by other means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/chees.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

/// Takes the chains to where a target with a gradient has its mass, and leaves the rest of the draws, from there, in
/// `options`. About `keep` positions of chains that have arrived are in the result. Nothing happens, and there is no
/// result, if there are too few draws for that.
template <class Real, class Options>
std::optional<runtime::WarmUp> arrive_first(const std::shared_ptr<const AnyTarget>& target, lanes::Storage storage,
                                            std::size_t chains, bool one_chain_at_a_time, Options& options,
                                            std::uint64_t seed, const runtime::Execution& execution,
                                            std::size_t keep = 0) {
  constexpr std::uint32_t too_few = 20, one_of = 2;
  constexpr std::uint64_t arriving = 4;  // purpose of a seed
  if (options.draws < too_few) return {};
  const auto sampler = make_sampler("chees");
  sampler->set("keep_proposals", 1);
  const auto runs = runs_of<Real>(*sampler, *sampler, target, storage, chains, one_chain_at_a_time);
  const std::uint32_t draws = options.draws / one_of;
  const runtime::WarmUpOptions first{
      .draws = draws, .target_accept = usual_acceptance("chees"), .starts = options.starts, .keep = keep};
  const std::uint64_t own_seed = runtime::derived_seed(seed, arriving);
  // Few chains have too little to tell each other.
  constexpr std::size_t enough_to_pool = 8;
  constexpr int most_steps = 100;
  auto arrived = chains < enough_to_pool
                     ? runtime::arrive<Real>(runs.whole, first, own_seed, execution)
                     : runtime::warm_up_chees<Real>(runs.whole, {.max_steps = most_steps}, first, own_seed, execution);
  options.draws -= draws;
  options.starts = {.kind = runtime::Starts::Kind::given, .scale = 1, .positions = arrived.positions};
  return arrived;
}

/// The starts that count are those of the arrival.
template <class Facts>
void add_arrival(const runtime::WarmUpFacts& arrival, Facts& facts) {
  facts.bad_starts = arrival.bad_starts;
  facts.retried_starts = arrival.retried_starts;
  facts.first_bad_start = arrival.first_bad_start;
  facts.counters.add(arrival.counters);
  facts.seconds += arrival.seconds;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
