// The verb `breakstep sample`: makes draws and summarizes them.
#include "sample.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/diagnostics/nested_rhat.hpp"
#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/runtime/threads.hpp"
#include "draw_file.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "pilot.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "stream.hpp"
#include "table.hpp"
#include "warm_up.hpp"

namespace breakstep_app {
namespace {

namespace diagnostics = breakstep::diagnostics;
namespace runtime = breakstep::runtime;

constexpr const char* footer = R"(
Prints for each parameter its mean, standard deviation, the Monte Carlo error of the mean
(mcse), quantiles, R-hat (above 1.01 the chains have not converged) and effective sizes for
the bulk and the tails; then how fast the draws were made. Seconds are those of making draws.
Names may be written with - or _. Whole numbers may be written as 1e6.

Parameters are reported on their own scale (a standard deviation, not its logarithm), followed
by what the target computes from them; --unconstrained shows what the sampler sees instead.

The draws depend on what is drawn and never on how: any threads, step, schedule and storage
give the same bits.

Examples:
  breakstep sample --sampler slice --target standard-normal --dimension 5
  breakstep sample --sampler elliptical-slice --target gp-regression --points 50 \
      --chains 256 --draws 200 --precision single --threads 0
  breakstep sample --sampler delayed-rejection --target log-gamma --set scale=0.8 --json
  breakstep sample --sampler slice --target log-gamma --out draws.npy
      then in Python: numpy.load("draws.npy")[chain, draw, parameter])";

struct Options {
  JobOptions job;
  WarmUpChoices warm_up;
  std::string step = "auto";
  std::optional<std::string> schedule;
  bool one_chain_at_a_time = false;
  bool is_automatic = false;
  std::optional<std::string> out, log_likelihood;
  bool force = false;
  bool unconstrained = false;
};

// What is kept besides the summary, and on which scale.
struct Outputs {
  bool unconstrained = false;
  std::optional<DrawFile> draws, log_likelihood;
};

Mode mode_of(const Options& options, const Job& job) {
  Mode mode;
  mode.one_chain_at_a_time = options.one_chain_at_a_time;
  // At width 1, the loops of one pack are the plain sampler.
  mode.schedule = mode.one_chain_at_a_time ? runtime::Schedule::lockstep_pack : runtime::Schedule::free_running;
  if (options.schedule) mode.schedule = runtime::parse_schedule(with_hyphens(*options.schedule));
  mode.step = runtime::parse_step(with_hyphens(options.step));
  if (mode.schedule != runtime::Schedule::free_running && mode.step != runtime::Step::automatic) {
    throw breakstep::Error("--step " + options.step + " with a lock-step schedule",
                           "lock-step runs the sampler's loops, not its machine", "leave it out, or --schedule");
  }
  mode.storage = job.storage;
  return mode;
}

// Makes all draws: at once, or in segments of about a quarter of a second if somebody watches. Chains that are ahead of
// a segment's end go on until the last one is there, so segments cost nearly nothing.
template <class Real>
runtime::Counters make_draws(runtime::Run<Real>& run, const Job& job, const runtime::Execution& execution,
                             std::vector<Real>& values, std::vector<Real>& facts, Progress& progress) {
  const runtime::DrawWindow<Real> window{.data = values.data(),
                                         .first = 0,
                                         .count = job.draws,
                                         .dimension = run.dimension(),
                                         .facts = facts.empty() ? nullptr : facts.data(),
                                         .fact_count = static_cast<int>(run.fact_names().size())};
  if (!progress.is_shown()) return run.advance(job.draws, job.draws, window, execution);
  runtime::Counters counters;
  const double begin = now();
  std::uint32_t goal = 0;
  double segment = 1;
  while (goal < job.draws) {
    goal = static_cast<std::uint32_t>(std::min<double>(job.draws, goal + segment));
    const double segment_begin = now();
    counters.add(run.advance(goal, job.draws, window, execution));
    const double took = std::max(now() - segment_begin, 1e-6);
    segment = std::max(1.0, std::floor(segment * std::min(8.0, 0.25 / took)));
    const double made = static_cast<double>(goal) * static_cast<double>(job.chains);
    progress.show("sampling: " + std::to_string(goal) + " of " + std::to_string(job.draws) + " draws, " +
                  in_words(made / (now() - begin)) + " draws/s" +
                  progress.time_left(static_cast<double>(goal) / job.draws));
  }
  return counters;
}

// The same for chains that have their own tunings, one by one.
template <class Real>
void make_draws_of_each(const Job& job, std::vector<Real>& values, std::vector<Real>& facts, Report& report) {
  std::mutex mutex;
  runtime::for_each_on_threads(job.chains, job.execution.threads, [&](std::size_t c) {
    const Job one = job_of_chain(job, c);
    const auto run = make_run<Real>(one, mode_of_one_chain(one));
    const std::size_t fact_count = run->fact_names().size();
    run->start(one.starts);
    const auto counters = run->advance(job.draws, job.draws,
                                       {.data = values.data() + c * job.draws * job.parameters(),
                                        .first = 0,
                                        .count = job.draws,
                                        .dimension = run->dimension(),
                                        .facts = facts.data() + c * job.draws * fact_count,
                                        .fact_count = static_cast<int>(fact_count)},
                                       {.schedule = runtime::Schedule::lockstep_pack});
    const runtime::Facts noticed = run->facts();
    const std::lock_guard lock(mutex);
    report.counters.add(counters);
    report.facts.bad_starts += noticed.bad_starts;
    report.facts.events += noticed.events;
    if (report.facts.first_bad_start.empty()) report.facts.first_bad_start = noticed.first_bad_start;
  });
}

// The draws of number i of each draw's `size`.
template <class Real>
diagnostics::DrawsView<Real> view_of(const Job& job, const std::vector<Real>& values, std::size_t i, std::size_t size) {
  return {.data = values.data() + i,
          .chains = job.chains,
          .draws = job.draws,
          .chain_stride = static_cast<std::ptrdiff_t>(job.draws * size),
          .draw_stride = static_cast<std::ptrdiff_t>(size)};
}

// Adds what was found of one parameter, by chain: each keeps the parameter in which it stands apart most.
void add_apart(std::map<std::size_t, Apart>& all, const std::vector<diagnostics::ChainApart>& found,
               std::size_t parameter) {
  for (const diagnostics::ChainApart& chain : found) {
    const auto [place, is_new] = all.try_emplace(chain.chain, Apart{.chain = chain, .parameter = parameter});
    if (!is_new && chain.errors > place->second.chain.errors) place->second = {.chain = chain, .parameter = parameter};
  }
}

// Threads to summarize on: those of the job, as far as there are parameters and memory for them.
std::size_t summarizers_of(const Job& job, std::size_t parameters) {
  const double bytes = summarizer_bytes_per_draw * static_cast<double>(job.chains) * job.draws;
  const auto fitting = static_cast<std::size_t>(std::clamp(available_memory() / 2 / (bytes + 1), 1.0, 1e6));
  return std::min({runtime::thread_count(job.execution.threads), parameters, fitting});
}

template <class Real>
void summarize(const Job& job, const std::vector<Real>& values, Report& report, Progress& progress) {
  const std::size_t size = report.names.size();
  report.apart_limit = diagnostics::apart_limit(job.chains * size);
  report.summaries.resize(size);
  if (job.starts.superchains > 0) report.nested.resize(size);
  std::vector<std::vector<diagnostics::ChainApart>> of_parameter(size);
  std::size_t begun = 0;
  std::mutex mutex;
  const auto next = [&] {
    const std::scoped_lock lock(mutex);
    if (begun < size) {
      progress.show("summarizing: parameter " + std::to_string(begun + 1) + " of " + std::to_string(size));
    }
    return begun++;
  };
  const std::size_t summarizers = summarizers_of(job, size);
  runtime::for_each_on_threads(summarizers, static_cast<int>(summarizers), [&](std::size_t) {
    diagnostics::Summarizer summarizer;
    for (std::size_t i = next(); i < size; i = next()) {
      const auto view = view_of(job, values, i, size);
      report.summaries[i] = summarizer.summarize(view);
      of_parameter[i] = diagnostics::chains_apart(view, report.apart_limit);
      if (job.starts.superchains > 0) report.nested[i] = diagnostics::nested_rhat(view, job.starts.superchains);
    }
  });
  std::map<std::size_t, Apart> apart;
  for (std::size_t i = 0; i < size; ++i) add_apart(apart, of_parameter[i], i);
  for (const std::size_t chain : report.unmoved) apart.erase(chain);
  for (const auto& [chain, found] : apart) report.apart.push_back(found);
  std::stable_sort(report.apart.begin(), report.apart.end(),
                   [](const Apart& a, const Apart& b) { return a.chain.errors > b.chain.errors; });
}

// Of every draw, the `size` numbers that function(position, out) writes, all in double.
template <class Real, class Function>
std::vector<Real> of_each_draw(const Job& job, const std::vector<Real>& values, std::size_t size, Function function) {
  const breakstep::lanes::FlushToZero scope;
  std::vector<Real> results(job.chains * job.draws * size);
  std::vector<double> position(job.parameters()), out(size);
  auto next = results.begin();
  for (auto draw = values.begin(); draw != values.end(); draw += static_cast<std::ptrdiff_t>(position.size())) {
    std::copy_n(draw, position.size(), position.begin());
    function(position.data(), out.data());
    next = std::transform(out.begin(), out.end(), next, [](double x) { return static_cast<Real>(x); });
  }
  return results;
}

template <class Real>
void write_log_likelihood(const Job& job, const std::vector<Real>& values, const DrawFile& file) {
  const auto observations = static_cast<std::size_t>(job.target->observations());
  file.write(of_each_draw(job, values, observations,
                          [&](const double* x, double* out) { job.target->log_likelihood(x, out); }),
             {job.chains, job.draws, observations});
}

template <class Real>
Report run_job(const Job& job, const Mode& mode, const Outputs& outputs) {
  Progress progress;
  progress.show("sampling: 0 of " + std::to_string(job.draws) + " draws");
  runtime::Execution execution = job.execution;
  execution.schedule = mode.schedule;
  execution.step = mode.step;
  std::vector<Real> values(job.chains * job.draws * job.parameters());
  Report report;
  {
    const auto run = make_run<Real>(job, mode);
    const auto names = run->fact_names();
    std::vector<Real> facts(job.chains * job.draws * names.size());
    double begin = now();
    if (job.tunings.empty()) {
      run->start(job.starts);
      begin = now();
      report.counters = make_draws(*run, job, execution, values, facts, progress);
      report.facts = run->facts();
    } else {
      make_draws_of_each<Real>(job, values, facts, report);
    }
    report.seconds = now() - begin;
    report.bytes_per_chain = run->records().bytes_per_chain();
    report.bytes_per_lane = run->bytes_per_lane();
    if (!names.empty()) report.trajectories.push_back(about_trajectories(job, names, facts));
  }
  report.hash = runtime::hash_of(values);
  report.unmoved = diagnostics::unmoved_chains(values, job.chains, job.draws, job.parameters());
  if (outputs.log_likelihood) {
    progress.show("writing the log likelihoods");
    write_log_likelihood(job, values, *outputs.log_likelihood);
  }
  report.names = outputs.unconstrained ? job.target->coordinate_names() : job.target->reported_names();
  if (!outputs.unconstrained && !job.target->reports_draws()) {
    progress.show("computing what is reported");
    values = of_each_draw(job, values, report.names.size(),
                          [&](const double* x, double* out) { job.target->report(x, out); });
  }
  if (outputs.draws) {
    progress.show("writing the draws");
    outputs.draws->write(values, {job.chains, job.draws, report.names.size()});
  }
  summarize(job, values, report, progress);
  return report;
}

// Checks all that can be known before the first draw.
Outputs prepare(const Options& options, const Job& job) {
  if (options.force && !options.out && !options.log_likelihood && !options.warm_up.save_tuning) {
    throw breakstep::Error("--force without --out", "there is no file to replace", "leave it out");
  }
  if (options.log_likelihood && job.target->observations() == 0) {
    throw breakstep::Error("target " + job.target_name + " has no --log-likelihood",
                           "it does not give the likelihoods of single observations", "leave it out");
  }
  if (options.out && options.out == options.log_likelihood) {
    throw breakstep::Error("--out and --log-likelihood are both " + *options.out, "one would replace the other",
                           "give each its own file");
  }
  const auto numbers = [&](std::size_t size) {
    return static_cast<double>(job.chains) * job.draws * static_cast<double>(size) * (job.is_single ? 4 : 8);
  };
  const bool as_drawn = options.unconstrained || job.target->reports_draws();
  const double reported = as_drawn ? job.bytes_of_draws() : numbers(job.target->reported_names().size());
  const double log_likelihood =
      options.log_likelihood ? numbers(static_cast<std::size_t>(job.target->observations())) : 0;
  require_room(job, true, std::max(as_drawn ? 0 : reported, log_likelihood));
  Outputs outputs{.unconstrained = options.unconstrained, .draws = {}, .log_likelihood = {}};
  if (options.out) outputs.draws.emplace(*options.out, options.force, reported + 128);
  if (options.log_likelihood) {
    outputs.log_likelihood.emplace(*options.log_likelihood, options.force, log_likelihood + 128);
  }
  return outputs;
}

void require_free_choice(const Options& options, bool tunings_differ) {
  if (options.schedule || options.one_chain_at_a_time || options.step != "auto" || options.job.storage != "auto") {
    throw breakstep::Error("--auto with --schedule, --step, --storage or --one-chain-at-a-time",
                           "both say how to run the chains", "leave one of them out");
  }
  if (tunings_differ) {
    throw breakstep::Error("--auto with chains that have their own tunings", "they run one by one in any case",
                           "leave it out, or add --adapt pooled");
  }
}

// The mode that a pilot finds fastest; said on standard error, since it never changes a draw.
Mode fastest_mode_of(const Job& job) {
  constexpr double seconds = 1.5;
  Progress progress;
  progress.show("finding the fastest way to run");
  Mode mode = fastest_mode(job, seconds);
  progress.clear();
  std::fprintf(stderr, "runs as %s, %s storage\n", mode.name.c_str(),
               std::string(runtime::name_of(mode.storage)).c_str());
  return mode;
}

void run_sample(const Options& options) {
  Job job = read_job(options.job);
  Mode mode = mode_of(options, job);
  const auto plan = read_warm_up(options.warm_up, options.job, options.force, job);
  if (options.is_automatic) require_free_choice(options, !job.tunings.empty() || (plan && plan->of_each));
  const Outputs outputs = prepare(options, job);
  std::optional<WarmUpReport> warmed_up;
  if (plan) {
    Progress progress;
    progress.show("warming up");
    warmed_up = warm_up(job, mode, *plan);
  }
  if (options.is_automatic) mode = fastest_mode_of(job);
  Report report = job.is_single ? run_job<float>(job, mode, outputs) : run_job<double>(job, mode, outputs);
  report.warm_up = std::move(warmed_up);
  if (options.job.json) {
    // The JSON has R-hat but no place for these.
    std::fputs(warnings_of_chains(job, report).c_str(), stderr);
    write_to_stdout(json_of(job, report));
  } else {
    write_to_stdout(text_of(job, report));
  }
}

}  // namespace

