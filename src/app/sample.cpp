// The verb `breakstep sample`: makes draws and summarizes them.
#include "sample.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/diagnostics/nested_rhat.hpp"
#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/diagnostics/trajectories.hpp"
#include "breakstep/runtime/sample.hpp"
#include "choice.hpp"
#include "draw_file.hpp"
#include "job.hpp"
#include "json.hpp"
#include "progress.hpp"
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
  std::optional<std::string> out;
  bool force = false;
};

// What a Hamiltonian sampler reports beside its draws, over all of them. NaN if it does not report that.
struct Trajectories {
  double accept_stat = NAN, leapfrogs = NAN, tree_depth = NAN, waiting_ratio = NAN, energy_fraction = NAN;
  std::uint64_t divergent = 0, deepest = 0;
  double depth_limit = NAN;
  std::size_t low_energy_fractions = 0;  ///< chains
};

// What is reported, of either precision.
struct Report {
  std::vector<std::string> names;
  std::vector<diagnostics::Summary> summaries;
  std::vector<double> nested;  ///< nested R-hat of each parameter, if chains form superchains
  double seconds = 0;
  runtime::Counters counters;
  runtime::Facts facts;
  std::uint64_t hash = 0;
  std::vector<Trajectories> trajectories;  ///< one element if the sampler reports on its trajectories, else none
};

Mode mode_of(const Options& options, const Job& job) {
  Mode mode;
  mode.one_chain_at_a_time = options.one_chain_at_a_time;
  // At width 1, the loops of one pack are the plain sampler.
  mode.schedule = mode.one_chain_at_a_time ? runtime::Schedule::lockstep_pack : runtime::Schedule::free_running;
  if (options.schedule) mode.schedule = runtime::parse_schedule(with_hyphens(*options.schedule));
  mode.step = runtime::parse_step(with_hyphens(options.step));
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

template <class Real>
diagnostics::DrawsView<Real> view_of(const Job& job, const std::vector<Real>& values, std::size_t parameter) {
  const std::size_t size = job.parameters();
  return {.data = values.data() + parameter,
          .chains = job.chains,
          .draws = job.draws,
          .chain_stride = static_cast<std::ptrdiff_t>(job.draws * size),
          .draw_stride = static_cast<std::ptrdiff_t>(size)};
}

template <class Real>
std::vector<diagnostics::Summary> summarize(const Job& job, const std::vector<Real>& values, Progress& progress) {
  diagnostics::Summarizer summarizer;
  std::vector<diagnostics::Summary> summaries;
  const std::size_t size = job.parameters();
  for (std::size_t i = 0; i < size; ++i) {
    progress.show("summarizing: parameter " + std::to_string(i + 1) + " of " + std::to_string(size));
    summaries.push_back(summarizer.summarize(view_of(job, values, i)));
  }
  return summaries;
}

// Chains of fewer draws say too little about their energies one by one.
constexpr std::uint32_t draws_for_energy = 50;
constexpr double low_energy_fraction = 0.3;

template <class Real>
Trajectories about_trajectories(const Job& job, const std::vector<std::string>& names, const std::vector<Real>& facts) {
  Trajectories about;
  const auto view_of = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    const auto count = static_cast<std::ptrdiff_t>(names.size());
    return diagnostics::DrawsView<Real>{.data = at == count ? nullptr : facts.data() + at,
                                        .chains = job.chains,
                                        .draws = job.draws,
                                        .chain_stride = static_cast<std::ptrdiff_t>(job.draws) * count,
                                        .draw_stride = count};
  };
  const auto for_each = [&](const std::string& name, auto visit) {
    const auto view = view_of(name);
    if (view.data == nullptr) return;
    for (std::size_t i = 0; i < job.chains * job.draws; ++i) {
      visit(static_cast<double>(view.data[static_cast<std::ptrdiff_t>(i) * view.draw_stride]));
    }
  };
  const auto mean_of = [&](const std::string& name) {
    double sum = 0;
    for_each(name, [&](double x) { sum += x; });
    return view_of(name).data == nullptr ? NAN : sum / (static_cast<double>(job.chains) * job.draws);
  };
  about.accept_stat = mean_of("accept_stat");
  about.leapfrogs = mean_of("leapfrogs");
  about.tree_depth = mean_of("tree_depth");
  for_each("divergent", [&](double x) { about.divergent += x > 0 ? 1 : 0; });
  for (const auto& parameter : job.sampler->parameters()) {
    if (parameter.name == "max_depth") about.depth_limit = parameter.value;
  }
  for_each("tree_depth", [&](double x) { about.deepest += x == about.depth_limit ? 1 : 0; });
  if (const auto view = view_of("leapfrogs"); view.data != nullptr) {
    about.waiting_ratio = diagnostics::waiting_ratio(view);
  }
  if (const auto view = view_of("energy"); view.data != nullptr && job.draws >= draws_for_energy) {
    auto fractions = diagnostics::energy_fractions(view);
    about.low_energy_fractions = static_cast<std::size_t>(
        std::count_if(fractions.begin(), fractions.end(), [](double x) { return !(x >= low_energy_fraction); }));
    std::nth_element(fractions.begin(), fractions.begin() + static_cast<std::ptrdiff_t>(fractions.size() / 2),
                     fractions.end());
    about.energy_fraction = fractions[fractions.size() / 2];
  }
  return about;
}

