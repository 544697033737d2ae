// sample(): draws from a target with a sampler, as a library user calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/runtime/chees.hpp"
#include "breakstep/runtime/engine.hpp"
#include "breakstep/runtime/meads.hpp"
#include "breakstep/runtime/warm_up.hpp"
#include "breakstep/target/differentiated.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// What to draw and how; meant for designated initialisers: {.chains = 1024, .draws = 1000, .seed = 1}.
struct SampleOptions {
  std::size_t chains = 4;
  std::uint32_t draws = 1000;
  std::uint64_t seed = 1;
  int threads = 1;                             ///< 0 means one per core
  std::optional<lanes::Storage> storage = {};  ///< by default the faster one for the sampler and dimension
  Starts starts = {};
  target::GaussianPrior metric = {};  ///< of samplers that ask for gradients: sd or covariance; unit if empty
  Execution execution = {};
};

/// The draws of all chains and what the run counted.
template <class Real>
struct Draws {
  std::size_t chains = 0;
  std::uint32_t draws = 0;
  int dimension = 0;
  std::vector<Real> values;  ///< chain by chain, draw by draw, coordinate by coordinate
  Counters counters;
  Facts facts;
  double seconds = 0;
  std::vector<std::string> fact_names;  ///< of what the sampler reports beside each draw (NUTS: lp, energy, …)
  std::vector<Real> draw_facts;         ///< in the order of `values`

  [[nodiscard]] const Real* at(std::size_t chain, std::uint32_t draw) const {
    return values.data() + (chain * draws + draw) * static_cast<std::size_t>(dimension);
  }
};

/// FNV-1a over the draws' bits, NaNs in one form: equal exactly if the draws are.
template <class Real>
std::uint64_t hash_of(const std::vector<Real>& values) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const Real value : values) {
    const Real canonical = lanes::detail::canonical(value);
    Unsigned<sizeof(Real)> bits;
    std::memcpy(&bits, &canonical, sizeof bits);
    hash = (hash ^ bits) * 0x100000001B3U;
  }
  return hash;
}

/// Throws Error for options that make no sense.
void check(const SampleOptions& options, int dimension);

/// The run itself, or in folds if that is how the sampler is meant.
template <class Real, class Sampler>
std::unique_ptr<Run<Real>> in_folds(std::unique_ptr<Run<Real>> run, [[maybe_unused]] const Sampler& sampler,
                                    [[maybe_unused]] std::uint64_t seed) {
  if constexpr (requires { sampler.folds; }) {
    if (sampler.folds > 0) {
      return std::make_unique<FoldedRun<Real>>(std::move(run), static_cast<std::size_t>(sampler.folds), seed,
                                               sampler.draws_before);
    }
  }
  return run;
}

/// A run of `sampler` on `target` that has not started. For any precision, width and storage; most users call sample().
template <class Real, int W, Storage S, class Sampler, target::LaneTarget Target>
std::unique_ptr<Run<Real>> make_run(const Sampler& sampler, std::shared_ptr<const Target> target, std::uint64_t seed,
                                    std::size_t chains, const target::GaussianPrior& metric = {}) {
  const auto map = target::make_map<Real>(*target, Sampler::asks, metric);
  auto plain = target::make_density<Real, W>(target, Sampler::asks);
  // A likelihood already sees the prior's map.
  std::shared_ptr<const target::Density<Real, W>> density =
      Sampler::asks == target::Asks::gradient ? target::through<Real, W>(std::move(plain), map) : std::move(plain);
  return in_folds<Real>(
      std::make_unique<Engine<Real, W>>(
          [sampler, seed, map] { return std::make_unique<SamplerPack<Sampler, Real, W, S>>(sampler, seed, map); },
          [density] { return std::make_unique<LaneEvaluator<Real, W>>(*density); }, map.dimension(), chains),
      sampler, seed);
}

