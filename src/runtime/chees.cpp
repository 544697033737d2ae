// ChEES: slopes from all chains, and the warm-up that follows them.
#include "breakstep/runtime/chees.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/halton.hpp"
#include "breakstep/lanes/record_fields.hpp"
#include "breakstep/runtime/over_chains.hpp"
#include "warming_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {
namespace {

/// Means of each coordinate, weighted.
std::vector<double> weighted_mean(const std::vector<double>& values, const std::vector<double>& weight, std::size_t d) {
  auto mean = sums_over_chains(0, weight.size(), d, [&](std::size_t c, double* sums) {
    if (!(weight[c] > 0)) return;  // what does not count may be infinite
    for (std::size_t i = 0; i < d; ++i) sums[i] += weight[c] * values[c * d + i];
  });
  const double total = sum_over_chains(weight.size(), [&](std::size_t c) { return weight[c]; });
  for (double& m : mean) m /= total;
  return mean;
}

}  // namespace

CheesCriterion chees_criterion(const Proposals& p) {
  const std::size_t chains = p.weight.size(), d = p.dimension;
  const double total = sum_over_chains(chains, [&](std::size_t c) { return p.weight[c]; });
  if (!(total > 0)) return {};
  const auto mean_before = weighted_mean(p.before, p.weight, d), mean_proposed = weighted_mean(p.proposed, p.weight, d);
  const auto sums = sums_over_chains(0, chains, 2, [&](std::size_t c, double* sum) {
    if (!(p.weight[c] > 0)) return;
    double before = 0, proposed = 0, along = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double from = p.before[c * d + i] - mean_before[i], to = p.proposed[c * d + i] - mean_proposed[i];
      before += from * from;
      proposed += to * to;
      along += to * p.momentum[c * d + i];
    }
    const double change = proposed - before;
    sum[0] += p.weight[c] * change * change / 4;
    sum[1] += p.weight[c] * change * along;
  });
  const CheesCriterion criterion{.value = sums[0] / total, .slope = sums[1] / total};
  return std::isfinite(criterion.value) && std::isfinite(criterion.slope) ? criterion : CheesCriterion{};
}

double harmonic_mean(const std::vector<double>& acceptances) {
  if (acceptances.empty()) return 0;
  const double inverses = sum_over_chains(acceptances.size(), [&](std::size_t c) { return 1 / acceptances[c]; });
  return static_cast<double>(acceptances.size()) / inverses;
}

TrajectoryLength::TrajectoryLength(double first, double price) : log_length_(std::log(first)), price_(price) {}

double TrajectoryLength::update(const CheesCriterion& criterion, double lowest, double highest) {
  // Adam without momentum, with the constants of the paper's authors.
  constexpr double rate = 0.025, memory = 0.95, longest_move = 0.35, forgetting = 0.75;
  ++updates_;
  // Of lengths that Halton's sequence has made long and short, not of this draw's alone.
  usual_value_ = memory * usual_value_ + (1 - memory) * criterion.value;
  const double slope = criterion.slope - price_ * usual_value_ / (1 - std::pow(memory, updates_));
  square_ = memory * square_ + (1 - memory) * slope * slope;
  const double size = std::sqrt(square_ / (1 - std::pow(memory, updates_)));
  if (size > 0 && std::isfinite(size)) log_length_ += std::clamp(rate * slope / size, -longest_move, longest_move);
  log_length_ = std::clamp(log_length_, std::log(lowest), std::log(highest));
  const double weight = std::pow(updates_, -forgetting);
  average_ = weight * log_length_ + (1 - weight) * average_;
  return std::exp(log_length_);
}

double TrajectoryLength::settled() const { return std::exp(updates_ > 0 ? average_ : log_length_); }

namespace {

/// Variances of every coordinate over the draws of all chains.
class Variances {
 public:
  explicit Variances(std::size_t dimension) : mean_(dimension), squares_(dimension) {}

  void add(const std::vector<double>& x, const std::vector<char>& counts) {
    const std::size_t d = mean_.size();
    std::vector<double> weight(counts.begin(), counts.end());
    const double n = sum_over_chains(weight.size(), [&](std::size_t c) { return weight[c]; });
    if (!(n > 0)) return;
    const auto mean = weighted_mean(x, weight, d);
    const auto squares = sums_over_chains(0, weight.size(), d, [&](std::size_t c, double* sums) {
      if (!(weight[c] > 0)) return;
      for (std::size_t i = 0; i < d; ++i) sums[i] += (x[c * d + i] - mean[i]) * (x[c * d + i] - mean[i]);
    });
    for (std::size_t i = 0; i < d; ++i) {
      const double apart = mean[i] - mean_[i];
      squares_[i] += squares[i] + apart * apart * count_ * n / (count_ + n);
      mean_[i] += apart * n / (count_ + n);
    }
    count_ += n;
  }

