// Times modes; draws are checked to be the same bits, so effective sizes are computed once for all.
#include "time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/runtime/sample.hpp"
#include "cores.hpp"
#include "job.hpp"
#include "table.hpp"

namespace experiments {

using namespace breakstep;
using runtime::Execution;
using runtime::Schedule;
using runtime::Step;

namespace {

struct Mode {
  Execution execution;
  bool one_chain_at_a_time = false;
  std::optional<lanes::Storage> storage = {};  ///< the job's own unless said
};

/// paper-*: as in the paper, without skipping, refilling and parking. lockstep-interleaved: what vmap does also where
/// vectors are long; contiguous storage leaves out the vectors of lanes that wait, and only their densities are
/// computed.
const std::map<std::string, Mode>& modes() {
  const auto paper = [](Step step) { return Mode{{.step = step, .skip = false, .refill = false, .parking = 1}}; };
  static const std::map<std::string, Mode> all = {
      {"lockstep", {{.schedule = Schedule::lockstep}}},
      {"lockstep-interleaved", {{.schedule = Schedule::lockstep}, false, lanes::Storage::interleaved}},
      {"lockstep-skip", {{.schedule = Schedule::lockstep_skip}}},
      {"lockstep-pack", {{.schedule = Schedule::lockstep_pack}}},
      {"lockstep-threads-2", {{.schedule = Schedule::lockstep, .threads = 2}}},
      {"one", {{.schedule = Schedule::lockstep_pack}, true}},
      {"free", {{}}},
      {"free-threads-2", {{.threads = 2}}},
      {"free-switched", {{.step = Step::switched_inline}}},
      {"free-bundled", {{.step = Step::bundled_inline}}},
      {"free-bundled-amortized", {{.step = Step::bundled_amortized}}},
      {"free-gathered", {{.step = Step::gathered}}},
      {"paper-switched", paper(Step::switched_inline)},
      {"paper-switched-amortized", paper(Step::switched_amortized)},
      {"paper-bundled", paper(Step::bundled_inline)},
      {"paper-bundled-amortized", paper(Step::bundled_amortized)}};
  return all;
}

/// Seconds that this process has computed: unlike the clock on the wall, it does not count what others took of a core.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What one run took, or several together.
struct Taken {
  double processor = 0, wall = 0;
};

template <class Real>
struct Entry {
  std::string name;
  Mode mode;
  std::unique_ptr<runtime::Run<Real>> run;
};

struct Quality {
  double ess_min = NAN, ess_mean = NAN, rhat = NAN;
};

/// Of a target with many coordinates, over the first few.
template <class Real>
Quality quality_of(const std::vector<Real>& values, std::size_t chains, std::size_t draws, int dimension) {
  if (draws < 4) return {};
  diagnostics::Summarizer summarizer;
  Quality quality{std::numeric_limits<double>::infinity(), 0, 0};
  const int looked_at = dimension <= 10 ? dimension : 4;
  for (int i = 0; i < looked_at; ++i) {
    summarizer.read(diagnostics::DrawsView<Real>{values.data() + i, chains, draws,
                                                 static_cast<std::ptrdiff_t>(draws) * dimension, dimension});
    const double ess = summarizer.ess_bulk();
    quality.ess_min = std::min(quality.ess_min, ess);
    quality.ess_mean += ess / looked_at;
    const double rhat = summarizer.rhat();
    quality.rhat = i == 0 ? rhat : std::max(quality.rhat, rhat);
  }
  return quality;
}

/// Evaluations by themselves, on full packs, and what they took.
template <class Real>
std::pair<double, Taken> evaluate_alone(const Job& job, target::Asks asks, double seconds) {
  const lanes::FlushToZero scope;
  constexpr int W = lanes::native_width<Real>;
  const auto density = job.target()->density(registry::Width<Real, W>{}, asks);
  const auto workspace = lanes::aligned_zeros<Real>(density->workspace());
  const auto d = static_cast<std::size_t>(density->dimension());
  const auto memory = lanes::aligned_zeros<Real>(2 * d * W);
  const lanes::InterleavedVector<Real, W> x(memory.get(), density->dimension());
  const lanes::InterleavedVector<Real, W> gradient(memory.get() + d * W, density->dimension());
  for (int i = 0; i < density->dimension(); ++i) x.store(i, lanes::Pack<Real, W>::lane_numbers() * Real(0.05));
  volatile Real keep = 0;  // nothing may be left out
  double evaluations = 0;
  const double begin = bench::seconds_now(), begin_processor = processor_seconds();
  do {
    for (int k = 0; k < 10; ++k) {
      keep = (asks == target::Asks::gradient ? density->evaluate(x, gradient, workspace.get())
                                             : density->evaluate(x, workspace.get()))[0];
    }
    evaluations += 10.0 * W;
  } while (processor_seconds() - begin_processor < seconds);
  (void)keep;
  return {evaluations, {processor_seconds() - begin_processor, bench::seconds_now() - begin}};
}

std::string blocks_text(const runtime::Counters& counters, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < counters.blocks.size(); ++k) {
    text += (k > 0 ? ";" : "") + names[k] + ":" + std::to_string(counters.blocks[k].runs) + ":" +
            std::to_string(counters.blocks[k].occupied);
  }
  return text;
}

struct Effort {
  int rounds;
  double seconds;
};

template <class Real>
class Contest {
 public:
  Contest(const Job& job, const std::vector<std::string>& names, std::size_t chains, std::uint32_t draws,
          std::uint64_t seed)
      : job_(job), chains_(chains), draws_(draws), seed_(seed), sampler_(registry::make_sampler(job.sampler_name())) {
    job.tune(*sampler_);
    bench::stay_on_one_core(false);
    ready_ = job.prepare<Real>(*sampler_, chains, seed);
    const auto storage = job.storage(sampler_->asks(), sizeof(Real));
    for (const std::string& name : names) {
      if (name == "density") {
        entries_.push_back({name, {}, nullptr});
        continue;
      }
      const auto found = modes().find(name);
      if (found == modes().end()) {
        throw Error("there is no mode '" + name + "'", "see modes() in time.cpp", "use one of those");
      }
      entries_.push_back({name, found->second,
                          registry::make_run<Real>(*sampler_, job.target(), found->second.storage.value_or(storage),
                                                   seed, chains, found->second.one_chain_at_a_time, ready_.metric)});
    }
    values_.resize(chains * draws * static_cast<std::size_t>(job.target()->dimension()));
  }

