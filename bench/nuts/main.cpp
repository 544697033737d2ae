// Times NUTS on one core: bookkeeping beside the gradient over d, storages, precisions, gradients in lanes, every
// target free and in lock-step, and warm-up beside sampling.
//
// Usage: bench_nuts [--rounds N] [--seconds S] [--only costs|lanes|targets|warm-up] [--target NAME]
// [--data-dir DIR]. Without DIR targets make up their data.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/sample.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;
using lanes::Storage;
using runtime::Execution;
using runtime::Schedule;
using Target = std::shared_ptr<const registry::AnyTarget>;

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// Median gradients per second of contestants, each a function that works once and returns {gradients, seconds}.
struct Work {
  double gradients = 0, seconds = 0;
};
std::vector<double> rates_of(const std::vector<std::function<Work()>>& contestants, const bench::Effort& effort) {
  std::vector<std::vector<double>> rates(contestants.size());
  for (int round = 0; round < effort.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Work total;
      do {
        const Work once = contestants[i]();
        total.gradients += once.gradients;
        total.seconds += once.seconds;
      } while (total.seconds < effort.seconds_per_round);
      rates[i].push_back(total.gradients / total.seconds);
    }
  }
  std::vector<double> medians;
  medians.reserve(rates.size());
  for (const auto& own : rates) medians.push_back(median(own));
  return medians;
}

std::unique_ptr<registry::AnySampler> nuts_of(double step_size) {
  auto sampler = registry::make_sampler("nuts");
  sampler->set("step_size", step_size);
  return sampler;
}

/// Draws again and again from the same starts.
template <class Real>
std::function<Work()> drawing(const std::shared_ptr<registry::AnySampler>& sampler, const Target& target,
                              Storage storage, std::size_t chains, std::uint32_t draws, const Execution& execution,
                              const runtime::Starts& starts, const target::GaussianPrior& metric = {},
                              bool one_chain_at_a_time = false) {
  const std::shared_ptr<runtime::Run<Real>> run =
      registry::make_run<Real>(*sampler, target, storage, 1, chains, one_chain_at_a_time, metric);
  return [=] {
    run->start(starts);
    const double begin = bench::seconds_now();
    const auto counters = run->advance(draws, draws, {}, execution);
    (void)sampler;
    return Work{static_cast<double>(counters.evaluations_asked), bench::seconds_now() - begin};
  };
}

/// The gradient by itself, on full packs of W.
template <class Real, int W>
std::function<Work()> evaluating(const Target& target) {
  const std::shared_ptr<const target::Density<Real, W>> density =
      target->density(registry::Width<Real, W>{}, target::Asks::gradient);
  const std::shared_ptr<Real[]> workspace = lanes::aligned_zeros<Real>(density->workspace());
  const auto d = static_cast<std::size_t>(density->dimension());
  const std::shared_ptr<Real[]> memory = lanes::aligned_zeros<Real>(2 * d * W);
  return [=] {
    const lanes::FlushToZero scope;
    const lanes::InterleavedVector<Real, W> x(memory.get(), density->dimension());
    const lanes::InterleavedVector<Real, W> gradient(memory.get() + d * W, density->dimension());
    for (int i = 0; i < density->dimension(); ++i) x.store(i, lanes::Pack<Real, W>::lane_numbers() * Real(0.05));
    constexpr int times = 50;
    volatile Real keep = 0;  // nothing may be left out
    const double begin = bench::seconds_now();
    for (int k = 0; k < times; ++k) keep = density->evaluate(x, gradient, workspace.get())[0];
    (void)keep;
    return Work{1.0 * times * W, bench::seconds_now() - begin};
  };
}

/// Time per leapfrog step beside the gradient's own, over the dimension.
void print_costs(const bench::Effort& effort) {
  std::printf(
      "NUTS on the standard normal, 256 chains, step 0.3, one core: ns per leapfrog step\n"
      "     d   gradient  float, interleaved  contiguous  bookkeeping  double, interleaved  contiguous   "
      "double/float\n");
  constexpr int Wf = lanes::native_width<float>;
  for (const int d : {2, 5, 10, 16, 24, 32, 50, 100, 200, 500, 1000}) {
    const Target target = registry::make_target("standard_normal", {.dimension = d});
    const std::shared_ptr<registry::AnySampler> nuts = nuts_of(0.3);
    const runtime::Starts starts;
    const std::uint32_t draws = d > 200 ? 4 : 20;
    const auto rates = rates_of(
        {evaluating<float, Wf>(target), drawing<float>(nuts, target, Storage::interleaved, 256, draws, {}, starts),
         drawing<float>(nuts, target, Storage::contiguous, 256, draws, {}, starts),
         drawing<double>(nuts, target, Storage::interleaved, 256, draws, {}, starts),
         drawing<double>(nuts, target, Storage::contiguous, 256, draws, {}, starts)},
        effort);
    const auto ns = [&](std::size_t i) { return 1e9 / rates[i]; };
    const double best = std::min(ns(1), ns(2)), best_double = std::min(ns(3), ns(4));
    std::printf("  %4d  %9.1f  %18.1f  %10.1f  %11.1f  %19.1f  %10.1f  %12.2f\n", d, ns(0), ns(1), ns(2), best - ns(0),
                ns(3), ns(4), best / best_double);
  }
}

