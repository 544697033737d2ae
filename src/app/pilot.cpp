// Pilot: short runs of a job in several ways, from which `breakstep advise` and `sample --auto` choose one.
#include "pilot.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/runtime/threads.hpp"
#include "progress.hpp"

namespace breakstep_app {
namespace {

namespace diagnostics = breakstep::diagnostics;
namespace lanes = breakstep::lanes;
namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using lanes::Storage;
using runtime::Schedule;

constexpr std::size_t most_pilot_chains = 1024;
constexpr double tie = 0.97;     ///< of two that differ by less, the first is as good
constexpr double enough = 0.95;  ///< of the best rate

/// The same job with fewer chains, or in another precision.
Job job_like(const Job& job, std::size_t chains, bool is_single) {
  Job other = job_of_chain(job, 0);
  other.chains = chains;
  other.is_single = is_single;
  other.seed = runtime::derived_seed(job.seed, 3);  // the draws to come are not looked at
  other.execution = job.execution;
  other.starts = job.starts;
  const std::size_t d = job.parameters();
  if (other.starts.kind == runtime::Starts::Kind::given && other.starts.positions.size() > d) {
    std::vector<double> positions;
    for (std::size_t c = 0; c < chains; ++c) {
      const auto from = job.starts.positions.begin() + static_cast<std::ptrdiff_t>((c % job.chains) * d);
      positions.insert(positions.end(), from, from + static_cast<std::ptrdiff_t>(d));
    }
    other.starts.positions = std::move(positions);
  }
  other.starts.superchains = 0;
  return other;
}

/// A run and memory for its draws: to write them is part of what a draw costs, and with a flow no small one.
template <class Real>
class WritingRun {
 public:
  WritingRun(const Job& job, const Mode& mode) : run_(make_run<Real>(job, mode)), chains_(job.chains) {
    run_->start(job.starts);
  }

  /// Numbers that a draw of all chains fills.
  [[nodiscard]] std::size_t size_of_draw() const {
    return chains_ * (static_cast<std::size_t>(run_->dimension()) + run_->fact_names().size());
  }

  /// Memory for draws [first, first + count) of every chain.
  void make_room(std::uint32_t first, std::uint32_t count) {
    values_.resize(chains_ * count * static_cast<std::size_t>(run_->dimension()));
    facts_.resize(chains_ * count * run_->fact_names().size());
    window_ = {.data = values_.data(),
               .first = first,
               .count = count,
               .dimension = run_->dimension(),
               .facts = facts_.empty() ? nullptr : facts_.data(),
               .fact_count = static_cast<int>(run_->fact_names().size())};
  }

  runtime::Counters advance(std::uint32_t goal, std::uint32_t ahead, const runtime::Execution& execution) {
    return run_->advance(goal, ahead, window_, execution);
  }

 private:
  std::unique_ptr<runtime::Run<Real>> run_;
  std::size_t chains_;
  std::vector<Real> values_, facts_;
  runtime::DrawWindow<Real> window_;
};

/// A run that makes draws whenever it is its turn.
class Contestant {
 public:
  Contestant(const Job& job, const Mode& mode, std::size_t chains, bool is_single)
      : job_(job_like(job, chains, is_single)), execution_(job_.execution), run_(run_of(job_, mode)) {
    trial_ = {.mode = mode, .is_single = is_single, .chains = chains};
    execution_.schedule = mode.schedule;
    execution_.step = mode.step;
  }

  /// About so many seconds. What is measured before a turn was long enough for once counts as running in.
  void take_turn(double seconds) {
    const double begin = now();
    double took = 0;
    do {
      const auto [counters, slice] = std::visit([this](auto& run) { return make_draws(run); }, run_);
      took = now() - begin;
      if (has_run_in_) {
        counters_.add(counters);
        seconds_ += slice;
      }
      constexpr double longest_slice = 0.02, growth = 4;
      stride_ = static_cast<std::uint32_t>(std::clamp(stride_ * longest_slice / slice, 1.0, stride_ * growth));
    } while (took < seconds);
    has_run_in_ = true;
  }

  [[nodiscard]] Trial trial() const {
    Trial trial = trial_;
    trial.draws_per_second = static_cast<double>(counters_.draws) / seconds_;
    trial.evaluations_per_second = static_cast<double>(counters_.evaluations_asked) / seconds_;
    trial.evaluation_ratio =
        static_cast<double>(counters_.evaluations_executed) / static_cast<double>(counters_.evaluations_asked);
    return trial;
  }