/// The same for a batch target, whose evaluations run in the float mode of the thread that calls this.
template <class Real, int W, Storage S, class Sampler, target::BatchTarget Target>
requires(!target::LaneTarget<Target>) std::unique_ptr<Run<Real>> make_run(const Sampler& sampler,
                                                                          std::shared_ptr<const Target> target,
                                                                          std::uint64_t seed, std::size_t chains,
                                                                          const target::GaussianPrior& metric = {}) {
  const bool plain = metric.mean.empty() && metric.sd.empty() && metric.covariance.empty();
  if (!plain || (Sampler::asks == target::Asks::gradient && !target::BatchGradient<Target>)) {
    throw Error(
        "this sampler cannot draw from this batch target",
        plain ? "it needs gradients, and the target has only a density" : "batch targets take the unit metric only",
        plain ? "give the target log_density_and_gradient(), or use another sampler" : "leave the metric out");
  }
  if (Sampler::asks == target::Asks::likelihood) {
    throw Error("this sampler cannot draw from a batch target", "it needs a likelihood and a Gaussian prior",
                "use another sampler");
  }
  const target::AffineMap<Real> map(target->dimension());
  const unsigned float_mode = _mm_getcsr();
  return in_folds<Real>(
      std::make_unique<Engine<Real, W>>(
          [sampler, seed, map] { return std::make_unique<SamplerPack<Sampler, Real, W, S>>(sampler, seed, map); },
          [target, float_mode] { return std::make_unique<BatchEvaluator<Target, Real, W>>(*target, float_mode); },
          map.dimension(), chains, target->batch_invariant()),
      sampler, seed);
}

/// The same for a model, whose gradient is computed from its density.
template <class Real, int W, Storage S, class Sampler, target::Model Target>
std::unique_ptr<Run<Real>> make_run(const Sampler& sampler, std::shared_ptr<const Target> target, std::uint64_t seed,
                                    std::size_t chains) {
  using Differentiated = target::Differentiated<Target>;
  return make_run<Real, W, S>(sampler, std::make_shared<const Differentiated>(std::move(target)), seed, chains);
}

/// Draws everything in one segment.
template <class Real>
Draws<Real> draw_all(Run<Real>& run, const SampleOptions& options) {
  check(options, run.dimension());
  Draws<Real> result{.chains = options.chains,
                     .draws = options.draws,
                     .dimension = run.dimension(),
                     .values = {},
                     .counters = {},
                     .facts = {},
                     .fact_names = run.fact_names(),
                     .draw_facts = {}};
  result.values.resize(options.chains * options.draws * static_cast<std::size_t>(run.dimension()));
  result.draw_facts.resize(options.chains * options.draws * result.fact_names.size());
  const auto begin = std::chrono::steady_clock::now();
  run.start(options.starts);
  Execution execution = options.execution;
  execution.threads = options.threads;
  result.counters = run.advance(options.draws, options.draws,
                                {.data = result.values.data(),
                                 .first = 0,
                                 .count = options.draws,
                                 .dimension = run.dimension(),
                                 .facts = result.draw_facts.empty() ? nullptr : result.draw_facts.data(),
                                 .fact_count = static_cast<int>(result.fact_names.size())},
                                execution);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.facts = run.facts();
  return result;
}

/// Draws from `target`. Throws Error for invalid options, or if the sampler needs a prior that the target does not
/// declare.
template <class Real = double, class Sampler, class Target>
requires(target::LaneTarget<Target> || target::BatchTarget<Target>) Draws<Real> sample(const Sampler& sampler,
                                                                                       const Target& target,
                                                                                       const SampleOptions& options) {
  constexpr int W = lanes::native_width<Real>;
  const auto shared = std::make_shared<const Target>(target);
  check(options, shared->dimension());
  const auto storage = options.storage.value_or(preferred_storage(Sampler::asks, shared->dimension(), sizeof(Real)));
  const auto run =
      storage == Storage::interleaved
          ? make_run<Real, W, Storage::interleaved>(sampler, shared, options.seed, options.chains, options.metric)
          : make_run<Real, W, Storage::contiguous>(sampler, shared, options.seed, options.chains, options.metric);
  return draw_all(*run, options);
}

