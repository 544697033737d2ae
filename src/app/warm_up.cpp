// The warm-up of a job: its options, running it, and what is said about it.
#include "warm_up.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "breakstep/error.hpp"
#include "choice.hpp"
#include "json.hpp"
#include "number.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using breakstep::Error;
using breakstep::target::Asks;

constexpr std::array<std::pair<const char*, runtime::Metric>, 3> metrics{
    {{"unit", runtime::Metric::unit}, {"diagonal", runtime::Metric::diagonal}, {"dense", runtime::Metric::dense}}};

bool has_steps(const Job& job) { return job.sampler->asks() == Asks::gradient; }

/// The job's sampler, made to stop after one leapfrog step.
std::unique_ptr<registry::AnySampler> one_step_sampler(const Job& job) {
  auto sampler = registry::make_sampler(job.sampler_name);
  for (const auto& parameter : job.sampler->parameters()) {
    const bool limits_steps = parameter.name == "max_depth" || parameter.name == "steps";
    sampler->set(parameter.name, limits_steps ? 1 : parameter.value);
  }
  return sampler;
}

template <class Real>
runtime::WarmUp tune(const Job& job, const Mode& mode, const runtime::WarmUpOptions& options,
                     const runtime::Execution& execution) {
  const auto one_step = one_step_sampler(job);
  const auto maker = [&](const registry::AnySampler& sampler) {
    return [&](const breakstep::target::GaussianPrior& metric, std::uint64_t seed) {
      return registry::make_run<Real>(sampler, job.target, mode.storage, seed, job.chains, mode.one_chain_at_a_time,
                                      metric);
    };
  };
  return runtime::warm_up(runtime::RunsOf<Real>{maker(*job.sampler), maker(*one_step)}, options, job.seed, execution);
}

/// Draws that are forgotten, for samplers with nothing to tune.
template <class Real>
runtime::WarmUp run_in(const Job& job, const Mode& mode, const runtime::WarmUpOptions& options,
                       const runtime::Execution& execution) {
  const auto run = registry::make_run<Real>(*job.sampler, job.target, mode.storage, runtime::derived_seed(job.seed, 1),
                                            job.chains, mode.one_chain_at_a_time, job.metric);
  run->start(options.starts);
  runtime::WarmUp result;
  const double begin = now();
  result.facts.counters = run->advance(options.draws, options.draws, {}, execution);
  result.facts.seconds = now() - begin;
  const runtime::Facts facts = run->facts();
  result.facts.bad_starts = facts.bad_starts;
  result.facts.retried_starts = facts.retried_starts;
  result.facts.first_bad_start = facts.first_bad_start;
  result.positions = run->positions();
  return result;
}

}  // namespace

void add_warm_up_options(CLI::App& verb, WarmUpChoices& choices) {
  constexpr const char* group = "Warm-up (changes draws)";
  verb.add_option("--warmup", choices.draws,
                  "Draws of each chain before those that are kept; they tune nuts, hmc, mala")
      ->type_name("N")
      ->group(group);
  verb.add_option("--target-accept", choices.target_accept, "Acceptance to aim at, between 0 and 1 [0.8; mala 0.574]")
      ->type_name("X")
      ->group(group);
  verb.add_option("--metric", choices.metric, "What to learn of the scales: unit, diagonal [the default] or dense")
      ->type_name("NAME")
      ->group(group);
}