template <class Real>
Report run_job(const Job& job, const Mode& mode, const std::optional<DrawFile>& file) {
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
    run->start(job.starts);
    const double begin = now();
    report.counters = make_draws(*run, job, execution, values, facts, progress);
    report.seconds = now() - begin;
    report.facts = run->facts();
    if (!names.empty()) report.trajectories.push_back(about_trajectories(job, names, facts));
  }
  if (file) {
    progress.show("writing the draws");
    file->write(values, {job.chains, job.draws, job.parameters()});
  }
  report.names = job.target->parameter_names();
  report.summaries = summarize(job, values, progress);
  for (std::size_t i = 0; job.starts.superchains > 0 && i < job.parameters(); ++i) {
    report.nested.push_back(diagnostics::nested_rhat(view_of(job, values, i), job.starts.superchains));
  }
  report.hash = runtime::hash_of(values);
  return report;
}

double draws_per_second(const Job& job, const Report& report) {
  return static_cast<double>(job.chains) * job.draws / report.seconds;
}

double evaluations_per_second(const Report& report) {
  return static_cast<double>(report.counters.evaluations_asked) / report.seconds;
}

std::string hash_text(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

// `warm_up` is an object of JSON, or empty.
std::string json_of(const Job& job, const Report& report, const std::string& warm_up) {
  JsonArray parameters;
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const diagnostics::Summary& s = report.summaries[i];
    JsonObject parameter;
    parameter.add("name", report.names[i])
        .add("mean", s.mean)
        .add("sd", s.sd)
        .add("mcse_mean", s.mcse_mean)
        .add("mcse_sd", s.mcse_sd)
        .add("q5", s.q5)
        .add("q50", s.q50)
        .add("q95", s.q95)
        .add("rhat", s.rhat)
        .add("ess_bulk", s.ess_bulk)
        .add("ess_tail", s.ess_tail);
    if (!report.nested.empty()) parameter.add("nested_rhat", report.nested[i]);
    parameters.add(parameter.close());
  }
  JsonObject object;
  object.raw("parameters", parameters.close())
      .add("chains", job.chains)
      .add("draws", job.draws)
      .add("seconds", report.seconds)
      .add("draws_per_second", draws_per_second(job, report))
      .add("evaluations_per_second", evaluations_per_second(report))
      .add("occupancy", report.counters.occupancy())
      .add("draws_hash", hash_text(report.hash));
  for (const Trajectories& about : report.trajectories) {
    object.raw("trajectories", JsonObject()
                                   .add("accept_stat", about.accept_stat)
                                   .add("leapfrogs", about.leapfrogs)
                                   .add("tree_depth", about.tree_depth)
                                   .add("divergent", about.divergent)
                                   .add("deepest", about.deepest)
                                   .add("ebfmi", about.energy_fraction)
                                   .add("R", about.waiting_ratio)
                                   .close());
  }
  if (!warm_up.empty()) object.raw("warm_up", warm_up);
  return object.close() + "\n";
}

