// Times free running beside both lock-steps on targets that cost next to nothing, where only bookkeeping and empty
// lanes decide.
//
// Usage: bench_cheap [--rounds N] [--seconds S] [--sampler NAME] [--target NAME] [--chains M] [--steps all]. Every
// contestant runs for S seconds of processor time in each round, one after the other; printed is the median over rounds
// of free running's rate over the lock-step's in the same round. `fresh` runs begin knowing nothing; the others know
// what they have found out in earlier ones. `--steps all` times every kind of step as well. Contestants whose draws
// differ stop the run.
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is of POSIX

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/sample.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;
using lanes::Storage;
using runtime::Execution;
using runtime::Schedule;
using runtime::Step;
using Target = std::shared_ptr<const registry::AnyTarget>;

struct Job {
  std::string sampler, target;
};
const std::vector<Job> jobs = {{"slice", "log_gamma"},
                               {"slice", "multivariate_normal"},
                               {"slice", "standard_normal"},
                               {"nuts", "log_gamma"},
                               {"nuts", "multivariate_normal"},
                               {"nuts", "eight_schools_noncentred"},
                               {"nuts", "banana"},
                               {"elliptical_slice", "gaussian_likelihood"}};

struct Contestant {
  std::string name;
  Execution execution;
  bool fresh = false;
};

struct Wish {
  std::string sampler, target, steps;
  std::size_t chains = 0;
};

/// Time that other programs take does not count.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// What is sampled, from where, with what step size and metric.
template <class Real>
struct Problem {
  std::shared_ptr<registry::AnySampler> sampler;
  Target target;
  Storage storage;
  std::size_t chains;
  runtime::Starts starts;
  target::GaussianPrior metric;

  [[nodiscard]] std::unique_ptr<runtime::Run<Real>> make_run() const {
    return registry::make_run<Real>(*sampler, target, storage, 1, chains, false, metric);
  }
};

template <class Real>
Problem<Real> problem_of(const Job& job, std::size_t chains) {
  Problem<Real> problem{registry::make_sampler(job.sampler), registry::make_target(job.target, {}), {}, chains, {}, {}};
  const auto asks = problem.sampler->asks();
  problem.storage = runtime::preferred_storage(asks, problem.target->dimension(), sizeof(Real));
  if (asks != target::Asks::gradient) return problem;
  const std::shared_ptr<registry::AnySampler> one_step = registry::make_sampler(job.sampler);
  registry::stop_after_one_step(*one_step);
  const auto tuned =
      runtime::warm_up(registry::runs_of<Real>(*problem.sampler, *one_step, problem.target, problem.storage, chains),
                       {.draws = 300}, 1, {});
  problem.sampler->set("step_size", tuned.tuning.step_size);
  problem.starts = {.kind = runtime::Starts::Kind::given, .positions = tuned.positions};
  problem.metric = tuned.tuning.metric;
  return problem;
}

std::vector<Contestant> contestants_of(const Wish& wish) {
  std::vector<Contestant> list = {{"skip", {.schedule = Schedule::lockstep_skip}},
                                  {"pack", {.schedule = Schedule::lockstep_pack}},
                                  {"free", {}},
                                  {"fresh", {}, true}};
  if (wish.steps != "all") return list;
  for (const Step step : {Step::bundled_inline, Step::bundled_amortized, Step::gathered}) {
    list.push_back({std::string(name_of(step)), {.step = step}});
  }
  return list;
}

/// Draws per second of each contestant in each round.
template <class Real>
std::vector<std::vector<double>> rates_of(const Problem<Real>& problem, const std::vector<Contestant>& contestants,
                                          const bench::Effort& effort) {
  constexpr std::uint32_t draws = 1000;
  std::vector<std::unique_ptr<runtime::Run<Real>>> runs;
  for (std::size_t i = 0; i < contestants.size(); ++i) runs.push_back(problem.make_run());
  const int d = runs[0]->dimension();
  std::vector<Real> values(problem.chains * draws * static_cast<std::size_t>(d));
  std::vector<std::vector<double>> rates(contestants.size());
  std::uint64_t reference = 0;
  for (int round = 0; round <= effort.rounds; ++round) {  // the first only warms up
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      double seconds = 0, made = 0;
      while (seconds < effort.seconds_per_round) {
        if (contestants[i].fresh) runs[i] = problem.make_run();
        runs[i]->start(problem.starts);
        const double begin = processor_seconds();
        runs[i]->advance(draws, draws, {.data = values.data(), .first = 0, .count = draws, .dimension = d},
                         contestants[i].execution);
        seconds += processor_seconds() - begin;
        made += static_cast<double>(problem.chains) * draws;
      }
      const std::uint64_t hash = runtime::hash_of(values);
      if (reference == 0) reference = hash;
      if (hash != reference) {
        std::fprintf(stderr, "bench_cheap: %s draws something else\n", contestants[i].name.c_str());
        std::exit(1);
      }
      if (round > 0) rates[i].push_back(made / seconds);
    }
  }
  return rates;
}

template <class Real>
void run_job(const Job& job, std::size_t chains, const Wish& wish, const bench::Effort& effort) {
  const auto problem = problem_of<Real>(job, chains);
  const auto contestants = contestants_of(wish);
  const auto rates = rates_of<Real>(problem, contestants, effort);
  const auto lead = [&](std::size_t over, std::size_t of) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rates[of].size(); ++round) {
      ratios.push_back(rates[of][round] / rates[over][round]);
    }
    return median(ratios);
  };
  std::printf("%-16s %-24s %-6s %4zu chains  skip %7.3f M draws/s  pack %5.2f  over skip:", job.sampler.c_str(),
              job.target.c_str(), std::is_same_v<Real, float> ? "float" : "double", chains, median(rates[0]) / 1e6,
              lead(0, 1));
  for (std::size_t i = 2; i < contestants.size(); ++i) {
    std::printf("  %s %5.2f", contestants[i].name.c_str(), lead(0, i));
  }
  std::printf("%s\n", std::min(lead(0, 2), lead(1, 2)) < 1 ? "  slower" : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--sampler") wish.sampler = argv[i + 1];
    if (option == "--target") wish.target = argv[i + 1];
    if (option == "--steps") wish.steps = argv[i + 1];
    if (option == "--chains") wish.chains = std::strtoul(argv[i + 1], nullptr, 10);
  }
  bench::stay_on_one_core(true);
  const bench::Effort effort = bench::effort_from(argc, argv, {.rounds = 9, .seconds_per_round = 0.05});
  std::printf("one core, runs of 1,000 draws; medians of %d interleaved rounds of %.2f s\n", effort.rounds,
              effort.seconds_per_round);
  for (const Job& job : jobs) {
    if (!wish.sampler.empty() && wish.sampler != job.sampler) continue;
    if (!wish.target.empty() && wish.target != job.target) continue;
    for (const std::size_t chains : {16U, 64U, 256U, 1024U}) {
      if (wish.chains != 0 && wish.chains != chains) continue;
      run_job<float>(job, chains, wish, effort);
      run_job<double>(job, chains, wish, effort);
    }
  }
}
