// Runs the replicates of a calibration, each on one thread and from seeds of its own.
#include "breakstep/calibration/calibrate.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/options.hpp"
#include "breakstep/runtime/threads.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::calibration {
namespace {

// Purposes of seeds; those of a replicate's seed begin where the warm-up's own end.
constexpr std::uint64_t first_replicate = 1'000'000, simulating = 101, breaking_ties = 102;

std::uint64_t seed_of(const Options& options, std::size_t replicate) {
  return runtime::derived_seed(options.seed, first_replicate + replicate);
}

registry::Simulated simulated(const registry::AnyTarget& target, const Options& options, std::size_t replicate) {
  auto result = target.simulate(runtime::derived_seed(seed_of(options, replicate), simulating));
  if (result) return *std::move(result);
  throw Error("this target cannot be calibrated", "it does not draw from its prior or does not simulate data",
              "give it with_simulated_data() (see docs/models.md), or choose another");
}

/// The runs of one replicate.
template <class Real>
class Replicate {
 public:
  Replicate(const MakeSampler& make_sampler, const registry::AnyTarget& target, const Options& options,
            std::size_t number)
      : options_(options),
        make_sampler_(make_sampler),
        truth_(simulated(target, options, number)),
        sampler_(make_sampler()),
        seed_(seed_of(options, number)),
        storage_(runtime::preferred_storage(sampler_->asks(), target.dimension(), sizeof(Real))) {}

  [[nodiscard]] const registry::Simulated& truth() const { return truth_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] bool has_steps() const { return sampler_->asks() == target::Asks::gradient; }
  [[nodiscard]] const runtime::Facts& facts() const { return facts_; }

  [[nodiscard]] runtime::WarmUp warm_up() const {
    return registry::warm_up<Real>(make_sampler_, truth_.target, storage_, options_.chains, false, options_.warm_up,
                                   seed_, {});
  }

  /// Positions of every chain's draws, already thinned: chain by chain.
  [[nodiscard]] std::vector<Real> draws(std::uint32_t of_each_chain) {
    runtime::Starts starts = options_.warm_up.starts;
    runtime::Tuning tuning;
    std::uint32_t forgotten = options_.warm_up.draws;
    if (has_steps() && options_.tuning) {
      tuning = *options_.tuning;
    } else if (has_steps() && forgotten > 0) {
      const runtime::WarmUp found = warm_up();
      tuning = found.tuning;
      starts = {.kind = runtime::Starts::Kind::given, .scale = 1, .positions = found.positions};
      forgotten = 0;
    }
    registry::use_tuning(*sampler_, tuning);
    const auto run =
        registry::make_run<Real>(*sampler_, truth_.target, storage_, seed_, options_.chains, false, tuning.metric);
    run->start(starts);
    run->advance(forgotten, forgotten, {}, {});
    const std::uint64_t forgotten_events = run->facts().events;
    const std::uint32_t made = of_each_chain * options_.thin;
    const auto d = static_cast<std::size_t>(run->dimension());
    std::vector<Real> all(options_.chains * made * d);
    run->advance(forgotten + made, forgotten + made,
                 {.data = all.data(), .first = forgotten, .count = made, .dimension = run->dimension()}, {});
    facts_ = run->facts();
    facts_.events -= forgotten_events;
    std::vector<Real> kept;
    kept.reserve(options_.chains * of_each_chain * d);
    for (std::size_t c = 0; c < options_.chains; ++c) {
      for (std::size_t t = options_.thin - 1; t < made; t += options_.thin) {
        const auto draw = all.begin() + static_cast<std::ptrdiff_t>((c * made + t) * d);
        kept.insert(kept.end(), draw, draw + static_cast<std::ptrdiff_t>(d));
      }
    }
    return kept;
  }

 private:
  const Options& options_;
  const MakeSampler& make_sampler_;
  registry::Simulated truth_;
  std::unique_ptr<registry::AnySampler> sampler_;
  std::uint64_t seed_;
  lanes::Storage storage_;
  runtime::Facts facts_;
};

/// The quantities that are ranked, at any position of one target.
class Quantities {
 public:
  explicit Quantities(const registry::AnyTarget& target)
      : target_(target),
        density_(target.density(registry::OneDouble{}, target::Asks::density)),
        position_(lanes::aligned_zeros<double>(static_cast<std::size_t>(target.dimension()))),
        workspace_(lanes::aligned_zeros<double>(density_->workspace())) {}

  [[nodiscard]] static std::vector<std::string> names(const registry::AnyTarget& target) {
    auto names = target.reported_names();
    names.emplace_back("log_density");
    return names;
  }

  /// `position` in the sampler's coordinates; `out` has as many numbers as there are names.
  template <class Real>
  void write(const Real* position, std::vector<double>& out) const {
    const lanes::FlushToZero scope;
    const int d = target_.dimension();
    std::copy_n(position, d, position_.get());
    target_.report(position_.get(), out.data());
    out.back() = density_->evaluate(lanes::InterleavedVector<double, 1>(position_.get(), d), workspace_.get())[0];
  }

