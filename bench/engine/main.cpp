// Times every schedule and step on the paper's first experiments, in float: rates as ratios to lock-step.
//
// Usage: bench_engine [--rounds N] [--seconds S] [--only dr|dr-small|cheap|gp|nuts|nuts-dense]. A mode whose draws
// differ from one chain at a time stops the run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bare_delayed_rejection.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/sample.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;
using runtime::Execution;
using runtime::Schedule;
using runtime::Step;

struct Job {
  std::string key;
  std::string title;
  std::string sampler;
  std::vector<std::pair<std::string, double>> parameters;
  std::string target;
  registry::TargetOptions options;
  std::uint32_t draws;
  std::size_t chains = 1024;
  lanes::Storage storage = lanes::Storage::interleaved;
  bool starts_in_mixture = false;  ///< exact draws from mixture_code
};

struct Mode {
  std::string name;
  Execution execution;
  bool one_chain_at_a_time = false;
};

std::vector<Mode> modes() {
  const auto free = [](Step step) { return Execution{.step = step}; };
  const auto paper = [](Step step) { return Execution{.step = step, .skip = false, .refill = false, .parking = 1}; };
  return {{"lockstep", {.schedule = Schedule::lockstep}},
          {"lockstep-skip", {.schedule = Schedule::lockstep_skip}},
          {"lockstep-pack", {.schedule = Schedule::lockstep_pack}},
          {"one chain at a time", {.schedule = Schedule::lockstep_pack}, true},
          {"paper: switched", paper(Step::switched_inline)},
          {"paper: bundled", paper(Step::bundled_inline)},
          {"paper: bundled, amort.", paper(Step::bundled_amortized)},
          {"free: switched", free(Step::switched_inline)},
          {"free: bundled", free(Step::bundled_inline)},
          {"free: bundled, amort.", free(Step::bundled_amortized)},
          {"free: gathered", free(Step::gathered)},
          {"free: bundled, amort. q=1", {.step = Step::bundled_amortized, .parking = 1}},
          {"free: default", {}},
          {"free: default, 2 threads", {.threads = 2}}};
}

/// A run of one mode that can be repeated.
struct Entry {
  Mode mode;
  std::unique_ptr<registry::AnySampler> sampler;
  std::unique_ptr<runtime::Run<float>> run;
  runtime::Counters counters;
  std::vector<double> rates;
};

/// Exact draws from mixture_code: N(±5·1, Σ/2), Σ = 0.01·I + 0.99·11ᵀ.
runtime::Starts starts_of(const Job& job, int dimension) {
  if (!job.starts_in_mixture) return {};
  runtime::Starts starts{.kind = runtime::Starts::Kind::given};
  for (std::size_t c = 0; c < job.chains; ++c) {
    const lanes::Stream<double, 1> stream(8, static_cast<std::uint64_t>(c), std::uint64_t{0});
    const auto normal = [&](int i) { return stream.normals(static_cast<std::uint64_t>(i), 0)[0][0]; };
    const double shared = std::sqrt(0.99) * normal(dimension);
    for (int i = 0; i < dimension; ++i) {
      starts.positions.push_back((c % 2 == 0 ? 5 : -5) + std::sqrt(0.5) * (shared + 0.1 * normal(i)));
    }
  }
  return starts;
}

double time_once(Entry& entry, const runtime::Starts& starts, std::uint32_t draws, std::vector<float>& values) {
  bench::stay_on_one_core(entry.mode.execution.threads == 1);
  entry.run->start(starts);
  const double begin = bench::seconds_now();
  entry.counters = entry.run->advance(
      draws, draws, {.data = values.data(), .first = 0, .count = draws, .dimension = entry.run->dimension()},
      entry.mode.execution);
  return bench::seconds_now() - begin;
}

/// Evaluations per second of the density by itself, on full packs.
double peak_rate(const registry::AnyTarget& target, target::Asks asks, double seconds) {
  const lanes::FlushToZero scope;
  constexpr int W = lanes::native_width<float>;
  const auto density = target.density(registry::Floats{}, asks);
  const auto workspace = lanes::aligned_zeros<float>(density->workspace());
  const auto memory = lanes::aligned_zeros<float>(2 * static_cast<std::size_t>(density->dimension()) * W);
  const lanes::InterleavedVector<float, W> x(memory.get(), density->dimension());
  const lanes::InterleavedVector<float, W> gradient(memory.get() + density->dimension() * W, density->dimension());
  for (int i = 0; i < density->dimension(); ++i) x.store(i, lanes::Pack<float, W>::lane_numbers() * 0.05F);
  volatile float keep = 0;
  return bench::rate_over({"", 100.0 * W,
                           [&] {
                             for (int k = 0; k < 100; ++k) {
                               keep = (asks == target::Asks::gradient ? density->evaluate(x, gradient, workspace.get())
                                                                      : density->evaluate(x, workspace.get()))[k % W];
                             }
                           }},
                          seconds);
}

/// Runs of one thread and of two, one after the other, so that what else the machine does hits both alike: the ratio of
/// each pair.
void print_threads(Entry& one, Entry& two, const runtime::Starts& starts, std::uint32_t draws,
                   std::vector<float>& values, const bench::Effort& effort) {
  const int pairs = 7 * effort.rounds;
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const double alone = time_once(one, starts, draws, values);
    ratios.push_back(alone / time_once(two, starts, draws, values));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) { return ratios[static_cast<std::size_t>(share * (pairs - 1))]; };
  std::printf("  two threads over one, %d pairs of runs: median %.2f (10 %% below %.2f, 10 %% above %.2f)\n", pairs,
              at(0.5), at(0.1), at(0.9));
}

