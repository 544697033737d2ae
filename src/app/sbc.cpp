// The verb `breakstep sbc`: simulation-based calibration of a sampler on a target.
#include "sbc.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/calibration/calibrate.hpp"
#include "breakstep/error.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "choice.hpp"
#include "draw_file.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "number.hpp"
#include "progress.hpp"
#include "sbc_report.hpp"
#include "stream.hpp"
#include "warm_up.hpp"

namespace breakstep_app {
namespace {

namespace calibration = breakstep::calibration;
namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using breakstep::Error;
using breakstep::target::Asks;

constexpr const char* footer = R"(
Draws parameters from the prior, data from the model and chains from the posterior, many times
over. If sampler and target are right, the rank of the true parameter among a replicate's draws
is uniform (Talts et al. 2018). Prints for each quantity the probability p that uniform ranks
stray as far, whether their distribution stays inside its band (Sailynoja et al. 2022), how many
independent draws one draw is worth, and how many replicates had which ranks. The last quantity
is the log density, which notices draws that ignore the data. Exits with 2 if a quantity is outside.

Ranks depend on the options and the seed, never on the number of threads.

Examples:
  breakstep sbc --sampler nuts --target eight-schools-noncentred --thin 5 --threads 0
  breakstep sbc --sampler elliptical-slice --target gp-regression --points 15 --thin 10 \
      --picture ranks.svg)";

constexpr std::array<std::pair<const char*, runtime::Metric>, 3> metrics{
    {{"unit", runtime::Metric::unit}, {"diagonal", runtime::Metric::diagonal}, {"dense", runtime::Metric::dense}}};
constexpr std::array<std::pair<const char*, bool>, 2> tunings{{{"each", false}, {"first", true}}};

struct Options {
  JobOptions job;
  std::string replicates = "1000", thin = "1", warm_up = "500", false_alarm = "0.01", tuning_from = "each";
  std::optional<std::string> target_accept, metric, picture;
  bool force = false;
};

calibration::Options read_options(const Options& options, const Job& job) {
  calibration::Options read;
  read.replicates = whole_number("--replicates", options.replicates, 20, 1'000'000);
  read.chains = job.chains;
  read.draws = job.draws;
  read.thin = static_cast<std::uint32_t>(whole_number("--thin", options.thin, 1, 1'000'000));
  read.warm_up.draws = static_cast<std::uint32_t>(whole_number("--warmup", options.warm_up, 0, 1'000'000'000));
  if (job.sampler->flow() != nullptr) {
    throw Error("sampler " + job.sampler_name + " cannot be calibrated", "every replicate would have to train a flow",
                "take elliptical-slice, whose steps it makes in other coordinates");
  }
  const bool has_steps = job.sampler->asks() == Asks::gradient;
  if (!has_steps && (options.target_accept || options.metric || options.tuning_from != "each")) {
    throw Error("sampler " + job.sampler_name + " has nothing to tune", "it has neither steps nor a metric",
                "leave --target-accept, --metric and --tuning-from out");
  }
  if (has_steps && read.warm_up.draws == 0 && (options.target_accept || options.metric)) {
    throw Error("--target-accept or --metric with --warmup 0", "there is nothing to tune", "leave it out");
  }
  read.warm_up.target_accept = acceptance_to_aim_at(job, options.target_accept, options.metric.has_value());
  if (options.metric) read.warm_up.metric = choose("metric", *options.metric, metrics);
  // Where the sampler's coordinates are the prior's, the prior is the natural start.
  if (job.sampler->asks() == Asks::likelihood) {
    read.warm_up.starts = {.kind = runtime::Starts::Kind::normal, .scale = 1, .attempts = 100};
  }
  read.seed = job.seed;
  read.threads = job.execution.threads;
  return read;
}

void require_simulation(const Job& job) {
  std::vector<std::string> names;
  for (const registry::TargetEntry& entry : registry::targets()) {
    if (entry.name == job.target_name && entry.can_simulate) return;
    if (entry.can_simulate) names.emplace_back(entry.name);
  }
  throw Error("target " + job.target_name + " cannot be calibrated",
              "it does not draw parameters from its prior and data from its model", "choose " + listed(names));
}

template <class Real>
calibration::Ranks run(const Options& options, const Job& job, calibration::Options& how) {
  const calibration::MakeSampler make_sampler = [&job] {
    auto sampler = registry::make_sampler(job.sampler_name);
    for (const auto& parameter : job.sampler->parameters()) sampler->set(parameter.name, parameter.value);
    return sampler;
  };
  Progress progress;
  how.on_replicate_done = [&](std::size_t done) {
    progress.show("calibrating: " + std::to_string(done) + " of " + std::to_string(how.replicates) + " replicates" +
                  progress.time_left(static_cast<double>(done) / static_cast<double>(how.replicates)));
  };
  if (choose("source of tunings", options.tuning_from, tunings) && how.warm_up.draws > 0) {
    how.tuning = calibration::first_tuning<Real>(make_sampler, *job.target, how);
  }
  auto ranks = calibration::calibrate<Real>(make_sampler, *job.target, how);
  how.on_replicate_done = {};
  return ranks;
}

void run_sbc(const Options& options) {
  const Job job = read_job(options.job);
  require_simulation(job);
  calibration::Options how = read_options(options, job);
  const double false_alarm = share("--false-alarm", options.false_alarm);
  if (options.force && !options.picture) {
    throw Error("--force without --picture", "there is no file to replace", "leave it out");
  }
  const double draws_at_once = static_cast<double>(how.draws + how.chains) * how.thin *
                               static_cast<double>(job.parameters()) * std::max(1, how.threads);
  require_memory(draws_at_once * (job.is_single ? 4 : 8), "the draws of a replicate on every thread",
                 "ask for fewer draws, or for less thinning");
  std::optional<DrawFile> picture;
  if (options.picture) picture.emplace(*options.picture, options.force, 1e6);
  auto ranks = job.is_single ? run<float>(options, job, how) : run<double>(options, job, how);
  const SbcReport report = judged(job.sampler_name, job.target_name, how, std::move(ranks), false_alarm);
  if (picture) picture->write("", picture_of(report));
  write_to_stdout(options.job.json ? json_of(report) : text_of(report));
  std::fputs(warnings_of(report).c_str(), stderr);
  if (report.outside() > 0) {
    throw Error("the ranks of " + std::to_string(report.outside()) + " of " + std::to_string(report.checks.size()) +
                    " quantities are not uniform",
                "sampler or target are wrong, or the chains are too short",
                "try a longer --warmup and a larger --thin; if that changes nothing, look for a mistake");
  }
}

}  // namespace

void add_sbc(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("sbc", "Check sampler and target together by simulated data");
  const auto options = std::make_shared<Options>();
  options->job.chains = "8";
  options->job.draws = "99";
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type, const char* group) {
    return verb->add_option(name, value, meaning)->type_name(type)->group(group);
  };
  constexpr const char* what = "What to draw";
  add("--sampler", options->job.sampler, "Name of the sampler; breakstep list shows them", "NAME", what);
  add("--set", options->job.settings, "A parameter of the sampler; may be given several times", "NAME=VALUE", what)
      ->allow_extra_args(false);
  add_target_options(*verb, options->job);
  add("--replicates", options->replicates, "Draws from the prior", "N", what)->capture_default_str();
  add("--chains", options->job.chains, "Chains of each replicate", "N", what)->capture_default_str();
  add("--draws", options->job.draws, "Draws of each replicate that ranks are taken among", "N", what)
      ->capture_default_str();
  add("--thin", options->thin, "Of so many draws of a chain one is used", "N", what)->capture_default_str();
  add("--seed", options->job.seed, "Seed of the random numbers", "N", what)->capture_default_str();
  add("--precision", options->job.precision, "Arithmetic: single or double", "NAME", what)->capture_default_str();
  constexpr const char* warm_up = "Warm-up (changes draws)";
  add("--warmup", options->warm_up, "Draws of each chain before those that are used; they tune gradient samplers", "N",
      warm_up)
      ->capture_default_str();
  add("--tuning-from", options->tuning_from, "each: every replicate its own; first: all use the first one's", "NAME",
      warm_up)
      ->capture_default_str();
  add("--target-accept", options->target_accept, "Acceptance to aim at, between 0 and 1 [0.8; mala 0.574; chees 0.651]",
      "X", warm_up);
  add("--metric", options->metric, "What to learn of the scales: unit, diagonal [the default] or dense", "NAME",
      warm_up);
  add("--threads", options->job.threads, "Threads; 0 means one per core", "N", "How (never changes a rank)")
      ->capture_default_str();
  constexpr const char* output = "Output";
  add("--false-alarm", options->false_alarm, "Share of right runs in which any quantity may be outside", "X", output)
      ->capture_default_str();
  verb->add_flag("--json", options->job.json, "Print JSON for another program")->group(output);
  add("--picture", options->picture, "Draw the distributions of ranks and their bands into this SVG file", "FILE",
      output);
  verb->add_flag("--force", options->force, "Replace that file if it exists")->group(output);
  verb->callback([options] { run_sbc(*options); });
}

}  // namespace breakstep_app