 private:
  const registry::AnyTarget& target_;
  std::unique_ptr<target::Density<double, 1>> density_;
  decltype(lanes::aligned_zeros<double>(0)) position_, workspace_;
};

/// Where the truth stands among a replicate's draws; equals take any place at random.
struct Place {
  std::uint32_t below = 0, equal = 0;

  void add(double draw, double truth) {
    below += draw < truth ? 1 : 0;
    equal += draw == truth ? 1 : 0;
  }
  [[nodiscard]] std::uint32_t rank(target::Synthetic& random) const {
    return below + std::min(equal, static_cast<std::uint32_t>(random.uniform() * (equal + 1)));
  }
};

struct ReplicateRanks {
  std::vector<std::uint32_t> ranks;
  std::vector<double> worth;
  std::uint64_t bad_starts = 0, events = 0;
};

template <class Real>
ReplicateRanks rank(const MakeSampler& make_sampler, const registry::AnyTarget& target, const Options& options,
                    std::size_t number) {
  Replicate<Real> replicate(make_sampler, target, options, number);
  const std::size_t of_each = (options.draws + options.chains - 1) / options.chains;
  const auto draws = replicate.draws(static_cast<std::uint32_t>(of_each));
  const auto& truth = replicate.truth();
  const Quantities quantities(*truth.target);
  const std::size_t size = Quantities::names(*truth.target).size();
  const auto d = static_cast<std::size_t>(target.dimension());
  std::vector<double> true_values(size), values(size), all(options.chains * of_each * size);
  quantities.write(truth.position.data(), true_values);
  std::vector<Place> places(size);
  for (std::size_t c = 0; c < options.chains; ++c) {
    for (std::size_t t = 0; t < of_each; ++t) {
      quantities.write(draws.data() + (c * of_each + t) * d, values);
      std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>((c * of_each + t) * size));
      // Chains may have a few draws more than are asked for.
      if (t * options.chains + c >= options.draws) continue;
      for (std::size_t q = 0; q < size; ++q) places[q].add(values[q], true_values[q]);
    }
  }
  ReplicateRanks result;
  target::Synthetic random(runtime::derived_seed(replicate.seed(), breaking_ties));
  diagnostics::Summarizer summarizer;
  for (std::size_t q = 0; q < size; ++q) {
    result.ranks.push_back(places[q].rank(random));
    const diagnostics::DrawsView<double> view{.data = all.data() + q,
                                              .chains = options.chains,
                                              .draws = of_each,
                                              .chain_stride = static_cast<std::ptrdiff_t>(of_each * size),
                                              .draw_stride = static_cast<std::ptrdiff_t>(size)};
    result.worth.push_back(summarizer.read(view).ess_bulk() / static_cast<double>(options.chains * of_each));
  }
  result.bad_starts = replicate.facts().bad_starts;
  result.events = replicate.facts().events;
  return result;
}

/// Of the numbers that are one.
double median(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return x != x; });
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

Ranks collected(const registry::AnyTarget& target, const std::vector<ReplicateRanks>& replicates,
                const Options& options) {
  Ranks ranks;
  ranks.names = Quantities::names(target);
  for (std::size_t q = 0; q < ranks.names.size(); ++q) {
    std::vector<std::uint32_t> counts(options.draws + 1);
    std::vector<double> worth;
    for (const ReplicateRanks& one : replicates) {
      ++counts[one.ranks[q]];
      worth.push_back(one.worth[q]);
    }
    ranks.counts.push_back(std::move(counts));
    ranks.worth.push_back(median(std::move(worth)));
  }
  for (const ReplicateRanks& one : replicates) {
    ranks.bad_starts += one.bad_starts;
    ranks.events += one.events;
  }
  return ranks;
}

}  // namespace

template <class Real>
runtime::Tuning first_tuning(const MakeSampler& make_sampler, const registry::AnyTarget& target,
                             const Options& options) {
  return Replicate<Real>(make_sampler, target, options, 0).warm_up().tuning;
}

template <class Real>
Ranks calibrate(const MakeSampler& make_sampler, const registry::AnyTarget& target, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<ReplicateRanks> replicates(options.replicates);
  std::mutex mutex;
  std::size_t done = 0;
  runtime::for_each_on_threads(options.replicates, options.threads, [&](std::size_t i) {
    replicates[i] = rank<Real>(make_sampler, target, options, i);
    const std::lock_guard lock(mutex);
    if (options.on_replicate_done) options.on_replicate_done(++done);
  });
  Ranks ranks = collected(target, replicates, options);
  ranks.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ranks;
}

template runtime::Tuning first_tuning<float>(const MakeSampler&, const registry::AnyTarget&, const Options&);
template runtime::Tuning first_tuning<double>(const MakeSampler&, const registry::AnyTarget&, const Options&);
template Ranks calibrate<float>(const MakeSampler&, const registry::AnyTarget&, const Options&);
template Ranks calibrate<double>(const MakeSampler&, const registry::AnyTarget&, const Options&);

}  // namespace breakstep::inline BREAKSTEP_ABI::calibration