void add_sample(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("sample", "Draw from a target with a sampler, and summarize the draws");
  const auto options = std::make_shared<Options>();
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  add_job_options(*verb, options->job);
  add_warm_up_options(*verb, options->warm_up);
  constexpr const char* how = "How (never changes a draw)";
  verb->add_option("--schedule", options->schedule, "lockstep, lockstep-skip, lockstep-pack or free (the default)")
      ->type_name("NAME")
      ->group(how);
  verb->add_option("--step", options->step,
                   "free: auto, switched, switched-amortized, bundled, bundled-amortized, gathered")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(how);
  verb->add_flag("--one-chain-at-a-time", options->one_chain_at_a_time, "The plain sampler, without SIMD over chains")
      ->group(how);
  verb->add_flag("--auto", options->is_automatic, "Find the fastest storage and schedule in a short pilot first")
      ->group(how);
  verb->add_option("--out", options->out, "Write the draws to this NumPy file, whole or not at all")
      ->type_name("FILE")
      ->group("Output");
  verb->add_option("--log-likelihood", options->log_likelihood,
                   "Write each observation's log likelihood at every draw to this NumPy file")
      ->type_name("FILE")
      ->group("Output");
  verb->add_flag("--force", options->force, "Replace these files if they exist")->group("Output");
  verb->add_flag("--unconstrained", options->unconstrained, "Report the coordinates that the sampler sees")
      ->group("Output");
  verb->callback([options] { run_sample(*options); });
}

}  // namespace breakstep_app