std::optional<runtime::WarmUpOptions> read_warm_up(const WarmUpChoices& choices, const JobOptions& options,
                                                   const Job& job) {
  if (!choices.draws) {
    if (choices.target_accept || choices.metric) {
      throw Error(std::string(choices.metric ? "--metric" : "--target-accept") + " without --warmup",
                  "there is nothing to tune", "add --warmup 1000, or leave it out");
    }
    return {};
  }
  runtime::WarmUpOptions result;
  result.draws = static_cast<std::uint32_t>(whole_number("--warmup", *choices.draws, 0, 1'000'000'000));
  if (result.draws == 0) return {};
  if (!has_steps(job) && (choices.target_accept || choices.metric)) {
    throw Error("sampler " + job.sampler_name + " takes no " + (choices.metric ? "--metric" : "--target-accept"),
                "it has neither steps nor a metric", "leave it out");
  }
  if (options.inverse_metric) {
    throw Error("--inverse-metric with --warmup", "a warm-up learns the metric itself", "leave one of them out");
  }
  result.target_accept = job.sampler_name == "mala" ? 0.574 : 0.8;
  if (choices.target_accept) {
    result.target_accept = finite_number("--target-accept", *choices.target_accept);
    if (!(result.target_accept > 0 && result.target_accept < 1)) {
      throw Error("--target-accept cannot be '" + *choices.target_accept + "'", "it is a share between 0 and 1",
                  "give one, such as 0.9");
    }
  }
  if (choices.metric) result.metric = choose("metric", *choices.metric, metrics);
  // Stan's starts, unless others were asked for.
  if (options.start_is_given) result.starts = job.starts;
  result.starts.superchains = job.starts.superchains;
  result.starts.attempts = 100;
  return result;
}

runtime::WarmUp warm_up(Job& job, const Mode& mode, const runtime::WarmUpOptions& options) {
  runtime::Execution execution = job.execution;
  execution.schedule = mode.schedule;
  execution.step = mode.step;
  const auto run = [&]<class Real>(Real) {
    return has_steps(job) ? tune<Real>(job, mode, options, execution) : run_in<Real>(job, mode, options, execution);
  };
  runtime::WarmUp result = job.is_single ? run(float{}) : run(double{});
  if (has_steps(job)) {
    job.sampler->set("step_size", result.tuning.step_size);
    job.metric = result.tuning.metric;
  }
  job.starts.kind = runtime::Starts::Kind::given;
  job.starts.positions = result.positions;
  return result;
}

std::string words_of(const runtime::WarmUp& warm_up, const runtime::WarmUpOptions& options, const Job& job) {
  const auto& facts = warm_up.facts;
  std::string text =
      "warm-up: " + std::to_string(options.draws) + " draws of each chain in " + shown(facts.seconds, 3) + " s";
  if (has_steps(job)) {
    text += "; step size " + shown(warm_up.tuning.step_size, 4) + ", acceptance " + shown(facts.accept_stat, 3) +
            " (aimed at " + shown(options.target_accept, 3) + ")";
  }
  text += "\n";
  if (facts.retried_starts > 0) {
    text += std::to_string(facts.retried_starts) + " chains needed several attempts at a start with a finite density\n";
  }
  if (facts.bad_starts > 0) {
    text += "warning: " + std::to_string(facts.bad_starts) + " of " + std::to_string(job.chains) +
            " chains found no start with a finite density in " + std::to_string(options.starts.attempts) +
            " attempts: try a smaller --start-scale\n";
  }
  if (!has_steps(job)) return text;
  constexpr double settled_within = 0.1, settled_ratio = 2;
  if (std::abs(facts.accept_stat - options.target_accept) > settled_within) {
    text += "warning: the warm-up did not settle: chains accept " + shown(facts.accept_stat, 3) + " instead of " +
            shown(options.target_accept, 3) + "; try a longer --warmup\n";
  }
  if (facts.metric_change > settled_ratio) {
    text += "warning: the warm-up did not settle: the variance of " +
            job.target->parameter_names().at(facts.most_changed) + " changed by a factor of " +
            shown(facts.metric_change, 3) + " between its last two windows; try a longer --warmup or other starts\n";
  }
  return text;
}

std::string json_of(const runtime::WarmUp& warm_up, const Job& job) {
  JsonObject object;
  object.add("seconds", warm_up.facts.seconds)
      .add("evaluations", warm_up.facts.counters.evaluations_asked)
      .add("retried_starts", warm_up.facts.retried_starts)
      .add("bad_starts", warm_up.facts.bad_starts);
  if (has_steps(job)) {
    JsonArray variances;
    for (const double sd : warm_up.tuning.metric.sd) variances.add(json_number(sd * sd));
    for (const double element : warm_up.tuning.metric.covariance) variances.add(json_number(element));
    object.add("step_size", warm_up.tuning.step_size)
        .add("accept_stat", warm_up.facts.accept_stat)
        .add("divergent", warm_up.facts.divergent)
        .add("metric_change", warm_up.facts.metric_change)
        .raw("inverse_metric", variances.close());
  }
  return object.close();
}

}  // namespace breakstep_app
