// Compiles the runtime for both precisions, at width 1, at this machine's width and at that of several registers.
#include "breakstep/registry/run.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "breakstep/runtime/meads.hpp"
#include "breakstep/runtime/threads.hpp"
#include "breakstep/runtime/transported.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

/// An engine that answers with `density`, which may refer to the target.
template <class Real, int W, class MakePack>
std::unique_ptr<runtime::Engine<Real, W>> make_engine(MakePack make_pack,
                                                      std::shared_ptr<const target::Density<Real, W>> density,
                                                      std::shared_ptr<const AnyTarget> target, std::size_t chains) {
  const int dimension = density->dimension();
  return std::make_unique<runtime::Engine<Real, W>>(
      std::move(make_pack),
      [density = std::move(density), target = std::move(target)] {
        return std::make_unique<runtime::LaneEvaluator<Real, W>>(*density);
      },
      dimension, chains);
}

/// On several registers, or null if that gains nothing: the sampler must say so, there must be enough chains for two
/// packs of every core (so that a last, half empty one does not cost what was gained; nobody knows yet how many will be
/// used, and 16 packs are enough anywhere), and what an evaluation works on must stay in the nearest cache.
template <class Real>
std::unique_ptr<runtime::Run<Real>> make_wide(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                              lanes::Storage storage, std::uint64_t seed, std::size_t chains) {
  const std::size_t fewest_packs = std::min<std::size_t>(16, 2 * runtime::thread_count(0));
  constexpr std::size_t most_bytes = 16 * 1024;
  using Width = Wide<Real>;
  constexpr int W = Width::lanes;
  if (storage != lanes::Storage::interleaved || chains < fewest_packs * W) return {};
  const auto map = target->map(Real(0), sampler.asks(), {});
  if (sampler.pack(Width{}, seed, map) == nullptr) return {};
  std::shared_ptr<const target::Density<Real, W>> density = target->density(Width{}, sampler.asks());
  if (density->workspace() * sizeof(Real) >= most_bytes) return {};
  return make_engine<Real, W>([&sampler, seed, map] { return sampler.pack(Width{}, seed, map); }, std::move(density),
                              target, chains);
}

template <class Real, int W>
std::unique_ptr<runtime::Run<Real>> make(const AnySampler& sampler, const std::shared_ptr<const AnyTarget>& target,
                                         lanes::Storage storage, std::uint64_t seed, std::size_t chains,
                                         const target::GaussianPrior& metric) {
  const auto asks = sampler.asks();
  const auto map = target->map(Real(0), asks, metric);
  auto plain = target->density(Width<Real, W>{}, asks);
  std::shared_ptr<const target::Density<Real, W>> density =
      asks == target::Asks::gradient ? target::through<Real, W>(std::move(plain), map) : std::move(plain);
  // Packs are made whenever a segment begins; the sampler lives as long as the caller keeps it.
  return make_engine<Real, W>(
      [&sampler, storage, seed, map] { return sampler.pack(Width<Real, W>{}, storage, seed, map); }, std::move(density),
      target, chains);
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
  std::shared_ptr<const target::Density<Real, W>> density = std::make_shared<const target::TransportedDensity<Real, W>>(
      target->density(Width<Real, W>{}, target::Asks::density), flow);
  auto inner =
      make_engine<Real, W>([&sampler, storage, seed,
                            d] { return sampler.pack(Width<Real, W>{}, storage, seed, target::AffineMap<Real>(d)); },
                           std::move(density), target, chains);
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
  if (one_chain_at_a_time) {
    return in_folds(make_any<Real, 1>(sampler, target, storage, seed, chains, metric, flow), sampler, seed);
  }
  if (auto wide = make_wide<Real>(sampler, target, storage, seed, chains)) return wide;
  constexpr int W = lanes::native_width<Real>;
  return in_folds(make_any<Real, W>(sampler, target, storage, seed, chains, metric, flow), sampler, seed);
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