 private:
  using AnyRun = std::variant<WritingRun<float>, WritingRun<double>>;

  static AnyRun run_of(const Job& job, const Mode& mode) {
    if (job.is_single) return WritingRun<float>(job, mode);
    return WritingRun<double>(job, mode);
  }

  /// `stride_` more draws of every chain, and the seconds that they took. Chains may run ahead by as many.
  template <class Real>
  std::pair<runtime::Counters, double> make_draws(WritingRun<Real>& run) {
    constexpr double most_numbers = 4e6;
    const double longest = std::max(1.0, most_numbers / 2 / static_cast<double>(run.size_of_draw()));
    stride_ = std::min(stride_, static_cast<std::uint32_t>(longest));
    run.make_room(goal_, 2 * stride_);
    goal_ += stride_;
    const double begin = now();
    const runtime::Counters counters = run.advance(goal_, goal_ + stride_, execution_);
    return {counters, std::max(now() - begin, 1e-7)};
  }

  Job job_;
  runtime::Execution execution_;
  AnyRun run_;
  Trial trial_;
  std::uint32_t goal_ = 0, stride_ = 1;
  runtime::Counters counters_;
  double seconds_ = 0;
  bool has_run_in_ = false;
};

/// All of them in turns, so that what else the machine does hits them alike.
std::vector<Trial> compete(std::vector<Contestant>& contestants, double seconds) {
  constexpr int turns = 6;  // the first is for running in
  for (int turn = 0; turn < turns; ++turn) {
    for (Contestant& contestant : contestants) {
      contestant.take_turn(seconds / turns / static_cast<double>(contestants.size()));
    }
  }
  std::vector<Trial> trials;
  trials.reserve(contestants.size());
  for (const Contestant& contestant : contestants) trials.push_back(contestant.trial());
  return trials;
}

const Trial& fastest(const std::vector<Trial>& trials) {
  return *std::max_element(trials.begin(), trials.end(),
                           [](const Trial& a, const Trial& b) { return a.draws_per_second < b.draws_per_second; });
}

/// The first that is as fast as any.
const Trial& first_of_the_fastest(const std::vector<Trial>& trials, double share) {
  const double best = fastest(trials).draws_per_second;
  return *std::find_if(trials.begin(), trials.end(),
                       [&](const Trial& trial) { return trial.draws_per_second >= share * best; });
}

/// Lock-step first; then running free, which is preferred where it is as fast as the others.
std::vector<Mode> modes_with(Storage storage) {
  std::vector<Mode> modes;
  const auto lockstep = [&](Schedule schedule) {
    modes.push_back({.name = std::string(name_of(schedule)),
                     .schedule = schedule,
                     .step = runtime::Step::automatic,
                     .storage = storage,
                     .one_chain_at_a_time = false});
  };
  lockstep(Schedule::lockstep);
  modes.push_back(free_mode(storage));
  lockstep(Schedule::lockstep_skip);
  lockstep(Schedule::lockstep_pack);
  modes.push_back({.name = "one-chain-at-a-time",
                   .schedule = Schedule::lockstep_pack,
                   .step = runtime::Step::automatic,
                   .storage = storage,
                   .one_chain_at_a_time = true});
  return modes;
}

std::vector<Trial> try_storages(const Job& job, bool is_single, double seconds) {
  std::vector<Contestant> contestants;
  const std::size_t chains = std::min(job.chains, most_pilot_chains);
  const auto preferred =
      runtime::preferred_storage(job.sampler->asks(), job.target->dimension(), is_single ? sizeof(float) : 8);
  const auto other = preferred == Storage::interleaved ? Storage::contiguous : Storage::interleaved;
  for (const Storage storage : {preferred, other}) contestants.emplace_back(job, free_mode(storage), chains, is_single);
  return compete(contestants, seconds);
}

/// Chains, at most `most`, for which a draw in lock-step takes no more than `seconds`: the waiting makes it several
/// times as long as running free suggests.
std::size_t affordable_chains(const Job& job, const Trial& free, double seconds, std::size_t most) {
  constexpr double waiting = 20;
  const std::size_t wanted = std::min(job.chains, most);
  const double affordable = free.draws_per_second * seconds / waiting;
  if (affordable >= static_cast<double>(wanted)) return wanted;
  std::size_t chains = std::min<std::size_t>(wanted, 16);
  while (static_cast<double>(2 * chains) <= affordable) chains *= 2;
  return chains;
}

std::vector<Trial> try_modes(const Job& job, const std::vector<Mode>& modes, std::size_t chains, double seconds) {
  std::vector<Contestant> contestants;
  contestants.reserve(modes.size());
  for (const Mode& mode : modes) contestants.emplace_back(job, mode, chains, job.is_single);
  return compete(contestants, seconds);
}

/// B(m) of lock-step with all chains. Where these are too many it is extrapolated: B grows with the logarithm of m, so
/// a line through what smaller numbers show will do.
double ratio_with_all_chains(const Job& job, const Trial& free, const Mode& lockstep, double seconds) {
  const std::size_t most = affordable_chains(job, free, seconds / 10, job.chains);
  std::vector<Contestant> contestants;
  for (const std::size_t part : {1U, 4U, 16U}) {
    if (most / part >= 1) contestants.emplace_back(job, lockstep, most / part, job.is_single);
    if (most == job.chains) break;
  }
  const std::vector<Trial> trials = compete(contestants, seconds);
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(trials.size());
  for (const Trial& trial : trials) {
    const double log_chains = std::log(static_cast<double>(trial.chains));
    x += log_chains / n;
    y += trial.evaluation_ratio / n;
    xx += log_chains * log_chains / n;
    xy += log_chains * trial.evaluation_ratio / n;
  }
  const double slope = n > 1 ? std::max(0.0, (xy - x * y) / (xx - x * x)) : 0.0;
  const double times = static_cast<double>(job.chains) / static_cast<double>(most);
  return trials.front().evaluation_ratio + slope * std::log(times);
}

/// Whole packs on every thread: fewer chains leave lanes idle.
std::vector<Trial> try_chain_numbers(const Job& job, const Mode& mode, double seconds) {
  const std::size_t width = job.is_single ? lanes::native_width<float> : lanes::native_width<double>;
  const std::size_t threads = runtime::thread_count(job.execution.threads);
  std::vector<Contestant> contestants;
  for (std::size_t packs = 1; packs <= 64; packs *= 4) {
    contestants.emplace_back(job, mode, packs * width * threads, job.is_single);
  }
  return compete(contestants, seconds);
}

/// Log densities at positions, one after the other.
template <class Real>
std::vector<double> log_densities(const Job& job, const std::vector<double>& positions) {
  const lanes::FlushToZero scope;
  const auto density = job.target->density(registry::Width<Real, 1>{}, breakstep::target::Asks::density);
  const auto workspace = lanes::aligned_zeros<Real>(density->workspace() + 1);
  const std::size_t d = job.parameters();
  std::vector<Real> position(d);
  std::vector<double> all;
  for (std::size_t first = 0; first < positions.size(); first += d) {
    for (std::size_t i = 0; i < d; ++i) position[i] = static_cast<Real>(positions[first + i]);
    const lanes::InterleavedVector<Real, 1> x(position.data(), static_cast<int>(d));
    all.push_back(static_cast<double>(density->evaluate(x, workspace.get())[0]));
  }
  return all;
}

/// A constant difference does no harm, so that the standard deviation counts.
double spread_between_precisions(const Job& job, const std::vector<double>& positions) {
  const std::vector<double> rough = log_densities<float>(job, positions), fine = log_densities<double>(job, positions);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < fine.size(); ++k) {
    const double difference = rough[k] - fine[k];
    sum += difference;
    squares += difference * difference;
  }
  const auto n = static_cast<double>(fine.size());
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

/// Effective size per draw of the worst parameter, and the draws' last positions.
template <class Real>
void look_at_draws(const Job& all, const Trial& best, double seconds, Advice& advice) {
  constexpr double fewest = 40, most = 2000, most_numbers = 2e7;
  const Job job = job_like(all, best.chains, best.is_single);
  const auto d = static_cast<double>(job.parameters());
  const auto chains = static_cast<double>(best.chains);
  const double draws = std::min({best.draws_per_second * seconds / chains, most, most_numbers / chains / d});
  if (draws < fewest) return;
  const auto count = static_cast<std::uint32_t>(draws);
  const auto run = make_run<Real>(job, best.mode);
  run->start(job.starts);
  runtime::Execution execution = job.execution;
  execution.schedule = best.mode.schedule;
  std::vector<Real> values(best.chains * count * job.parameters());
  run->advance(count, count, {.data = values.data(), .first = 0, .count = count, .dimension = run->dimension()},
               execution);
  diagnostics::Summarizer summarizer;
  const auto names = job.target->coordinate_names();
  advice.least_ess_per_draw = INFINITY;
  const std::size_t kept = count - count / 4;  // the first quarter may remember the start
  for (std::size_t i = 0; i < names.size(); ++i) {
    const diagnostics::DrawsView<Real> view{.data = values.data() + (count / 4) * names.size() + i,
                                            .chains = best.chains,
                                            .draws = kept,
                                            .chain_stride = static_cast<std::ptrdiff_t>(count * names.size()),
                                            .draw_stride = static_cast<std::ptrdiff_t>(names.size())};
    const double share = summarizer.summarize(view).ess_bulk / (chains * static_cast<double>(kept));
    if (!(share < advice.least_ess_per_draw)) continue;
    advice.least_ess_per_draw = share;
    advice.least_parameter = names[i];
  }
  if (!std::isfinite(advice.least_ess_per_draw)) advice.least_ess_per_draw = 0;
}

/// Where chains are after a few draws in double precision.
std::vector<double> typical_positions(const Job& all) {
  constexpr std::size_t chains = 64;
  constexpr std::uint32_t draws = 20;
  const Job job = job_like(all, std::min(all.chains, chains), false);
  const auto run = make_run<double>(job, free_mode(job.storage));
  run->start(job.starts);
  run->advance(draws, draws, {}, job.execution);
  return run->positions();
}

}  // namespace

Advice run_pilot(const Job& given, const PilotOptions& options) {
  Progress progress;
  const double begin = now();
  const double part = options.seconds / 6;
  Job job = job_like(given, given.chains, given.is_single);
  Advice advice;
  progress.show("trying precisions and storages");
  // Rounding matters where it is not small against the differences of log density that decide about proposals.
  constexpr double harmless = 0.05;
  advice.resolution = spread_between_precisions(job, typical_positions(job));
  advice.single_is_fine = advice.resolution < harmless;
  if (options.precision_is_open) {
    const auto singles = try_storages(job, true, part / 2), doubles = try_storages(job, false, part / 2);
    advice.precisions = {first_of_the_fastest(singles, tie), first_of_the_fastest(doubles, tie)};
    job.is_single = advice.single_is_fine && fastest(advice.precisions).is_single;
    advice.storages = job.is_single ? singles : doubles;
    if (job.is_single != given.is_single && options.tuned_in) {
      job = job_like(options.tuned_in(job.is_single), given.chains, job.is_single);
    }
  } else {
    advice.storages = try_storages(job, job.is_single, part);
    advice.precisions = {first_of_the_fastest(advice.storages, tie)};
  }
  const Trial free = first_of_the_fastest(advice.storages, tie);

  progress.show("trying schedules");
  const std::size_t chains = affordable_chains(job, free, part / 6, most_pilot_chains);
  advice.schedules = try_modes(job, modes_with(free.mode.storage), chains, 2 * part);
  const Trial& lockstep = advice.schedules.front();
  // Lock-step itself is not a candidate: to skip idle packs never costs anything.
  advice.best = first_of_the_fastest({advice.schedules.begin() + 1, advice.schedules.end()}, tie);
  advice.is_extrapolated = chains < job.chains;
  advice.evaluation_ratio =
      advice.is_extrapolated ? ratio_with_all_chains(job, free, lockstep.mode, part) : lockstep.evaluation_ratio;
  advice.speedup =
      advice.best.draws_per_second / lockstep.draws_per_second * advice.evaluation_ratio / lockstep.evaluation_ratio;

  progress.show("trying numbers of chains");
  advice.chains = job.chains;
  if (options.chains_are_open) {
    advice.chain_numbers = try_chain_numbers(job, advice.best.mode, part);
    advice.chains = first_of_the_fastest(advice.chain_numbers, enough).chains;
  }
  progress.show("looking at the draws");
  if (job.is_single) {
    look_at_draws<float>(job, advice.best, part / 2, advice);
  } else {
    look_at_draws<double>(job, advice.best, part / 2, advice);
  }
  advice.seconds = now() - begin;
  return advice;
}

Mode fastest_mode(const Job& job, double seconds) {
  const auto storages = try_storages(job, job.is_single, seconds / 3);
  const Trial free = first_of_the_fastest(storages, tie);
  auto modes = modes_with(free.mode.storage);
  modes.erase(modes.begin());
  const std::size_t chains = affordable_chains(job, free, seconds / 20, most_pilot_chains);
  return first_of_the_fastest(try_modes(job, modes, chains, 2 * seconds / 3), tie).mode;
}

}  // namespace breakstep_app
