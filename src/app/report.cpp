// What `breakstep sample` has found out, and how it is told.
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "choice.hpp"
#include "json.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace diagnostics = breakstep::diagnostics;

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

}  // namespace

std::string json_of(const Job& job, const Report& report) {
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
  return object.close() + "\n";
}

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

std::string text_of(const Job& job, const Report& report) {
  return table_of(report) + "\n" + facts_of(job, report) + warnings_of_chains(job, report) +
         warnings_of_summaries(job, report);
}

}  // namespace breakstep_app
