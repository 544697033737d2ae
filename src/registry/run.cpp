// Compiles the runtime for both precisions, at width 1 and at this machine's widths.
#include "breakstep/registry/run.hpp"

#include <map>
#include <string>
#include <utility>

#include "breakstep/runtime/meads.hpp"
#include "breakstep/runtime/transported.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Real, int W>
std::unique_ptr<runtime::Run<Real>> make(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                         lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                         const target::GaussianPrior& metric) {
  const auto asks = sampler.asks();
  const auto map = target->map(Real(0), asks, metric);
  auto plain = target->density(Width<Real, W>{}, asks);
  const std::shared_ptr<const target::Density<Real, W>> density =
      asks == target::Asks::gradient ? target::through<Real, W>(std::move(plain), map) : std::move(plain);
  // Packs are made whenever a segment begins; the sampler lives as long as the caller keeps it.
  return std::make_unique<runtime::Engine<Real, W>>(
      [&sampler, storage, seed, map] { return sampler.pack(Width<Real, W>{}, storage, seed, map); },
      [density, target] { return std::make_unique<runtime::LaneEvaluator<Real, W>>(*density); }, map.dimension(),
      chains);
}

/// The run itself, or in folds if that is how the sampler is meant.
template <class Real>
std::unique_ptr<runtime::Run<Real>> in_folds(std::unique_ptr<runtime::Run<Real>> run, const AnySampler& sampler,
                                             std::uint64_t seed) {
  std::map<std::string, double> values;
  for (const Parameter& parameter : sampler.parameters()) values[parameter.name] = parameter.value;
  if (!(values["folds"] > 0)) return run;
  return std::make_unique<runtime::FoldedRun<Real>>(std::move(run), static_cast<std::size_t>(values["folds"]), seed,
                                                    values["draws_before"]);
}

/// The same in the coordinates of a flow.
template <class Real, int W>
std::unique_ptr<runtime::Run<Real>> make_transported(const AnySampler& sampler,
                                                     const std::shared_ptr<const AnyTarget>& target,
                                                     lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                                     const target::FlowNumbers& numbers) {
  const int d = target->dimension();
  const auto flow = std::make_shared<const target::Flow<Real>>(
      numbers.empty() ? target::identity_flow({.dimension = d, .kind = target::FlowKind::shift_scale}, 0) : numbers);
  const std::shared_ptr<const target::Density<Real, W>> density =
      std::make_shared<const target::TransportedDensity<Real, W>>(
          target->density(Width<Real, W>{}, target::Asks::density), flow);
  auto inner = std::make_unique<runtime::Engine<Real, W>>(
      [&sampler, storage, seed, d] {
        return sampler.pack(Width<Real, W>{}, storage, seed, target::AffineMap<Real>(d));
      },
      [density, target] { return std::make_unique<runtime::LaneEvaluator<Real, W>>(*density); }, d, chains);
  return std::make_unique<runtime::TransportedRun<Real, W>>(std::move(inner), flow);
}

template <class Real, int W>
std::unique_ptr<runtime::Run<Real>> make_any(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                             lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                             const target::GaussianPrior& metric, const target::FlowNumbers& flow) {
  return sampler.flow() != nullptr ? make_transported<Real, W>(sampler, target, storage, seed, chains, flow)
                                   : make<Real, W>(sampler, target, storage, seed, chains, metric);
}

}  // namespace

template <class Real>
std::unique_ptr<runtime::Run<Real>> make_run(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                             lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                             bool one_chain_at_a_time, const target::GaussianPrior& metric,
                                             const target::FlowNumbers& flow) {
  auto run = one_chain_at_a_time
                 ? make_any<Real, 1>(sampler, target, storage, seed, chains, metric, flow)
                 : make_any<Real, lanes::native_width<Real>>(sampler, target, storage, seed, chains, metric, flow);
  return in_folds(std::move(run), sampler, seed);
}

template std::unique_ptr<runtime::Run<float>> make_run<float>(const AnySampler&,
                                                              const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                                              std::uint64_t, std::size_t, bool,
                                                              const target::GaussianPrior&, const target::FlowNumbers&);
template std::unique_ptr<runtime::Run<double>> make_run<double>(const AnySampler&,
                                                                const std::shared_ptr<const AnyTarget>&, lanes::Storage,
                                                                std::uint64_t, std::size_t, bool,
                                                                const target::GaussianPrior&,
                                                                const target::FlowNumbers&);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