/// Which targets to time, and where their data are.
struct Places {
  std::string only, data;
};
struct Named {
  std::string name, file;
  int points = 0;
};
std::vector<Named> targets_with_gradients(const std::string& only) {
  const std::vector<Named> all = {{"multivariate_normal", ""},
                                  {"funnel", ""},
                                  {"banana", ""},
                                  {"log_gamma", ""},
                                  {"mixture_code", ""},
                                  {"mixture_code_dense", ""},
                                  {"gp_regression", "real_estate.csv", 50},
                                  {"logistic_regression", ""},
                                  {"german_credit", "german_credit.csv"},
                                  {"bod_stdnormal_prior", "bod.csv"},
                                  {"eight_schools", ""},
                                  {"eight_schools_noncentred", ""},
                                  {"pilots", "pilots.csv"},
                                  {"soil", "soil.csv"},
                                  {"google_stock", "google_stock.csv"},
                                  {"predator_prey", "lynx_hare.csv"}};
  std::vector<Named> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [&](const Named& named) { return only.empty() || named.name == only; });
  return wanted;
}
Target target_of(const Named& named, const std::string& data_dir) {
  registry::TargetOptions options{.points = named.points};
  if (!data_dir.empty() && !named.file.empty()) options.data = data_dir + "/" + named.file;
  return registry::make_target(named.name, options);
}

/// Gradients of W chains at a time beside one at a time.
void print_lanes(const bench::Effort& effort, const Places& places) {
  std::printf("gradients per second, one core: W chains at a time beside one\n");
  for (const Named& named : targets_with_gradients(places.only)) {
    const Target target = target_of(named, places.data);
    constexpr int Wf = lanes::native_width<float>, Wd = lanes::native_width<double>;
    const auto rates = rates_of({evaluating<float, Wf>(target), evaluating<float, 1>(target),
                                 evaluating<double, Wd>(target), evaluating<double, 1>(target)},
                                effort);
    std::printf("  %-26s d = %3d  float %9.0f (%4.1f x one lane)   double %9.0f (%4.1f x)   double/float %.2f\n",
                named.name.c_str(), target->dimension(), rates[0], rates[0] / rates[1], rates[2], rates[2] / rates[3],
                rates[2] / rates[0]);
  }
}

template <class Real>
runtime::WarmUp warmed_up(const std::shared_ptr<registry::AnySampler>& nuts, const Target& target, Storage storage,
                          std::size_t chains, std::uint32_t draws) {
  const std::shared_ptr<registry::AnySampler> one_step = nuts_of(0.1);
  registry::stop_after_one_step(*one_step);
  return runtime::warm_up(registry::runs_of<Real>(*nuts, *one_step, target, storage, chains), {.draws = draws}, 1, {});
}

