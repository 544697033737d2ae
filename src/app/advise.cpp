// The verb `breakstep advise`: tries ways to run a job and says which to take.
#include "advise.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "job.hpp"
#include "json.hpp"
#include "number.hpp"
#include "pilot.hpp"
#include "stream.hpp"
#include "table.hpp"
#include "warm_up.hpp"

namespace breakstep_app {
namespace {

namespace runtime = breakstep::runtime;
using runtime::name_of;

constexpr const char* footer = R"(
Runs the job for a few seconds in several ways, in turns, and says which precision, storage, schedule
and number of chains to take, how many draws and effective draws per second to expect, and why.
What is given on the command line (--precision, --chains) is kept. A sampler that needs tuning is
tuned first: add --warmup, or --tuning. A warm-up is repeated in the precision that is advised, so
that what is tried is what `sample` would run.

The speed-up is over lock-step with all --chains. Where lock-step with so many chains would take
longer than the pilot, it is predicted from fewer: the share that waits grows with the logarithm
of their number.

Examples:
  breakstep advise --sampler elliptical-slice --target gp-regression
  breakstep advise --sampler nuts --target eight-schools-noncentred --warmup 500 --chains 128
  breakstep advise --sampler slice --target log-gamma --dimension 3 --seconds 2 --json)";

struct Options {
  JobOptions job;
  WarmUpChoices warm_up;
  std::string seconds = "5";
};

std::string precision_name(bool is_single) { return is_single ? "single" : "double"; }

std::string times(double ratio) { return shown(ratio, ratio < 10 ? 2 : 1, 'f') + " ×"; }

std::string why_precision(const Advice& advice) {
  const std::string rounding = "rounding moves log densities by " + shown(advice.resolution, 2);
  if (advice.precisions.size() < 2) return "as given; " + rounding + " in single";
  const double ratio = advice.precisions[0].draws_per_second / advice.precisions[1].draws_per_second;
  const std::string speed = "single is " + times(ratio) + " double";
  if (!advice.single_is_fine) return rounding + " in single, which could change decisions; " + speed;
  return speed + "; " + rounding + ", which decisions do not feel";
}

std::string why_storage(const Advice& advice) {
  const bool first = advice.storages[0].mode.storage == advice.best.mode.storage;
  const Trial& taken = advice.storages[first ? 0 : 1];
  const Trial& other = advice.storages[first ? 1 : 0];
  return times(taken.draws_per_second / other.draws_per_second) + " " + std::string(name_of(other.mode.storage));
}

std::string why_schedule(const Advice& advice) {
  std::string text;
  for (const Trial& trial : advice.schedules) {
    if (trial.mode.name == advice.best.mode.name) continue;
    text += (text.empty() ? "" : ", ") + times(advice.best.draws_per_second / trial.draws_per_second) + " " +
            trial.mode.name;
  }
  return text + " (" + std::to_string(advice.best.chains) + " chains)";
}

std::string why_chains(const Advice& advice) {
  if (advice.chain_numbers.empty()) return "as given";
  std::string text = "draws/s: ";
  for (const Trial& trial : advice.chain_numbers) {
    text += (&trial == advice.chain_numbers.data() ? "" : ", ") + in_words(trial.draws_per_second) + " with " +
            std::to_string(trial.chains);
  }
  return text;
}

// The options that `sample` would take; the rest is as the user wrote it.
std::string command_options(const Advice& advice) {
  std::string text = "--precision " + precision_name(advice.best.is_single) + " --storage " +
                     std::string(name_of(advice.best.mode.storage)) + " --chains " + std::to_string(advice.chains);
  if (advice.best.mode.one_chain_at_a_time) return text + " --one-chain-at-a-time";
  return text + " --schedule " + std::string(name_of(advice.best.mode.schedule));
}

std::string text_of(const Job& job, const Advice& advice) {
  Table table({"", "advice", "why"}, 3);
  table.add({"precision", precision_name(advice.best.is_single), why_precision(advice)});
  table.add({"storage", std::string(name_of(advice.best.mode.storage)), why_storage(advice)});
  table.add({"schedule", advice.best.mode.name, why_schedule(advice)});
  table.add({"chains", std::to_string(advice.chains), why_chains(advice)});
  std::string text = table.text() + "\n";
  text += "Expect " + in_words(advice.best.draws_per_second) + " draws/s";
  if (advice.least_ess_per_draw > 0) {
    text += " and " + in_words(advice.best.draws_per_second * advice.least_ess_per_draw) +
            " effective draws/s of the slowest parameter (" + advice.least_parameter + ")";
  }
  text += ".\nLock-step with " + std::to_string(job.chains) + " chains would execute " +
          shown(advice.evaluation_ratio, 2, 'f') + " evaluations for each one asked and be " + times(advice.speedup) +
          " slower" + (advice.is_extrapolated ? ", as predicted from fewer chains" : "") + ".\n";
  return text + "Options for breakstep sample: " + command_options(advice) + "\n(the pilot took " +
         shown(advice.seconds, 2) + " s)\n";
}

std::string json_of(const std::vector<Trial>& trials) {
  JsonArray array;
  for (const Trial& trial : trials) {
    array.add(JsonObject()
                  .add("mode", trial.mode.name)
                  .add("precision", precision_name(trial.is_single))
                  .add("storage", name_of(trial.mode.storage))
                  .add("chains", trial.chains)
                  .add("draws_per_second", trial.draws_per_second)
                  .add("evaluations_per_second", trial.evaluations_per_second)
                  .add("evaluation_ratio", trial.evaluation_ratio)
                  .close());
  }
  return array.close();
}

std::string json_of(const Advice& advice) {
  return JsonObject()
             .add("precision", precision_name(advice.best.is_single))
             .add("storage", name_of(advice.best.mode.storage))
             .add("schedule", advice.best.mode.name)
             .add("chains", advice.chains)
             .add("draws_per_second", advice.best.draws_per_second)
             .add("least_ess_per_second", advice.best.draws_per_second * advice.least_ess_per_draw)
             .add("least_ess_parameter", advice.least_parameter)
             .add("speedup_over_lockstep", advice.speedup)
             .add("B", advice.evaluation_ratio)
             .add("is_extrapolated", advice.is_extrapolated)
             .add("log_density_rounding", advice.resolution)
             .add("options", command_options(advice))
             .raw("precisions", json_of(advice.precisions))
             .raw("storages", json_of(advice.storages))
             .raw("schedules", json_of(advice.schedules))
             .raw("chain_numbers", json_of(advice.chain_numbers))
             .add("seconds", advice.seconds)
             .close() +
         "\n";
}

void run_advise(const Options& options, bool precision_is_given, bool chains_are_given) {
  Job job = read_job(options.job);
  const double seconds = finite_number("--seconds", options.seconds);
  if (!(seconds > 0)) {
    throw breakstep::Error("--seconds cannot be '" + options.seconds + "'", "a pilot takes some time",
                           "give a positive number");
  }
  const bool is_tuned_here = warm_up_for_all_modes(options.warm_up, options.job, job);
  const auto tuned_in = [&](bool is_single) {
    JobOptions in_precision = options.job;
    in_precision.precision = precision_name(is_single);
    Job again = read_job(in_precision);
    warm_up_for_all_modes(options.warm_up, in_precision, again);
    return again;
  };
  PilotOptions pilot{
      .seconds = seconds, .precision_is_open = !precision_is_given, .chains_are_open = !chains_are_given};
  if (is_tuned_here) pilot.tuned_in = tuned_in;
  const Advice advice = run_pilot(job, pilot);
  write_to_stdout(options.job.json ? json_of(advice) : text_of(job, advice));
}

}  // namespace

void add_advise(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("advise", "Try ways to run a job and say which to take");
  const auto options = std::make_shared<Options>();
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  add_job_options(*verb, options->job);
  add_warm_up_options(*verb, options->warm_up);
  verb->add_option("--seconds", options->seconds, "How long the pilot may take, about")
      ->type_name("X")
      ->capture_default_str()
      ->group("What to try");
  verb->callback([verb, options] {
    run_advise(*options, verb->get_option("--precision")->count() > 0, verb->get_option("--chains")->count() > 0);
  });
}

}  // namespace breakstep_app
