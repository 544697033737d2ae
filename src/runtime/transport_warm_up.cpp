// warm_up_transport(): chains of transport elliptical slice and their flow find the target together.
#include "breakstep/runtime/transport_warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/runtime/warm_up.hpp"
#include "warming_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

namespace {

template <class Real>
class WarmingUp {
 public:
  WarmingUp(const TransportRuns<Real>& runs, std::shared_ptr<const FlowTrainer::Density> density,
            const TransportOptions& options, std::uint64_t seed, const Execution& execution)
      : runs_(runs),
        options_(options),
        seed_(seed),
        execution_(execution),
        trainer_(target::identity_flow(options.shape, derived_seed(seed, networks)), std::move(density),
                 options.training, derived_seed(seed, training)) {}

  TransportWarmUp run() {
    const double begin = now();
    const auto rounds = std::min(most_rounds, options_.draws);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      if (round > 0) train(share(options_.training.steps, round, rounds - 1));
      draw(share(options_.draws, round, rounds), share(options_.draws, round + 1, rounds), round == 0);
      if (round == 0) trainer_.fit_scales(recent_);
    }
    result_.flow = trainer_.flow();
    summarize();
    result_.facts.seconds = now() - begin;
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t drawing = 1, networks = 3, training = 4, ratios = 4000;  ///< purposes of seeds
  static constexpr std::uint32_t most_rounds = 10;

  static std::uint32_t share(std::uint32_t whole, std::uint32_t part, std::uint32_t parts) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(whole) * part / parts);
  }

  void train(std::uint32_t until) {
    const double begin = now();
    while (trainer_.steps() < until) {
      losses_.push_back(options_.training.loss == FlowLoss::reverse ? trainer_.step() : trainer_.step(recent_));
    }
    result_.facts.training_seconds += now() - begin;
  }

  void draw(std::uint32_t first, std::uint32_t last, bool is_first) {
    const auto run = runs_(trainer_.flow(), derived_seed(seed_, drawing));
    if (is_first) {
      run->start(options_.starts);
      const Facts noticed = run->facts();
      note_starts(noticed, result_.facts);
      require_usable_start(noticed, run->records().chains());
    } else {
      run->start({.kind = Starts::Kind::given, .scale = 1, .positions = result_.positions});
    }
    auto& records = run->records();
    for (std::size_t c = 0; c < records.chains(); ++c) records.draws(c) = first;
    std::vector<Real> values(records.chains() * (last - first) * static_cast<std::size_t>(run->dimension()));
    result_.facts.counters.add(run->advance(
        last, last, {.data = values.data(), .first = first, .count = last - first, .dimension = run->dimension()},
        execution_));
    result_.positions = run->positions();
    remember(values, records.chains(), last - first, static_cast<std::size_t>(run->dimension()));
  }

  /// What the forward loss learns from: the second half of this round's draws, the last round's, and what was seen
  /// before.
  void remember(const std::vector<Real>& values, std::size_t chains, std::uint32_t draws, std::size_t d) {
    std::vector<double> latest;
    for (std::size_t c = 0; c < chains; ++c) {
      for (std::uint32_t t = draws / 2; t < draws; ++t) {
        const Real* position = values.data() + (c * draws + t) * d;
        if (!std::all_of(position, position + d, [](Real x) { return std::isfinite(x); })) continue;
        latest.insert(latest.end(), position, position + d);
      }
    }
    recent_ = options_.seen;
    recent_.insert(recent_.end(), latest_.begin(), latest_.end());
    recent_.insert(recent_.end(), latest.begin(), latest.end());
    latest_ = std::move(latest);
  }

  void summarize() {
    TransportFacts& facts = result_.facts;
    facts.steps = trainer_.steps();
    facts.skipped = trainer_.skipped();
    facts.left_out = trainer_.left_out();
    if (facts.steps > 0 && facts.skipped == facts.steps) {
      throw Error("the flow has learnt nothing", "no step of its training had a finite gradient",
                  "give starts nearer to where the target has its mass, or choose the other loss");
    }
    const std::size_t tenth = std::max<std::size_t>(1, losses_.size() / 10);
    const auto mean = [&](std::size_t from) {
      double sum = 0, count = 0;
      for (std::size_t i = from; i < std::min(losses_.size(), from + tenth); ++i) {
        if (std::isnan(losses_[i])) continue;
        sum += losses_[i];
        ++count;
      }
      return count > 0 ? sum / count : 0.0;
    };
    facts.first_loss = mean(0);
    facts.last_loss = mean(losses_.size() - std::min(losses_.size(), tenth));
    facts.log_ratios = trainer_.log_ratios(ratios);
  }

  const TransportRuns<Real>& runs_;
  const TransportOptions& options_;
  std::uint64_t seed_;
  Execution execution_;
  FlowTrainer trainer_;
  TransportWarmUp result_;
  std::vector<double> latest_, recent_, losses_;
};

}  // namespace

template <class Real>
TransportWarmUp warm_up_transport(const TransportRuns<Real>& runs, std::shared_ptr<const FlowTrainer::Density> density,
                                  const TransportOptions& options, std::uint64_t seed, const Execution& execution) {
  if (options.draws < 2) {
    throw Error("a warm-up through a flow has " + std::to_string(options.draws) + " draws",
                "it needs at least 2: some before the flow is trained, and some after", "give more, such as 400");
  }
  return WarmingUp<Real>(runs, std::move(density), options, seed, execution).run();
}

template TransportWarmUp warm_up_transport<float>(const TransportRuns<float>&,
                                                  std::shared_ptr<const FlowTrainer::Density>, const TransportOptions&,
                                                  std::uint64_t, const Execution&);
template TransportWarmUp warm_up_transport<double>(const TransportRuns<double>&,
                                                   std::shared_ptr<const FlowTrainer::Density>, const TransportOptions&,
                                                   std::uint64_t, const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