/// Free running beside the lock-steps on every target, tuned, for several numbers of chains, in runs of 5 ms or more.
void print_targets(const bench::Effort& effort, const Places& places) {
  std::printf(
      "NUTS, tuned, float, one core: free beside lock-step; gradients/s of free, and its lead over the others\n");
  for (const Named& named : targets_with_gradients(places.only)) {
    const Target target = target_of(named, places.data);
    const Storage storage = runtime::preferred_storage(target::Asks::gradient, target->dimension(), sizeof(float));
    for (const std::size_t chains : {16U, 64U, 256U}) {
      const std::shared_ptr<registry::AnySampler> nuts = nuts_of(0.1);
      const auto tuned = warmed_up<float>(nuts, target, storage, chains, 200);
      nuts->set("step_size", tuned.tuning.step_size);
      const runtime::Starts starts{.kind = runtime::Starts::Kind::given, .scale = 1, .positions = tuned.positions};
      std::uint32_t draws = 20;
      const auto once = [&] {
        return drawing<float>(nuts, target, storage, chains, draws, {}, starts, tuned.tuning.metric)();
      };
      while (draws < 1000 && once().seconds < 0.005) draws *= 2;  // a run should be longer than its beginning and end
      const auto mode = [&](Schedule schedule, bool one = false) {
        return drawing<float>(nuts, target, storage, chains, draws, {.schedule = schedule}, starts, tuned.tuning.metric,
                              one);
      };
      const auto rates =
          rates_of({mode(Schedule::free_running), mode(Schedule::lockstep), mode(Schedule::lockstep_skip),
                    mode(Schedule::lockstep_pack), mode(Schedule::lockstep_pack, true)},
                   effort);
      std::printf(
          "  %-26s %4zu chains %10.0f/s   lockstep %5.2f x   skip %5.2f x   pack %5.2f x   one at a time %5.2f x%s\n",
          named.name.c_str(), chains, rates[0], rates[0] / rates[1], rates[0] / rates[2], rates[0] / rates[3],
          rates[0] / rates[4], rates[0] < rates[2] ? "   slower than skip" : "");
      std::fflush(stdout);
    }
  }
}

/// As `drawing`, and keeps draws and facts, as a user's run does.
std::function<Work()> drawing_and_keeping(const std::shared_ptr<registry::AnySampler>& sampler, const Target& target,
                                          Storage storage, std::size_t chains, std::uint32_t draws,
                                          const runtime::Starts& starts, const target::GaussianPrior& metric) {
  const std::shared_ptr<runtime::Run<float>> run =
      registry::make_run<float>(*sampler, target, storage, 1, chains, false, metric);
  const auto values = std::make_shared<std::vector<float>>(chains * draws * run->dimension());
  const auto facts = std::make_shared<std::vector<float>>(chains * draws * run->fact_names().size());
  return [=] {
    run->start(starts);
    const double begin = bench::seconds_now();
    const auto counters = run->advance(draws, draws,
                                       {.data = values->data(),
                                        .first = 0,
                                        .count = draws,
                                        .dimension = run->dimension(),
                                        .facts = facts->data(),
                                        .fact_count = static_cast<int>(run->fact_names().size())},
                                       {});
    (void)sampler;
    return Work{static_cast<double>(counters.evaluations_asked), bench::seconds_now() - begin};
  };
}

/// Gradients per second of a warm-up beside those of sampling with its result.
void print_warm_up(const bench::Effort& effort, const Places& places) {
  std::printf("warm-up of 1,000 draws beside sampling, 128 chains, float, one core: gradients/s\n");
  for (const Named& named : targets_with_gradients(places.only)) {
    if (named.name == "mixture_code_dense") continue;
    const Target target = target_of(named, places.data);
    const Storage storage = runtime::preferred_storage(target::Asks::gradient, target->dimension(), sizeof(float));
    const std::shared_ptr<registry::AnySampler> nuts = nuts_of(0.1), untuned = nuts_of(0.1);
    const auto tuned = warmed_up<float>(nuts, target, storage, 128, 1000);
    nuts->set("step_size", tuned.tuning.step_size);
    const runtime::Starts starts{.kind = runtime::Starts::Kind::given, .scale = 1, .positions = tuned.positions};
    const auto warming_up = [&] {
      const auto facts = warmed_up<float>(untuned, target, storage, 128, 1000).facts;
      return Work{static_cast<double>(facts.counters.evaluations_asked), facts.seconds};
    };
    const auto rates = rates_of(
        {warming_up, drawing_and_keeping(nuts, target, storage, 128, 1000, starts, tuned.tuning.metric)}, effort);
    std::printf("  %-26s warm-up %10.0f/s   sampling %10.0f/s   ratio %.2f   acceptance %.3f\n", named.name.c_str(),
                rates[0], rates[1], rates[0] / rates[1], tuned.facts.accept_stat);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  Places places;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--only") only = argv[i + 1];
    if (std::string(argv[i]) == "--data-dir") places.data = argv[i + 1];
    if (std::string(argv[i]) == "--target") places.only = argv[i + 1];
  }
  bench::stay_on_one_core(true);
  const bench::Effort effort = bench::effort_from(argc, argv, {.rounds = 3, .seconds_per_round = 0.1});
  if (only.empty() || only == "costs") print_costs(effort);
  if (only.empty() || only == "lanes") print_lanes(effort, places);
  if (only.empty() || only == "targets") print_targets(effort, places);
  if (only.empty() || only == "warm-up") print_warm_up(effort, places);
}