/// What a try costs where there is no engine around it.
void print_bare_rates(double scale, double seconds) {
  constexpr int W = registry::WideFloats::lanes;  // faster than 16 with both instruction sets
  const auto rates = bench::bare_delayed_rejection<W>(static_cast<float>(scale), 100, seconds);
  std::printf("  by hand, nothing kept       %9.3f M draws/s  %9.3f M evaluations/s  (mean square %.3f)\n",
              rates.draws / 1e6, rates.tries / 1e6, rates.mean_square);
}

void run_job(const Job& job, const bench::Effort& effort) {
  const std::shared_ptr<const registry::AnyTarget> target = registry::make_target(job.target, job.options);
  std::vector<Entry> entries;
  for (const Mode& mode : modes()) {
    Entry entry{mode, registry::make_sampler(job.sampler), nullptr, {}, {}};
    for (const auto& [name, value] : job.parameters) entry.sampler->set(name, value);
    entry.run = registry::make_run<float>(*entry.sampler, target, job.storage, 1, job.chains, mode.one_chain_at_a_time);
    entries.push_back(std::move(entry));
  }
  const runtime::Starts starts = starts_of(job, target->dimension());
  std::vector<float> values(job.chains * job.draws * static_cast<std::size_t>(target->dimension()));
  std::uint64_t reference = 0;
  for (Entry& entry : entries) {
    if (entry.mode.one_chain_at_a_time) {
      time_once(entry, starts, job.draws, values);
      reference = runtime::hash_of(values);
    }
  }
  std::vector<double> peaks;
  for (int round = 0; round < effort.rounds; ++round) {
    peaks.push_back(peak_rate(*target, entries[0].sampler->asks(), 0.5));
    for (Entry& entry : entries) {
      double seconds = 0, draws = 0;
      do {
        std::memset(values.data(), 0, values.size() * sizeof(float));
        seconds += time_once(entry, starts, job.draws, values);
        draws += static_cast<double>(job.chains) * job.draws;
        if (runtime::hash_of(values) != reference) {
          std::fprintf(stderr, "bench_engine: %s draws something else than one chain at a time\n",
                       entry.mode.name.c_str());
          std::exit(1);
        }
      } while (seconds < effort.seconds_per_round);
      entry.rates.push_back(draws / seconds);
    }
  }
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  const double lockstep = median(entries[0].rates);
  const double bound = 1 / entries[0].counters.occupancy();
  const double evaluations =
      static_cast<double>(entries[0].counters.evaluations_asked) / static_cast<double>(entries[0].counters.draws);
  std::printf("%s, %zu chains\n  B(m) = %.2f, %.2f evaluations per draw, density's own peak %.3f M evaluations/s\n",
              job.title.c_str(), job.chains, bound, evaluations, median(peaks) / 1e6);
  for (Entry& entry : entries) {
    std::sort(entry.rates.begin(), entry.rates.end());
    const double rate = median(entry.rates);
    std::printf(
        "  %-26s %9.3f M draws/s (%.3f to %.3f)  %9.3f M evaluations/s  occupancy %.2f  %6.2f x lockstep = %3.0f %% of "
        "B\n",
        entry.mode.name.c_str(), rate / 1e6, entry.rates.front() / 1e6, entry.rates.back() / 1e6,
        rate * evaluations / 1e6, entry.counters.occupancy(), rate / lockstep, 100 * rate / lockstep / bound);
  }
  if (job.sampler == "delayed_rejection") print_bare_rates(job.parameters.front().second, effort.seconds_per_round);
  print_threads(entries[entries.size() - 2], entries.back(), starts, job.draws, values, effort);
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--only") only = argv[i + 1];
  }
  bench::stay_on_one_core(true);
  const bench::Effort effort = bench::effort_from(argc, argv, {.rounds = 3, .seconds_per_round = 1.0});
  const std::vector<Job> jobs = {
      {"dr",
       "delayed rejection on N(0,1), sd sqrt(0.1), at most 100 tries",
       "delayed_rejection",
       {{"scale", 0.31622777}},
       "standard_normal",
       {},
       4000},
      {"dr-small",
       "delayed rejection on N(0,1), sd 0.01, at most 100 tries",
       "delayed_rejection",
       {{"scale", 0.01}},
       "standard_normal",
       {},
       8000},
      {"cheap", "elliptical slice on the cheap 3-d target", "elliptical_slice", {}, "gaussian_likelihood", {}, 1000},
      {"gp",
       "elliptical slice on a Gaussian process with 100 points",
       "elliptical_slice",
       {},
       "gp_regression",
       {.points = 100},
       20},
      {"nuts",
       "NUTS on the 100-d mixture, O(d) gradient, step 0.0316",
       "nuts",
       {{"step_size", 0.0316227766}},
       "mixture_code",
       {},
       40,
       512,
       lanes::Storage::contiguous,
       true},
      {"nuts-dense",
       "the same with a dense matrix in the gradient",
       "nuts",
       {{"step_size", 0.0316227766}},
       "mixture_code_dense",
       {},
       20,
       512,
       lanes::Storage::contiguous,
       true}};
  std::printf("float, %s; median of %d interleaved rounds of at least %.1f s (slowest to fastest)\n",
              BREAKSTEP_ISA_AVX512 ? "AVX-512" : "AVX2", effort.rounds, effort.seconds_per_round);
  for (const Job& job : jobs) {
    if (only.empty() || only == job.key) run_job(job, effort);
  }
}