  /// Standard deviations, with Stan's pull towards small ones; empty if there are too few draws or one is no number.
  [[nodiscard]] std::vector<double> sds() const {
    constexpr double weight = 5, small = 1e-3;
    if (count_ < 3) return {};
    std::vector<double> sds;
    for (const double square : squares_) {
      sds.push_back(std::sqrt((count_ * square / (count_ - 1) + small * weight) / (count_ + weight)));
      if (!std::isfinite(sds.back())) return {};
    }
    return sds;
  }

 private:
  double count_ = 0;
  std::vector<double> mean_, squares_;
};

/// The first is for chains to arrive, those between for better scales, and the last is on scales that hold.
std::vector<Phase> chees_phases(std::uint32_t draws, bool learns_metric) {
  constexpr std::uint32_t too_few = 20;
  if (draws < too_few) return {{0, draws, draws}};
  const auto at = [&](double share) { return static_cast<std::uint32_t>(share * draws); };
  if (!learns_metric) return {{0, at(0.2), at(0.2)}, {at(0.2), draws, draws}};
  return {{0, at(0.15), at(0.2)}, {at(0.2), at(0.25), at(0.3)}, {at(0.3), at(0.4), at(0.5)}, {at(0.5), draws, draws}};
}

template <class Real>
class WarmingUpChees {
 public:
  using Make = typename RunsOf<Real>::Make;
  WarmingUpChees(const Make& make, const TrajectoryLimits& limits, const WarmUpOptions& options, std::uint64_t seed,
                 const Execution& execution)
      : make_(make), limits_(limits), options_(options), seed_(seed), execution_(execution) {}

  WarmUp run() {
    const lanes::FlushToZero scope;
    const double begin = now();
    place();
    if (chains_ < 2) {
      throw Error("chees with 1 chain", "it learns from how chains spread", "ask for more chains, or take nuts");
    }
    const auto phases = chees_phases(options_.draws, options_.metric == Metric::diagonal);
    for (std::size_t p = 0; p < phases.size(); ++p) {
      if (p + 1 < phases.size() && p == 0) {
        arrive(phases[p]);
      } else {
        run_phase(phases[p], p + 1 == phases.size());
      }
    }
    result_.facts.seconds = now() - begin;
    return std::move(result_);
  }