  void run(const Effort& effort) {
    for (int round = 0; round < effort.rounds; ++round) {
      for (auto& entry : entries_) {
        if (entry.run) {
          time(entry, round, effort.seconds);
        } else {
          time_density(round, effort.seconds);
        }
      }
    }
  }

 private:
  void time(Entry<Real>& entry, int round, double least_seconds) {
    bench::stay_on_one_core(entry.mode.execution.threads == 1);
    Taken taken;
    int repeats = 0;
    runtime::Counters counters;
    do {
      std::fill(values_.begin(), values_.end(), Real(0));
      entry.run->start(ready_.starts);
      const double begin = bench::seconds_now(), begin_processor = processor_seconds();
      counters = entry.run->advance(
          draws_, draws_, {.data = values_.data(), .first = 0, .count = draws_, .dimension = entry.run->dimension()},
          entry.mode.execution);
      taken.processor += processor_seconds() - begin_processor;
      taken.wall += bench::seconds_now() - begin;
      ++repeats;
      check_draws(entry.name);
    } while (taken.processor < least_seconds);
    taken = {taken.processor / repeats, taken.wall / repeats};
    // The work of several threads is done when the last one is.
    if (entry.mode.execution.threads != 1) taken.processor = taken.wall;
    print(entry.name, round, taken, counters, blocks_text(counters, entry.run->state_names()));
  }

  void check_draws(const std::string& name) {
    const std::uint64_t hash = runtime::hash_of(values_);
    if (!has_reference_) {
      reference_ = hash;
      has_reference_ = true;
      quality_ = quality_of(values_, chains_, draws_, job_.target()->dimension());
    }
    if (hash != reference_) throw Error("mode " + name + " draws something else", "bits differ", "report this fault");
  }

  void time_density(int round, double seconds) {
    bench::stay_on_one_core(true);
    const auto [evaluations, taken] = evaluate_alone<Real>(job_, sampler_->asks(), seconds);
    runtime::Counters counters;
    counters.evaluations_asked = counters.evaluations_executed = static_cast<std::uint64_t>(evaluations);
    print("density", round, taken, counters, "");
  }

  void print(const std::string& name, int round, const Taken& taken, const runtime::Counters& c,
             const std::string& blocks) {
    const auto text = [](auto number) { return static_cast<unsigned long long>(number); };
    std::printf("%s,%s,%d,%zu,%u,%llu,%d,%s,%.9g,%.9g,%llu,%llu,%llu,%llu,%llu,%llu,%.6g,%.6g,%.5g,%.5g,%s\n",
                job_.sampler_name().c_str(), sizeof(Real) == 4 ? "single" : "double", job_.target()->dimension(),
                chains_, draws_, text(seed_), round, name.c_str(), taken.processor, taken.wall, text(c.draws),
                text(c.evaluations_asked), text(c.evaluations_executed), text(c.rounds_wanted), text(c.rounds_executed),
                text(c.steps), quality_.ess_min, quality_.ess_mean, quality_.rhat, ready_.warm_up_seconds,
                blocks.c_str());
    std::fflush(stdout);
  }

  const Job& job_;
  std::size_t chains_;
  std::uint32_t draws_;
  std::uint64_t seed_;
  std::unique_ptr<registry::AnySampler> sampler_;
  Job::Ready ready_;
  std::vector<Entry<Real>> entries_;
  std::vector<Real> values_;
  std::uint64_t reference_ = 0;
  bool has_reference_ = false;
  Quality quality_;
};

}  // namespace

void time_modes(int argc, char** argv) {
  std::vector<std::string> known = job_arguments();
  known.insert(known.end(),
               {"chains", "draws", "work", "least-draws", "modes", "seeds", "rounds", "seconds", "precision"});
  const Arguments arguments(argc, argv, known);
  const Job job(arguments);
  const Effort effort{static_cast<int>(arguments.whole("rounds", 3)), arguments.number("seconds", 0.05)};
  const auto most = arguments.whole("draws", 1000), least = arguments.whole("least-draws", 4);
  std::printf(
      "sampler,precision,d,m,draws,seed,round,mode,seconds,wall_seconds,draws_made,asked,executed,rounds_wanted,rounds_"
      "executed,"
      "steps,ess_min,ess_mean,rhat,warm_up_seconds,blocks\n");
  for (const std::uint64_t m : arguments.wholes("chains", "1024")) {
    const std::uint64_t share = arguments.whole("work", m * most) / m;
    const auto draws = static_cast<std::uint32_t>(std::clamp(share, std::min(least, most), most));
    for (const std::uint64_t seed : arguments.wholes("seeds", "1")) {
      const auto names = arguments.list("modes", "lockstep,lockstep-skip,lockstep-pack,one,free");
      if (arguments.text("precision", "single") == "double") {
        Contest<double>(job, names, m, draws, seed).run(effort);
      } else {
        Contest<float>(job, names, m, draws, seed).run(effort);
      }
    }
  }
}

}  // namespace experiments
