// The verb `breakstep compare`: runs one job in every mode of execution and compares their speed.
#include "compare.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/runtime/sample.hpp"
#include "comparison.hpp"
#include "job.hpp"
#include "number.hpp"
#include "progress.hpp"
#include "stream.hpp"
#include "warm_up.hpp"

namespace breakstep_app {
namespace {

namespace runtime = breakstep::runtime;
using breakstep::lanes::Storage;
using runtime::Schedule;
using runtime::Step;

constexpr const char* footer = R"(
Runs the job in lock-step (three ways), running free (with each of the five steps) and one
chain at a time, and prints a table. The speed-up is over lockstep, the first row; occupancy
is the share of evaluated lanes whose chain asked. Every mode must make the same draws, bit for
bit, as one chain at a time; if one does not, the command fails with exit code 1.

  R   rounds that lock-step executes per round wanted (samplers with one loop)
  B   evaluations of the density that lock-step executes per evaluation asked

With --repeat, the modes take turns, and the median of each one's times counts: on a busy
machine use 5 or more. Times are those of making draws; a warm-up comes before and is left out.

Examples:
  breakstep compare --sampler elliptical-slice --target gp-regression --chains 256 --draws 50
  breakstep compare --sampler slice --target log-gamma --chains 1024 --repeat 5
  breakstep compare --sampler nuts --target funnel --chains 128 --warmup 500 --draws 200
  breakstep compare --sampler slice --target standard-normal --dimension 100 --all-storages --json)";

struct Options {
  JobOptions job;
  WarmUpChoices warm_up;
  bool all_storages = false;
  std::string repeat = "1";
};

// Lock-step in the job's storage comes first: it is the baseline.
std::vector<Mode> modes_of(const Job& job, bool all_storages) {
  std::vector<Storage> storages{job.storage};
  if (all_storages) {
    storages.push_back(job.storage == Storage::interleaved ? Storage::contiguous : Storage::interleaved);
  }
  std::vector<Mode> modes;
  for (const Storage storage : storages) {
    for (const Schedule schedule : {Schedule::lockstep, Schedule::lockstep_skip, Schedule::lockstep_pack}) {
      modes.push_back({std::string(name_of(schedule)), schedule, Step::automatic, storage, false});
    }
    for (const Step step : {Step::switched_inline, Step::switched_amortized, Step::bundled_inline,
                            Step::bundled_amortized, Step::gathered}) {
      modes.push_back({"free-" + std::string(name_of(step)), Schedule::free_running, step, storage, false});
    }
    // At width 1, the loops of one pack are the plain sampler.
    modes.push_back({"one-chain-at-a-time", Schedule::lockstep_pack, Step::automatic, storage, true});
  }
  return modes;
}

// Runs one mode once, adds its time to `measured` and gives the hash of the draws, which it leaves in `values`.
template <class Real>
std::uint64_t measure(const Job& job, Measured& measured, std::vector<Real>& values, int& loops) {
  runtime::Execution execution = job.execution;
  execution.schedule = measured.mode.schedule;
  execution.step = measured.mode.step;
  std::fill(values.begin(), values.end(), Real(0));
  const auto run = make_run<Real>(job, measured.mode);
  run->start(job.starts);
  const double begin = now();
  measured.counters =
      run->advance(job.draws, job.draws,
                   {.data = values.data(), .first = 0, .count = job.draws, .dimension = run->dimension()}, execution);
  measured.seconds.push_back(now() - begin);
  loops = run->loop_count();
  return runtime::hash_of(values);
}

template <class Real>
Comparison compare(const Job& job, const std::vector<Mode>& modes, std::uint64_t rounds) {
  Progress progress;
  Comparison comparison;
  comparison.draws = static_cast<double>(job.chains) * job.draws;
  for (const Mode& mode : modes) comparison.modes.push_back({mode, {}, {}, true});
  std::vector<Real> values(job.chains * job.draws * job.parameters());
  std::vector<std::vector<std::uint64_t>> hashes(modes.size());
  std::uint64_t reference = 0;
  const auto all = static_cast<double>(rounds * modes.size());
  double done = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      progress.show("comparing: run " + shown(done + 1, 0, 'f') + " of " + shown(all, 0, 'f') + ", " + modes[i].name +
                    progress.time_left(done / all));
      hashes[i].push_back(measure(job, comparison.modes[i], values, comparison.loops));
      if (modes[i].one_chain_at_a_time && modes[i].storage == job.storage) reference = hashes[i].front();
      ++done;
    }
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (const std::uint64_t hash : hashes[i]) comparison.modes[i].same_bits &= hash == reference;
  }
  return comparison;
}

void run_compare(const Options& options) {
  Job job = read_job(options.job);
  const std::uint64_t rounds = whole_number("--repeat", options.repeat, 1, 1000);
  require_room(job, false);
  warm_up_for_all_modes(options.warm_up, options.job, job);
  const auto modes = modes_of(job, options.all_storages);
  const Comparison comparison =
      job.is_single ? compare<float>(job, modes, rounds) : compare<double>(job, modes, rounds);
  write_to_stdout(options.job.json ? json_of(comparison) : text_of(comparison));
  require_same_bits(comparison);
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("compare", "Run a job in every mode of execution and compare their speed");
  const auto options = std::make_shared<Options>();
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  add_job_options(*verb, options->job);
  add_warm_up_options(*verb, options->warm_up);
  constexpr const char* group = "What to compare";
  verb->add_flag("--all-storages", options->all_storages, "Every mode in both storages")->group(group);
  verb->add_option("--repeat", options->repeat, "Rounds, in which the modes take turns; the median counts")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  verb->callback([options] { run_compare(*options); });
}

}  // namespace breakstep_app