/// The sampler with the least it can do in a draw: one leapfrog step.
template <class Sampler>
Sampler stopped_after_one_step(Sampler sampler) {
  if constexpr (requires { sampler.max_depth; }) {
    sampler.max_depth = 1;
  } else if constexpr (requires { sampler.steps; }) {
    sampler.steps = 1;
  }
  return sampler;
}

/// Tunes a gradient sampler to `target` with the chains, seed, threads, storage and execution of `options`, whose
/// draws, starts and metric do not matter here.
template <class Real = double, class Sampler, target::LaneTarget Target>
WarmUp warm_up(const Sampler& sampler, const Target& target, const SampleOptions& options,
               const WarmUpOptions& how = {}) {
  constexpr int W = lanes::native_width<Real>;
  const auto shared = std::make_shared<const Target>(target);
  check(options, shared->dimension());
  const auto storage = options.storage.value_or(preferred_storage(Sampler::asks, shared->dimension(), sizeof(Real)));
  const auto maker = [&](const Sampler& own) {
    return [&options, own, shared, storage](const target::GaussianPrior& metric, std::uint64_t seed) {
      return storage == Storage::interleaved
                 ? make_run<Real, W, Storage::interleaved>(own, shared, seed, options.chains, metric)
                 : make_run<Real, W, Storage::contiguous>(own, shared, seed, options.chains, metric);
    };
  };
  Execution execution = options.execution;
  execution.threads = options.threads;
  if constexpr (requires { sampler.keep_proposals; }) {
    Sampler keeping = sampler;
    keeping.keep_proposals = true;
    return warm_up_chees<Real>(maker(keeping), {.max_steps = sampler.max_steps, .price = sampler.price}, how,
                               options.seed, execution);
  } else if constexpr (requires { sampler.folds; }) {
    Sampler folded = sampler;
    if (folded.folds == 0) folded.folds = usual_folds;
    return warm_up_meads<Real>(maker(folded), how, options.seed, execution);
  } else {
    return warm_up(RunsOf<Real>{maker(sampler), maker(stopped_after_one_step(sampler))}, how, options.seed, execution);
  }
}

/// Gives the sampler all of a tuning but the metric.
template <class Sampler>
void use_tuning(Sampler& sampler, const Tuning& tuning) {
  sampler.step_size = tuning.step_size;
  for (const auto& [name, value] : tuning.parameters) {
    if constexpr (requires { sampler.trajectory; }) {
      if (name == "trajectory") sampler.trajectory = value;
    }
    if constexpr (requires { sampler.damping; }) {
      if (name == "damping") sampler.damping = value;
      if (name == "draws_before") sampler.draws_before = value;
    }
  }
}

/// Draws on from where a warm-up ended, with what it found; `options` says the rest.
template <class Real = double, class Sampler, target::LaneTarget Target>
Draws<Real> sample(Sampler sampler, const Target& target, SampleOptions options, const WarmUp& warmed_up) {
  use_tuning(sampler, warmed_up.tuning);
  options.metric = warmed_up.tuning.metric;
  options.starts = {.kind = Starts::Kind::given, .scale = 1, .positions = warmed_up.positions};
  return sample<Real>(sampler, target, options);
}

/// Draws from a model (target/differentiated.hpp), in its unconstrained coordinates.
template <class Real = double, class Sampler, target::Model Target>
Draws<Real> sample(const Sampler& sampler, const Target& model, const SampleOptions& options) {
  return sample<Real>(sampler, target::Differentiated<Target>(model), options);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime

namespace breakstep::inline BREAKSTEP_ABI {
using runtime::sample;
using runtime::warm_up;
}
