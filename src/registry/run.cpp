// Compiles the runtime for both precisions, at width 1 and at this machine's widths.
#include "breakstep/registry/run.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Real, int W>
std::unique_ptr<runtime::Run<Real>> make(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                         lanes::Storage storage, std::uint64_t seed, std::size_t chains) {
  const auto asks = sampler.asks();
  const auto map = target->map(Real(0), asks);
  const std::shared_ptr<const target::Density<Real, W>> density = target->density(Width<Real, W>{}, asks);
  // Packs are made whenever a segment begins; the sampler lives as long as the caller keeps it.
  return std::make_unique<runtime::Engine<Real, W>>(
      [&sampler, storage, seed, map] { return sampler.pack(Width<Real, W>{}, storage, seed, map); },
      [density, target] { return std::make_unique<runtime::LaneEvaluator<Real, W>>(*density); }, map.dimension(),
      chains);
}

}  // namespace

template <class Real>
std::unique_ptr<runtime::Run<Real>> make_run(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                             lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                             bool one_chain_at_a_time) {
  if (one_chain_at_a_time) return make<Real, 1>(sampler, target, storage, seed, chains);
  return make<Real, lanes::native_width<Real>>(sampler, target, storage, seed, chains);
}

template std::unique_ptr<runtime::Run<float>> make_run<float>(const AnySampler&,
                                                              const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                                              std::uint64_t, std::size_t, bool);
template std::unique_ptr<runtime::Run<double>> make_run<double>(const AnySampler&,
                                                                const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                                                std::uint64_t, std::size_t, bool);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
