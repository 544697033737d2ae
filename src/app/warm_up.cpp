// The warm-up of a job: its options, running it, and what is said about it.
#include "warm_up.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/threads.hpp"
#include "choice.hpp"
#include "json.hpp"
#include "number.hpp"
#include "progress.hpp"
#include "runtime/warming_up.hpp"
#include "table.hpp"
#include "tuning_file.hpp"

namespace breakstep_app {
namespace {

namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using breakstep::Error;
using breakstep::target::Asks;

constexpr std::array<std::pair<const char*, runtime::Metric>, 3> metrics{
    {{"unit", runtime::Metric::unit}, {"diagonal", runtime::Metric::diagonal}, {"dense", runtime::Metric::dense}}};

constexpr std::array<std::pair<const char*, bool>, 2> who_adapts{{{"pooled", false}, {"each", true}}};

bool has_steps(const Job& job) { return job.sampler->asks() == Asks::gradient; }

template <class Real>
runtime::WarmUp tune(const Job& job, const Mode& mode, const runtime::WarmUpOptions& options,
                     const runtime::Execution& execution) {
  return registry::warm_up<Real>([&] { return sampler_like(job); }, job.target, mode.storage, job.chains,
                                 mode.one_chain_at_a_time, options, job.seed, execution);
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
  runtime::note_starts(run->facts(), result.facts);
  result.positions = run->positions();
  return result;
}

runtime::WarmUp run_one(const Job& job, const Mode& mode, const runtime::WarmUpOptions& options) {
  runtime::Execution execution = job.execution;
  execution.schedule = mode.schedule;
  execution.step = mode.step;
  const auto run = [&]<class Real>(Real) {
    return has_steps(job) ? tune<Real>(job, mode, options, execution) : run_in<Real>(job, mode, options, execution);
  };
  return job.is_single ? run(float{}) : run(double{});
}

/// Every chain on its own.
std::vector<runtime::WarmUp> run_each(const Job& job, const WarmUpPlan& plan) {
  std::vector<runtime::WarmUp> results(job.chains);
  runtime::for_each_on_threads(job.chains, job.execution.threads, [&](std::size_t c) {
    const Job one = job_of_chain(job, c);
    results[c] = run_one(one, mode_of_one_chain(one), plan.options);
  });
  return results;
}

/// What all chains' warm-ups say together.
runtime::WarmUpFacts facts_of(const std::vector<runtime::WarmUp>& results) {
  runtime::WarmUpFacts all = results.front().facts;
  for (std::size_t i = 1; i < results.size(); ++i) {
    const runtime::WarmUpFacts& one = results[i].facts;
    all.accept_stat += one.accept_stat;
    all.divergent += one.divergent;
    all.bad_starts += one.bad_starts;
    all.retried_starts += one.retried_starts;
    all.counters.add(one.counters);
    if (one.metric_change > all.metric_change) {
      all.metric_change = one.metric_change;
      all.most_changed = one.most_changed;
    }
  }
  all.accept_stat /= static_cast<double>(results.size());
  return all;
}

std::vector<double> step_sizes_of(const std::vector<runtime::WarmUp>& results) {
  std::vector<double> sizes(results.size());
  std::transform(results.begin(), results.end(), sizes.begin(), [](const auto& one) { return one.tuning.step_size; });
  return sizes;
}

/// What was found besides the step size.
std::string others_of(const runtime::Tuning& tuning) {
  std::string text;
  for (const auto& [name, value] : tuning.parameters) text += ", " + name + " " + shown(value, 4);
  return text;
}

std::string words_of(const std::vector<runtime::WarmUp>& results, const runtime::WarmUpFacts& facts,
                     const WarmUpPlan& plan, const Job& job) {
  std::string text =
      "warm-up: " + std::to_string(plan.options.draws) + " draws of each chain in " + shown(facts.seconds, 3) + " s";
  if (has_steps(job)) {
    const std::vector<double> steps = step_sizes_of(results);
    const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
    text += "; step size " + (steps.size() == 1 ? shown(steps[0], 4) : shown(*least, 4) + " to " + shown(*most, 4)) +
            others_of(results.front().tuning) + ", acceptance " + shown(facts.accept_stat, 3);
    if (plan.options.target_accept > 0) text += " (aimed at " + shown(plan.options.target_accept, 3) + ")";
  }
  text += "\n";
  if (facts.retried_starts > 0) {
    text += std::to_string(facts.retried_starts) + (facts.retried_starts == 1 ? " chain" : " chains") +
            " needed several attempts at a usable start\n";
  }
  return text;
}

std::string warnings_of(const runtime::WarmUpFacts& facts, const WarmUpPlan& plan, const Job& job) {
  std::string text = warning_of_starts(facts.bad_starts, plan.options.starts);
  if (!has_steps(job)) return text;
  constexpr double settled_within = 0.1, settled_ratio = 2;
  if (plan.options.target_accept > 0 && std::abs(facts.accept_stat - plan.options.target_accept) > settled_within) {
    text += "warning: the warm-up did not settle: chains accept " + shown(facts.accept_stat, 3) + " instead of " +
            shown(plan.options.target_accept, 3) + "; try a longer --warmup\n";
  }
  if (facts.metric_change > settled_ratio) {
    text += "warning: the warm-up did not settle: the variance of " +
            job.target->coordinate_names().at(facts.most_changed) + " changed by a factor of " +
            shown(facts.metric_change, 3) + " between its last two windows; try a longer --warmup or other starts\n";
  }
  return text;
}

std::string json_of(const std::vector<runtime::WarmUp>& results, const runtime::WarmUpFacts& facts, const Job& job) {
  JsonObject object;
  object.add("seconds", facts.seconds)
      .add("evaluations", facts.counters.evaluations_asked)
      .add("retried_starts", facts.retried_starts)
      .add("bad_starts", facts.bad_starts);
  if (has_steps(job)) {
    const std::vector<double> steps = step_sizes_of(results);
    object.add("step_size", runtime::median(steps))
        .add("accept_stat", facts.accept_stat)
        .add("divergent", facts.divergent)
        .add("metric_change", facts.metric_change);
    for (const auto& [name, value] : results.front().tuning.parameters) object.add(name, value);
  }
  return object.close();
}

void start_where_they_ended(const std::vector<double>& positions, Job& job) {
  job.starts.kind = runtime::Starts::Kind::given;
  job.starts.positions.insert(job.starts.positions.end(), positions.begin(), positions.end());
}

WarmUpReport warm_up_through_flow(Job& job, const Mode& mode, const WarmUpPlan& plan) {
  const runtime::TransportWarmUp result = train_flow(job, mode, *plan.transport);
  job.flow = result.flow;
  if (plan.save_to) plan.save_to->write("", flow_text(job));
  job.starts.positions.clear();
  start_where_they_ended(result.positions, job);
  return {words_of_flow(result, *plan.transport), warnings_of_flow(result, *plan.transport), json_of_flow(result)};
}

/// Whether what a warm-up of this sampler finds can be kept.
bool has_tuning(const Job& job) { return has_steps(job) || job.sampler->flow() != nullptr; }

/// Gives the job one tuning for all chains, or one for each.
void use_tunings(const std::vector<runtime::Tuning>& tunings, Job& job) {
  if (tunings.size() == 1) {
    registry::use_tuning(*job.sampler, tunings.front());
    job.metric = tunings.front().metric;
  } else {
    job.tunings = tunings;
  }
}

}  // namespace

void add_warm_up_options(CLI::App& verb, WarmUpChoices& choices) {
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    verb.add_option(name, value, meaning)->type_name(type)->group("Warm-up (changes draws)");
  };
  add("--warmup", choices.draws,
      "Draws of each chain before those that are kept; they tune gradient samplers and flows", "N");
  add("--target-accept", choices.target_accept, "Acceptance to aim at, between 0 and 1 [0.8; mala 0.574; chees 0.651]",
      "X");
  add("--metric", choices.metric, "What to learn of the scales: unit, diagonal [the default] or dense", "NAME");
  add("--adapt", choices.adapt,
      "pooled: one tuning from all chains [from 8 chains on]; each: every chain its own, as Stan", "NAME");
  add_flow_options(verb, choices.flow);
  add("--save-tuning", choices.save_tuning, "Write what the warm-up found to this JSON file", "FILE");
  add("--tuning", choices.tuning, "Use the tuning of such a file; no warm-up is needed", "FILE");
}