  WarmUp only_arrive() {
    const lanes::FlushToZero scope;
    const double begin = now();
    place();
    arrive({0, options_.draws, options_.draws});
    result_.facts.seconds = now() - begin;
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t drawing = 1, probing = 2;  ///< purposes of seeds

  /// The draw that all chains have made last.
  struct Draw {
    std::vector<double> x;                ///< where chains were before
    std::vector<Real> facts;              ///< chain by chain
    std::vector<double> acceptance;       ///< of each chain
    std::vector<char> usable, divergent;  ///< of each chain
  };

  void place() {
    const auto run = make_({}, derived_seed(seed_, drawing));
    run->start(options_.starts);
    const Facts facts = run->facts();
    note_starts(facts, result_.facts);
    chains_ = run->records().chains();
    require_usable_start(facts, chains_);
    const auto names = run->fact_names();
    fact_count_ = names.size();
    accept_ = index_of(names, "accept_stat");
    divergent_ = index_of(names, "divergent");
    log_density_ = index_of(names, "lp");
    result_.positions = run->positions();
    result_.tuning.step_size = options_.first_step_size;
  }

  [[nodiscard]] std::unique_ptr<Run<Real>> continued(std::uint64_t purpose) const {
    auto run = make_(result_.tuning.metric, derived_seed(seed_, purpose));
    run->start({.kind = Starts::Kind::given, .scale = 1, .positions = result_.positions});
    return run;
  }

  /// Brings all chains from draw t to t + 1.
  Draw draw_once(Run<Real>& run, std::uint32_t t, double step, double trajectory) {
    if (!(step > 1e-30) || !std::isfinite(step)) {
      throw Error("no step size suits the target", "the warm-up of chees arrived at " + std::to_string(step),
                  "look at the target's density and gradient (breakstep check-gradient), or give other starts");
    }
    return draw_once(run, t, {.change = 0, .before = step, .after = step}, std::vector<double>(chains_, trajectory));
  }

  /// The same, each chain with its own trajectory.
  Draw draw_once(Run<Real>& run, std::uint32_t t, const StepSizes& sizes, const std::vector<double>& trajectories) {
    auto& records = run.records();
    const lanes::RecordField<Real> length(records, "trajectory");
    for (std::size_t c = 0; c < chains_; ++c) length.write(records, c, &trajectories[c]);
    Draw draw;
    draw.x = lanes::RecordField<Real>(records, "x").read(records);
    draw.facts.resize(chains_ * fact_count_);
    run.set_step_sizes(sizes);
    result_.facts.counters.add(run.advance(t + 1, t + 1,
                                           {.data = nullptr,
                                            .first = t,
                                            .count = 1,
                                            .dimension = run.dimension(),
                                            .facts = draw.facts.data(),
                                            .fact_count = static_cast<int>(fact_count_)},
                                           execution_));
    for (std::size_t c = 0; c < chains_; ++c) {
      const Real* facts = draw.facts.data() + c * fact_count_;
      const auto acceptance = static_cast<double>(facts[accept_]);
      draw.acceptance.push_back(std::isfinite(acceptance) ? acceptance : 0.0);
      draw.usable.push_back(std::isfinite(facts[log_density_]) ? 1 : 0);
      draw.divergent.push_back(facts[divergent_] > 0 ? 1 : 0);
    }
    return draw;
  }

  /// Doubles or halves the step size until the mean acceptance of one step crosses 0.8.
  double find_first_step(double step) {
    constexpr std::uint32_t most_tries = 60;
    constexpr double enough = 0.8, shortest = 1e-30;
    const auto run = continued(probing);
    bool grew = false;
    for (std::uint32_t tries = 0; tries < most_tries; ++tries) {
      const Draw draw = draw_once(*run, tries, step, shortest);
      double sum = 0, count = 0;
      for (std::size_t c = 0; c < chains_; ++c) {
        sum += draw.usable[c] != 0 ? draw.acceptance[c] : 0.0;
        count += draw.usable[c];
      }
      const bool grows = sum > enough * count;
      if (tries > 0 && grows != grew) return step;
      step *= grows ? 2 : 0.5;
      grew = grows;
    }
    throw Error("no step size suits the target",
                std::to_string(most_tries) + " were tried, down or up to " + std::to_string(step),
                "look at the target's density and gradient (breakstep check-gradient), or give other starts");
  }

  /// What the step size follows. A divergent draw does not count: one of them would keep all chains' steps small.
  [[nodiscard]] double acceptance_of(const Draw& draw) const {
    std::vector<double> acceptances;
    for (std::size_t c = 0; c < chains_; ++c) {
      if (draw.usable[c] != 0 && draw.divergent[c] == 0) acceptances.push_back(draw.acceptance[c]);
    }
    return harmonic_mean(acceptances);
  }

  [[nodiscard]] std::unique_ptr<Run<Real>> continued_at(std::uint32_t draw) const {
    auto run = continued(drawing);
    for (std::size_t c = 0; c < chains_; ++c) run->records().draws(c) = draw;
    return run;
  }

  /// Takes chains to where the target has its mass, each by a few steps of a size of its own: one for all would leave
  /// those in the worst places stuck, or all others creeping.
  void arrive(const Phase& phase) {
    constexpr double most_steps = 8, usual_acceptance = 0.8;
    const auto run = continued_at(phase.begin);
    auto& records = run->records();
    std::vector<double> sizes(chains_, find_first_step(result_.tuning.step_size));
    const StepSizes own{
        .change = 0, .before = 0, .after = 0, .of_chain = sizes.data(), .target_accept = usual_acceptance};
    const lanes::RecordField<Real> x(records, "x");
    Variances variances(x.elements());
    for (std::uint32_t t = phase.begin; t < phase.end; ++t) {
      std::vector<double> trajectories = sizes;
      for (double& length : trajectories) length *= most_steps;
      const Draw draw = draw_once(*run, t, own, trajectories);
      if (t >= phase.learn_from) variances.add(x.read(records), draw.usable);
    }
    result_.tuning.step_size = median(sizes);
    result_.positions = run->positions();
    if (phase.learn_from < phase.end) set_metric(variances.sds());
  }

  void run_phase(const Phase& phase, bool is_last) {
    const auto run = continued_at(phase.begin);
    auto& records = run->records();
    const double first_step = find_first_step(result_.tuning.step_size);
    DualAveraging step_size(first_step, options_.target_accept);
    // Once the metric is learnt, scales are about 1.
    double step = first_step, trajectory = result_.tuning.metric.sd.empty() ? first_step : std::max(first_step, 1.0);
    TrajectoryLength length(trajectory, limits_.price);
    const lanes::RecordField<Real> x(records, "x"), proposal(records, "proposal"), momentum(records, "end_momentum");
    Variances variances(x.elements());
    double accepted = 0, accepting = 0;
    const std::uint32_t half = phase.begin + (phase.end - phase.begin) / 2;
    const std::size_t between = is_last && options_.keep > 0 ? chains_ * (phase.end - half) / options_.keep + 1 : 0;
    for (std::uint32_t t = phase.begin; t < phase.end; ++t) {
      const Draw draw = draw_once(*run, t, step, trajectory);
      if (between > 0 && t >= half && (t - half) % between == 0) keep(run->positions());
      const Proposals proposals{.dimension = x.elements(),
                                .before = draw.x,
                                .proposed = proposal.read(records),
                                .momentum = momentum.read(records),
                                .weight = weights_of(draw)};
      const double acceptance = acceptance_of(draw);
      CheesCriterion criterion = chees_criterion(proposals);
      criterion.slope *= lanes::halton(t + 1) * trajectory;  // by the length's logarithm
      // Whole steps are half a step longer in the mean than what was asked for, and that half costs the same at any
      // length.
      criterion.value *= trajectory / (trajectory + step);
      step = step_size.update(acceptance);
      trajectory = length.update(criterion, step, step * limits_.max_steps);
      if (t >= phase.learn_from) variances.add(x.read(records), draw.usable);
      if (t >= half) {
        accepted += acceptance;
        ++accepting;
      }
      if (is_last)
        result_.facts.divergent +=
            static_cast<std::uint64_t>(std::count(draw.divergent.begin(), draw.divergent.end(), 1));
    }
    result_.facts.accept_stat = accepting > 0 ? accepted / accepting : 0;
    result_.tuning.step_size = step_size.settled();
    result_.tuning.parameters = {{"trajectory", length.settled()}};
    result_.positions = run->positions();
    if (phase.learn_from < phase.end) set_metric(variances.sds());
  }

  void keep(const std::vector<double>& positions) {
    result_.kept.insert(result_.kept.end(), positions.begin(), positions.end());
  }

  [[nodiscard]] static std::vector<double> weights_of(const Draw& draw) {
    std::vector<double> weight = draw.acceptance;
    for (std::size_t c = 0; c < weight.size(); ++c) {
      if (draw.usable[c] == 0 || draw.divergent[c] != 0) weight[c] = 0;
    }
    return weight;
  }

  /// Draws are in coordinates that the present metric scales.
  void set_metric(const std::vector<double>& sds) {
    if (sds.empty()) return;
    auto& metric = result_.tuning.metric.sd;
    if (metric.empty()) metric.assign(sds.size(), 1.0);
    result_.facts.metric_change = 1;
    for (std::size_t i = 0; i < sds.size(); ++i) {
      const double ratio = sds[i] * sds[i], change = std::max(ratio, 1 / ratio);
      metric[i] *= sds[i];
      if (!(change > result_.facts.metric_change)) continue;
      result_.facts.metric_change = change;
      result_.facts.most_changed = i;
    }
  }

  const Make& make_;
  TrajectoryLimits limits_;
  const WarmUpOptions& options_;
  std::uint64_t seed_;
  Execution execution_;
  WarmUp result_;
  std::size_t chains_ = 1, fact_count_ = 0, accept_ = 0, divergent_ = 0, log_density_ = 0;
};

}  // namespace

template <class Real>
WarmUp warm_up_chees(const typename RunsOf<Real>::Make& make, const TrajectoryLimits& limits,
                     const WarmUpOptions& options, std::uint64_t seed, const Execution& execution) {
  if (options.metric == Metric::dense) {
    throw Error("chees learns no dense metric", "its trajectories are judged by independent coordinates",
                "take the diagonal one, or unit");
  }
  check(options);
  return WarmingUpChees<Real>(make, limits, options, seed, execution).run();
}

template <class Real>
WarmUp arrive(const typename RunsOf<Real>::Make& make, const WarmUpOptions& options, std::uint64_t seed,
              const Execution& execution) {
  check(options);
  return WarmingUpChees<Real>(make, {.max_steps = 1}, options, seed, execution).only_arrive();
}

template WarmUp arrive<float>(const RunsOf<float>::Make&, const WarmUpOptions&, std::uint64_t, const Execution&);
template WarmUp arrive<double>(const RunsOf<double>::Make&, const WarmUpOptions&, std::uint64_t, const Execution&);
template WarmUp warm_up_chees<float>(const RunsOf<float>::Make&, const TrajectoryLimits&, const WarmUpOptions&,
                                     std::uint64_t, const Execution&);
template WarmUp warm_up_chees<double>(const RunsOf<double>::Make&, const TrajectoryLimits&, const WarmUpOptions&,
                                      std::uint64_t, const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