std::string table_of(const Report& report) {
  std::vector<std::string> heading = {"", "mean", "sd", "mcse", "5 %", "50 %", "95 %", "R-hat", "bulk ESS", "tail ESS"};
  if (!report.nested.empty()) heading.emplace_back("nested R-hat");
  Table table(heading);
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const diagnostics::Summary& s = report.summaries[i];
    std::vector<std::string> row = {
        report.names[i], shown(s.mean, 4), shown(s.sd, 4),        shown(s.mcse_mean, 2),     shown(s.q5, 4),
        shown(s.q50, 4), shown(s.q95, 4),  shown(s.rhat, 3, 'f'), shown(s.ess_bulk, 0, 'f'), shown(s.ess_tail, 0, 'f')};
    if (!report.nested.empty()) row.push_back(shown(report.nested[i], 4, 'f'));
    table.add(std::move(row));
  }
  return table.text();
}

std::string trajectories_of(const Report& report) {
  std::string text;
  for (const Trajectories& about : report.trajectories) {
    text += "mean acceptance " + shown(about.accept_stat, 3);
    if (!std::isnan(about.leapfrogs)) text += ", " + shown(about.leapfrogs, 4) + " leapfrog steps per draw";
    if (!std::isnan(about.tree_depth)) text += " (mean tree depth " + shown(about.tree_depth, 3) + ")";
    if (about.waiting_ratio > 1.001) {
      text += "; in lock-step every draw would wait for " + shown(about.waiting_ratio, 3) + " times as many";
    }
    text += "\n";
    if (!std::isnan(about.energy_fraction)) text += "median E-BFMI " + shown(about.energy_fraction, 3) + "\n";
  }
  return text;
}

std::string facts_of(const Job& job, const Report& report) {
  return std::to_string(job.chains) + (job.chains == 1 ? " chain" : " chains") + " of " + std::to_string(job.draws) +
         (job.draws == 1 ? " draw" : " draws") + " in " + shown(report.seconds, 3) +
         " s: " + in_words(draws_per_second(job, report)) + " draws/s, " + in_words(evaluations_per_second(report)) +
         " evaluations/s\n" + shown(100 * report.counters.occupancy(), 3) +
         " % of the lanes that evaluated the density had a chain that asked\n" + trajectories_of(report);
}

// What the chains did that neither summaries nor draws show.
std::string warnings_of_chains(const Job& job, const Report& report) {
  std::string text;
  if (report.facts.bad_starts > 0) {
    std::vector<std::string> position;
    for (const double x : report.facts.first_bad_start) position.push_back(shown(x, 4));
    if (position.size() > 8) position.erase(position.begin() + 8, position.end()), position.emplace_back("...");
    text += "warning: " + std::to_string(report.facts.bad_starts) + " of " + std::to_string(job.chains) +
            " chains started where the density is zero, infinite or undefined, first at (";
    for (std::size_t i = 0; i < position.size(); ++i) text += (i == 0 ? "" : ", ") + position[i];
    text += "): try a smaller --start-scale\n";
  }
  for (const Trajectories& about : report.trajectories) {
    const double draws = static_cast<double>(job.chains) * job.draws;
    if (about.divergent > 0) {
      text += "warning: " + std::to_string(about.divergent) + " draws (" +
              shown(100 * static_cast<double>(about.divergent) / draws, 3) +
              " %) had a divergent trajectory, so parts of the target may be missed: try a smaller step_size (--set)\n";
    }
    if (about.deepest > 0) {
      text += "warning: " + std::to_string(about.deepest) + " draws (" +
              shown(100 * static_cast<double>(about.deepest) / draws, 3) +
              " %) reached max_depth: their trajectories were cut short; try a larger step_size or max_depth (--set)\n";
    }
    if (about.low_energy_fractions > 0) {
      text += "warning: E-BFMI of " + std::to_string(about.low_energy_fractions) + " of " + std::to_string(job.chains) +
              " chains is below 0.3: energies move slowly; the target may have heavy tails or a funnel\n";
    }
  }
  if (report.facts.events > 0 && report.trajectories.empty()) {
    const double share = static_cast<double>(report.facts.events) / (static_cast<double>(job.chains) * job.draws);
    text += "warning: " + std::to_string(report.facts.events) + " draws (" + shown(100 * share, 3) +
            " %) stayed where they were because a loop of the sampler reached its limit: if that is often, raise the "
            "limit with --set (see breakstep list)\n";
  }
  return text;
}