std::string warning_of_starts(std::uint64_t bad, const runtime::Starts& starts) {
  if (bad == 0) return "";
  const std::string chains = "warning: " + std::to_string(bad) + (bad == 1 ? " chain" : " chains");
  if (starts.kind == runtime::Starts::Kind::given) {
    return chains + (bad == 1 ? " starts" : " start") +
           " where the density or its gradient is not finite: correct the rows of --start-file\n";
  }
  return chains + " found no usable start in " + std::to_string(starts.attempts) +
         " attempts: try a smaller --start-scale\n";
}

double acceptance_to_aim_at(const Job& job, const std::optional<std::string>& given, bool metric_is_given) {
  const double usual = registry::usual_acceptance(job.sampler_name);
  if (has_steps(job) && usual == 0 && (given || metric_is_given)) {
    throw Error("sampler " + job.sampler_name + " takes neither --target-accept nor --metric",
                "its steps and scales come from where its chains are", "leave them out");
  }
  return given ? share("--target-accept", *given) : usual;
}

std::optional<WarmUpPlan> read_warm_up(const WarmUpChoices& choices, const JobOptions& options, bool may_replace,
                                       Job& job) {
  const auto refuse_with = [&](const std::optional<std::string>& choice, const std::string& name) {
    if (choice)
      throw Error(name + " without --warmup", "there is nothing to tune", "add --warmup 1000, or leave it out");
  };
  read_flow_choices(choices.flow, job);
  if (choices.tuning) {
    if (!has_tuning(job)) {
      throw Error("sampler " + job.sampler_name + " takes no --tuning", "it has neither steps nor a metric",
                  "leave it out");
    }
    if (choices.draws || options.inverse_metric) {
      throw Error(std::string("--tuning with ") + (choices.draws ? "--warmup" : "--inverse-metric"),
                  "both say how to tune the sampler", "leave one of them out");
    }
    if (job.sampler->flow() != nullptr) {
      job.flow = read_flow(*choices.tuning, job);
    } else {
      use_tunings(read_tunings(*choices.tuning, job), job);
    }
  }
  WarmUpPlan plan;
  if (choices.draws) {
    plan.options.draws = static_cast<std::uint32_t>(whole_number("--warmup", *choices.draws, 0, 1'000'000'000));
  }
  if (!choices.draws || plan.options.draws == 0) {
    refuse_with(choices.target_accept, "--target-accept");
    refuse_with(choices.metric, "--metric");
    refuse_with(choices.adapt, "--adapt");
    refuse_with(choices.save_tuning, "--save-tuning");
    if (job.sampler->flow() != nullptr && job.flow.empty()) {
      throw Error("sampler " + job.sampler_name + " has no flow",
                  "a warm-up trains one, or --tuning FILE gives one that was trained before", "add --warmup 400");
    }
    return {};
  }
  if (!has_steps(job) && (choices.target_accept || choices.metric || choices.adapt)) {
    throw Error("sampler " + job.sampler_name + " has no steps to tune", "it has neither steps nor a metric",
                "leave --target-accept, --metric and --adapt out");
  }
  if (!has_tuning(job) && choices.save_tuning) {
    throw Error("sampler " + job.sampler_name + " has nothing to tune", "it has neither steps nor a metric",
                "leave --save-tuning out");
  }
  if (options.inverse_metric) {
    throw Error("--inverse-metric with --warmup", "a warm-up learns the metric itself", "leave one of them out");
  }
  plan.options.target_accept = acceptance_to_aim_at(job, choices.target_accept, choices.metric.has_value());
  if (choices.metric) plan.options.metric = choose("metric", *choices.metric, metrics);
  constexpr std::size_t enough_to_pool = 8;
  const bool only_pooled = registry::needs_many_chains(*job.sampler);
  plan.of_each =
      has_steps(job) && job.chains > 1 &&
      (choices.adapt ? choose("adapt", *choices.adapt, who_adapts) : job.chains < enough_to_pool && !only_pooled);
  if (plan.of_each && only_pooled) {
    throw Error("--adapt each with sampler " + job.sampler_name, "it learns from all chains together",
                "leave it out, or take nuts or hmc");
  }
  if (plan.of_each && job.starts.superchains > 0) {
    throw Error("--superchains with --adapt each", "chains that find their own tuning do not share their starts",
                "add --adapt pooled");
  }
  // Stan's starts, unless others were asked for.
  if (options.start_is_given || options.start_file) plan.options.starts = job.starts;
  plan.options.starts.superchains = job.starts.superchains;
  plan.options.starts.attempts = 100;
  if (job.sampler->flow() != nullptr) {
    plan.transport = transport_options(job, plan.options.draws);
    plan.transport->starts = plan.options.starts;
  }
  if (choices.save_tuning) plan.save_to.emplace(*choices.save_tuning, may_replace, 1024);
  return plan;
}

WarmUpReport warm_up(Job& job, const Mode& mode, const WarmUpPlan& plan) {
  if (plan.transport) return warm_up_through_flow(job, mode, plan);
  const double begin = now();
  std::vector<runtime::WarmUp> results;
  if (plan.of_each) {
    results = run_each(job, plan);
  } else {
    results.push_back(run_one(job, mode, plan.options));
  }
  runtime::WarmUpFacts facts = facts_of(results);
  facts.seconds = now() - begin;
  if (has_steps(job)) {
    std::vector<runtime::Tuning> tunings;
    tunings.reserve(results.size());
    for (const auto& result : results) tunings.push_back(result.tuning);
    if (plan.save_to) plan.save_to->write("", tuning_text(job, tunings));
    use_tunings(tunings, job);
  }
  job.starts.positions.clear();
  for (const auto& result : results) start_where_they_ended(result.positions, job);
  return {words_of(results, facts, plan, job), warnings_of(facts, plan, job), json_of(results, facts, job)};
}

bool warm_up_for_all_modes(const WarmUpChoices& choices, const JobOptions& options, Job& job) {
  const auto plan = read_warm_up(choices, options, false, job);
  if (!job.tunings.empty() || (plan && plan->of_each)) {
    throw Error("chains that have their own tunings", "they run one by one in any mode",
                "add --adapt pooled, or give a tuning for all");
  }
  if (!plan) return false;
  Progress progress;
  progress.show("warming up");
  warm_up(job, free_mode(job.storage), *plan);
  return true;
}

}  // namespace breakstep_app
