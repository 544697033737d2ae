// Warm-up: phases, blocks, step sizes and metrics.
#include "breakstep/runtime/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "warming_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t purpose) {
  // Steele, Lea and Flood's SplitMix64, a bijection of the seed for every purpose.
  std::uint64_t z = seed + 0x9E3779B97F4A7C15U * (purpose + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::vector<Phase> phases_of(std::uint32_t draws, bool learns_metric) {
  constexpr std::uint32_t first_buffer = 75, first_window = 25, last_buffer = 50, too_few = 20;
  if (!learns_metric || draws < too_few) return {{0, draws, draws}};
  const bool fits = first_buffer + first_window + last_buffer <= draws;
  const auto share = [&](double part) { return static_cast<std::uint32_t>(part * draws); };
  const std::uint32_t learn_until = draws - (fits ? last_buffer : share(0.1));
  std::vector<Phase> phases;
  std::uint32_t begin = 0, learn_from = fits ? first_buffer : share(0.15);
  std::uint32_t window = fits ? first_window : learn_until - learn_from;
  while (begin < learn_until) {
    std::uint32_t end = learn_from + window;
    window *= 2;
    if (end + window > learn_until) end = learn_until;  // no room for the next: this one takes the rest
    phases.push_back({begin, learn_from, end});
    begin = learn_from = end;
  }
  phases.push_back({begin, draws, draws});
  return phases;
}

namespace {

constexpr std::uint32_t longest_block = 8;

std::vector<std::uint32_t> equal_blocks(std::uint32_t draws, std::uint32_t length) {
  std::vector<std::uint32_t> blocks;
  for (; draws > 0; draws -= blocks.back()) blocks.push_back(std::min(draws, length));
  return blocks;
}

}  // namespace

std::vector<std::uint32_t> blocks_of(std::uint32_t draws, std::size_t chains) {
  constexpr std::size_t draws_in_all = 1024;
  constexpr std::uint32_t blocks_per_length = 4;
  const auto enough = static_cast<std::uint32_t>(
      std::clamp<std::size_t>((draws_in_all + chains - 1) / std::max<std::size_t>(1, chains), 1, longest_block));
  std::vector<std::uint32_t> blocks;
  std::uint32_t length = 1;
  while (draws > 0) {
    for (std::uint32_t k = 0; k < blocks_per_length && draws > 0; ++k) {
      const std::uint32_t block = std::min(length, draws);
      blocks.push_back(block);
      draws -= block;
    }
    length = std::min(2 * length, enough);
  }
  return blocks;
}

PooledStepSize::PooledStepSize(double first, double target_accept)
    : target_(target_accept), log_step_(std::log(first)) {}

double PooledStepSize::update(double acceptance) {
  // What is lost, 1 − acceptance, grows like the step size to a power of 2 to 3 while it is small. In logarithms that
  // is a line, on which a gain of 1/power would jump to the answer; it is halved because the answer comes a block late.
  constexpr double power = 2.5, first_gain = 0.6, least_loss = 0.005;
  ++updates_;
  const double excess = std::log((1 - target_) / std::max(1 - acceptance, least_loss));
  log_step_ += first_gain * std::pow(updates_, -0.4) / power * excess;
  average_ += updates_ * log_step_;
  weight_ += updates_;
  return std::exp(log_step_);
}

double PooledStepSize::settled() const { return std::exp(weight_ > 0 ? average_ / weight_ : log_step_); }

double next_own_step_size(double step_size, double acceptance, double target_accept) {
  constexpr double gain = 1.5;  // as the first of PooledStepSize, and never less: there may be far to go
  return step_size * std::exp(gain * ((std::isfinite(acceptance) ? acceptance : 0.0) - target_accept));
}

DualAveraging::DualAveraging(double first, double target_accept)
    : target_(target_accept), centre_(std::log(10 * first)), log_step_(std::log(first)) {}

double DualAveraging::update(double acceptance) {
  constexpr double gamma = 0.05, t0 = 10, kappa = 0.75;
  ++updates_;
  const double share = 1 / (updates_ + t0);
  error_ = (1 - share) * error_ + share * (target_ - acceptance);
  log_step_ = centre_ - std::sqrt(static_cast<double>(updates_)) / gamma * error_;
  const double weight = std::pow(updates_, -kappa);
  average_ = weight * log_step_ + (1 - weight) * average_;
  return std::exp(log_step_);
}

double DualAveraging::settled() const { return std::exp(updates_ > 0 ? average_ : log_step_); }

namespace {

/// Mean and centred products of draws, by Chan's rule, in a fixed order over chains.
class Moments {
 public:
  Moments(int dimension, bool dense)
      : dimension_(static_cast<std::size_t>(dimension)),
        dense_(dense),
        mean_(dimension_),
        products_(dense ? dimension_ * dimension_ : dimension_) {}

  /// Takes in positions; for_each(see) shows each of them to see(position), in the same order every time.
  template <class ForEach>
  void add(std::size_t count, ForEach for_each) {
    if (count == 0) return;
    std::vector<double> mean(dimension_), products(products_.size()), x(dimension_);
    for_each([&](const auto* position) {
      for (std::size_t i = 0; i < dimension_; ++i) mean[i] += static_cast<double>(position[i]);
    });
    for (double& m : mean) m /= static_cast<double>(count);
    for_each([&](const auto* position) {
      for (std::size_t i = 0; i < dimension_; ++i) x[i] = static_cast<double>(position[i]) - mean[i];
      add_products(x, 1.0, products);
    });
    const auto n = static_cast<double>(count);
    for (std::size_t i = 0; i < dimension_; ++i) x[i] = mean[i] - mean_[i];
    for (std::size_t i = 0; i < products.size(); ++i) products_[i] += products[i];
    add_products(x, count_ * n / (count_ + n), products_);
    for (std::size_t i = 0; i < dimension_; ++i) mean_[i] += x[i] * n / (count_ + n);
    count_ += n;
  }

  /// The metric that these draws suggest, drawn a little towards a small multiple of the unit (as Stan does). Empty if
  /// there are too few of them or one is not a number.
  [[nodiscard]] target::GaussianPrior metric() const {
    if (count_ < 3) return {};
    constexpr double weight = 5, small = 1e-3;
    target::GaussianPrior metric;
    std::vector<double> regular = products_;
    for (std::size_t i = 0; i < regular.size(); ++i) {
      const bool is_diagonal = !dense_ || i % (dimension_ + 1) == 0;
      regular[i] = (count_ * regular[i] / (count_ - 1) + (is_diagonal ? small * weight : 0.0)) / (count_ + weight);
      if (!std::isfinite(regular[i])) return {};
    }
    if (dense_) {
      metric.covariance = std::move(regular);
    } else {
      for (double& variance : regular) variance = std::sqrt(variance);
      metric.sd = std::move(regular);
    }
    return metric;
  }

 private:
  void add_products(const std::vector<double>& x, double factor, std::vector<double>& sums) const {
    if (!dense_) {
      for (std::size_t i = 0; i < dimension_; ++i) sums[i] += factor * x[i] * x[i];
      return;
    }
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double scaled = factor * x[i];
      double* row = sums.data() + i * dimension_;
      for (std::size_t j = 0; j < dimension_; ++j) row[j] += scaled * x[j];
    }
  }

  std::size_t dimension_;
  bool dense_;
  double count_ = 0;
  std::vector<double> mean_, products_;
};

/// Draws and facts of two blocks: the one under way, and the next, into which chains may run ahead.
template <class Real>
struct Blocks {
  Blocks(std::size_t chain_count, int dimension, std::size_t fact_count)
      : chains(chain_count), d(static_cast<std::size_t>(dimension)), f(fact_count) {}

  /// Memory for draws [first, first + count), with what was there of them before.
  void move_to(std::uint32_t new_first, std::uint32_t new_count, const lanes::ChainRecords& records) {
    std::vector<Real> new_values(chains * new_count * d), new_facts(chains * new_count * f);
    for (std::size_t c = 0; c < chains; ++c) {
      for (std::uint32_t t = new_first; t < std::min(records.draws(c), first + count); ++t) {
        std::copy_n(value(c, t), d, new_values.data() + (c * new_count + (t - new_first)) * d);
        std::copy_n(fact(c, t), f, new_facts.data() + (c * new_count + (t - new_first)) * f);
      }
    }
    values = std::move(new_values);
    facts = std::move(new_facts);
    first = new_first;
    count = new_count;
  }

  [[nodiscard]] const Real* value(std::size_t c, std::uint32_t t) const {
    return values.data() + (c * count + (t - first)) * d;
  }
  [[nodiscard]] const Real* fact(std::size_t c, std::uint32_t t) const {
    return facts.data() + (c * count + (t - first)) * f;
  }
  [[nodiscard]] DrawWindow<Real> window() {
    return {.data = values.data(),
            .first = first,
            .count = count,
            .dimension = static_cast<int>(d),
            .facts = facts.data(),
            .fact_count = static_cast<int>(f)};
  }

  std::size_t chains, d, f;
  std::uint32_t first = 0, count = 0;
  std::vector<Real> values, facts;
};

template <class Real>
class WarmingUp {
 public:
  WarmingUp(const RunsOf<Real>& runs, const WarmUpOptions& options, std::uint64_t seed, const Execution& execution)
      : runs_(runs), options_(options), seed_(seed), execution_(execution) {}

  WarmUp run() {
    const double begin = now();
    place();
    const auto phases = phases_of(options_.draws, options_.metric != Metric::unit);
    for (std::size_t p = 0; p < phases.size(); ++p) {
      is_last_ = p + 1 == phases.size();
      run_phase(phases[p]);
    }
    result_.facts.seconds = now() - begin;
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t drawing = 1, probing = 2;  ///< purposes of seeds

  void place() {
    const auto run = runs_.whole({}, derived_seed(seed_, drawing));
    run->start(options_.starts);
    const Facts facts = run->facts();
    note_starts(facts, result_.facts);
    chains_ = run->records().chains();
    require_usable_start(facts, chains_);
    result_.positions = run->positions();
    result_.tuning.step_size = options_.first_step_size;
  }

  Starts here() const { return {.kind = Starts::Kind::given, .scale = 1, .positions = result_.positions}; }

  /// Mean of a fact over a chain's draws [first, last).
  static double mean_fact(const Blocks<Real>& blocks, std::size_t c, std::uint32_t first, std::uint32_t last,
                          std::size_t which) {
    double sum = 0;
    for (std::uint32_t t = first; t < last; ++t) {
      const auto value = static_cast<double>(blocks.fact(c, t)[which]);
      sum += std::isfinite(value) ? value : 0.0;
    }
    return sum / (last - first);
  }

  /// The same over all chains whose density is finite.
  double mean_fact(const Blocks<Real>& blocks, std::uint32_t first, std::uint32_t last, std::size_t which) const {
    double sum = 0, count = 0;
    for (std::size_t c = 0; c < blocks.chains; ++c) {
      if (!std::isfinite(blocks.fact(c, first)[log_density_])) continue;
      sum += mean_fact(blocks, c, first, last, which);
      ++count;
    }
    return count > 0 ? sum / count : 0.0;
  }

  /// Doubles or halves the step size until the acceptance of one leapfrog step crosses 0.8 (Hoffman and Gelman 2014,
  /// with Stan's threshold).
  double find_first_step(double step) {
    constexpr int most_tries = 60;
    constexpr double enough = 0.8;
    const auto run = runs_.one_step(result_.tuning.metric, derived_seed(seed_, probing));
    run->start(here());
    const auto names = run->fact_names();
    log_density_ = index_of(names, "lp");
    Blocks<Real> blocks(run->records().chains(), run->dimension(), names.size());
    bool grew = false;
    for (std::uint32_t tries = 0; tries < most_tries; ++tries) {
      blocks.move_to(tries, 1, run->records());
      run->set_step_sizes({.change = 0, .before = step, .after = step});
      result_.facts.counters.add(run->advance(tries + 1, tries + 1, blocks.window(), execution_));
      const bool grows = mean_fact(blocks, tries, tries + 1, index_of(names, "accept_stat")) > enough;
      if (tries > 0 && grows != grew) return step;
      step *= grows ? 2 : 0.5;
      grew = grows;
    }
    throw Error("no step size suits the target",
                std::to_string(most_tries) + " were tried, down or up to " + std::to_string(step),
                "look at the target's density and gradient (breakstep check-gradient), or give other starts");
  }

  void run_phase(const Phase& phase) {
    auto run = runs_.whole(result_.tuning.metric, derived_seed(seed_, drawing));
    if (last_run_ != nullptr) run->keep_plans_of(*last_run_);
    run->start(here());
    auto& records = run->records();
    for (std::size_t c = 0; c < records.chains(); ++c) records.draws(c) = phase.begin;
    // Later metrics differ too little to lose what was learnt about the step size.
    const bool is_alone = records.chains() == 1;
    const double first_step =
        phases_run_++ < 2 || is_alone ? find_first_step(result_.tuning.step_size) : result_.tuning.step_size;
    PooledStepSize pooled(first_step, options_.target_accept);
    DualAveraging alone(first_step, options_.target_accept);
    const bool is_first = phase.begin == 0 && !is_last_ && !is_alone;
    std::vector<double> own_steps(is_first ? records.chains() : 0, first_step);
    const auto names = run->fact_names();
    const std::size_t accept = index_of(names, "accept_stat"), divergent = index_of(names, "divergent");
    const std::uint32_t draws = phase.end - phase.begin;
    const auto lengths = is_alone   ? std::vector<std::uint32_t>(draws, 1)
                         : is_first ? equal_blocks(draws, longest_block)
                                    : blocks_of(draws, records.chains());
    Blocks<Real> blocks(records.chains(), run->dimension(), names.size());
    Moments moments(run->dimension(), options_.metric == Metric::dense);
    double step = first_step, next_step = first_step;
    double accepted = 0, accepting = 0;
    std::uint32_t begin = phase.begin;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      const std::uint32_t end = begin + lengths[b];
      const std::uint32_t ahead = b + 1 < lengths.size() && !is_alone ? end + lengths[b + 1] : end;
      blocks.move_to(begin, ahead - begin, records);
      run->set_step_sizes({.change = end,
                           .before = step,
                           .after = next_step,
                           .of_chain = is_first ? own_steps.data() : nullptr,
                           .target_accept = options_.target_accept});
      result_.facts.counters.add(run->advance(end, ahead, blocks.window(), execution_));
      const double acceptance = mean_fact(blocks, begin, end, accept);
      if (is_alone) {
        step = alone.update(acceptance);
      } else if (!is_first) {  // there every chain sees to its own
        step = std::exchange(next_step, pooled.update(acceptance));
      }
      learn(moments, blocks, std::max(begin, phase.learn_from), end);
      if (begin >= phase.begin + (phase.end - phase.begin) / 2) {
        accepted += acceptance * (end - begin);
        accepting += end - begin;
      }
      if (is_last_) count_divergent(blocks, begin, end, divergent);
      begin = end;
    }
    result_.facts.accept_stat = accepting > 0 ? accepted / accepting : 0;
    result_.tuning.step_size = is_first ? median(own_steps) : is_alone ? alone.settled() : pooled.settled();
    result_.positions = run->positions();
    if (phase.learn_from < phase.end) set_metric(moments.metric());
    last_run_ = std::move(run);
  }

  void learn(Moments& moments, const Blocks<Real>& blocks, std::uint32_t first, std::uint32_t last) const {
    if (first >= last) return;
    moments.add(blocks.chains * (last - first), [&](auto see) {
      for (std::size_t c = 0; c < blocks.chains; ++c) {
        for (std::uint32_t t = first; t < last; ++t) see(blocks.value(c, t));
      }
    });
  }

  void count_divergent(const Blocks<Real>& blocks, std::uint32_t first, std::uint32_t last, std::size_t which) {
    if (which >= blocks.f) return;
    for (std::size_t c = 0; c < blocks.chains; ++c) {
      for (std::uint32_t t = first; t < last; ++t) result_.facts.divergent += blocks.fact(c, t)[which] > 0 ? 1 : 0;
    }
  }

  [[nodiscard]] static double variance(const target::GaussianPrior& metric, std::size_t i, std::size_t d) {
    if (!metric.covariance.empty()) return metric.covariance[i * (d + 1)];
    return metric.sd.empty() ? 1.0 : metric.sd[i] * metric.sd[i];
  }

  void set_metric(target::GaussianPrior learnt) {
    if (learnt.sd.empty() && learnt.covariance.empty()) return;
    const std::size_t d = result_.positions.size() / chains_;
    result_.facts.metric_change = 1;
    for (std::size_t i = 0; i < d; ++i) {
      const double ratio = variance(learnt, i, d) / variance(result_.tuning.metric, i, d);
      const double change = std::max(ratio, 1 / ratio);
      if (!(change > result_.facts.metric_change)) continue;
      result_.facts.metric_change = change;
      result_.facts.most_changed = i;
    }
    result_.tuning.metric = std::move(learnt);
  }

  const RunsOf<Real>& runs_;
  const WarmUpOptions& options_;
  std::uint64_t seed_;
  Execution execution_;
  WarmUp result_;
  std::unique_ptr<Run<Real>> last_run_;  ///< the last phase's
  std::size_t chains_ = 1;
  std::size_t log_density_ = 0;
  int phases_run_ = 0;
  bool is_last_ = false;
};

}  // namespace

void check(const WarmUpOptions& options) {
  if (options.draws < 1) throw Error("a warm-up has no draws", "it needs at least 1", "give more, or leave it out");
  if (!(options.target_accept > 0 && options.target_accept < 1)) {
    throw Error("the target acceptance is " + std::to_string(options.target_accept), "it is a share between 0 and 1",
                "give one, such as 0.8");
  }
  if (!(options.first_step_size > 0)) {
    throw Error("the first step size is " + std::to_string(options.first_step_size), "it must be positive",
                "give a positive one");
  }
}

template <class Real>
WarmUp warm_up(const RunsOf<Real>& runs, const WarmUpOptions& options, std::uint64_t seed, const Execution& execution) {
  check(options);
  return WarmingUp<Real>(runs, options, seed, execution).run();
}

template WarmUp warm_up<float>(const RunsOf<float>&, const WarmUpOptions&, std::uint64_t, const Execution&);
template WarmUp warm_up<double>(const RunsOf<double>&, const WarmUpOptions&, std::uint64_t, const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