std::string warnings_of_summaries(const Job& job, const Report& report) {
  const auto names_where = [&](auto condition) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < report.names.size(); ++i) {
      if (condition(report.summaries[i])) names.push_back(report.names[i]);
    }
    if (names.size() > 8) names.erase(names.begin() + 8, names.end()), names.emplace_back("others");
    return names;
  };
  std::string text;
  const auto undefined = names_where([](const auto& s) { return std::isnan(s.mean); });
  if (!undefined.empty()) {
    text += "warning: some draws of " + listed(undefined, "and") +
            " are infinite or undefined: nothing can be said about them\n";
  }
  const auto apart = names_where([](const auto& s) { return s.rhat > 1.01; });
  if (!apart.empty()) {
    text += "warning: R-hat of " + listed(apart, "and") +
            " is above 1.01, so the chains do not agree yet: make more draws, or start closer\n";
  }
  const bool no_rhat =
      std::all_of(report.summaries.begin(), report.summaries.end(), [](const auto& s) { return std::isnan(s.rhat); });
  if (no_rhat && undefined.empty()) {
    text += job.draws < 4 ? "warning: too few draws to tell whether the chains agree: make at least 4 of each chain\n"
            : job.chains < 2 ? "warning: one chain cannot tell whether it has converged: run at least 2\n"
                             : "warning: all draws are equal, so nothing tells whether the chains agree\n";
  }
  return text;
}

void run_sample(const Options& options) {
  Job job = read_job(options.job);
  const Mode mode = mode_of(options, job);
  const auto how_to_warm_up = read_warm_up(options.warm_up, options.job, job);
  if (options.force && !options.out) {
    throw breakstep::Error("--force without --out", "there is no file to replace", "leave it out");
  }
  require_room(job, true);
  std::optional<DrawFile> file;
  if (options.out) file.emplace(*options.out, options.force, job.bytes_of_draws() + 128);
  std::optional<runtime::WarmUp> warmed_up;
  if (how_to_warm_up) {
    Progress progress;
    progress.show("warming up");
    warmed_up = warm_up(job, mode, *how_to_warm_up);
  }
  const Report report = job.is_single ? run_job<float>(job, mode, file) : run_job<double>(job, mode, file);
  if (options.job.json) {
    // The JSON has R-hat but no place for these.
    std::fputs(warnings_of_chains(job, report).c_str(), stderr);
    write_to_stdout(json_of(job, report, warmed_up ? json_of(*warmed_up, job) : ""));
  } else {
    const std::string about_warm_up = warmed_up ? words_of(*warmed_up, *how_to_warm_up, job) : "";
    write_to_stdout(table_of(report) + "\n" + about_warm_up + facts_of(job, report) + warnings_of_chains(job, report) +
                    warnings_of_summaries(job, report));
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
  verb->add_option("--step", options->step, "free: auto, switched, switched-amortized, bundled, bundled-amortized")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(how);
  verb->add_flag("--one-chain-at-a-time", options->one_chain_at_a_time, "The plain sampler, without SIMD over chains")
      ->group(how);
  verb->add_option("--out", options->out, "Write the draws to this NumPy file, whole or not at all")
      ->type_name("FILE")
      ->group("Output");
  verb->add_flag("--force", options->force, "Replace that file if it exists")->group("Output");
  verb->callback([options] { run_sample(*options); });
}

}  // namespace breakstep_app
