// What `breakstep sample` tells a person.
#include "report.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "choice.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace diagnostics = breakstep::diagnostics;

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

// Bars of leapfrog steps per draw, unless all draws have about the same number.
std::string histogram_of(const Trajectories& about) {
  if (std::count_if(about.histogram.begin(), about.histogram.end(), [](auto count) { return count > 0; }) < 2)
    return "";
  const auto most = *std::max_element(about.histogram.begin(), about.histogram.end());
  const auto all = std::accumulate(about.histogram.begin(), about.histogram.end(), std::uint64_t{0});
  Table table({"leapfrog steps", "draws", ""});
  for (std::size_t k = 0; k < about.histogram.size(); ++k) {
    const std::uint64_t first = k == 0 ? 0 : std::uint64_t{1} << (k - 1), count = about.histogram[k];
    if (k == 0 && count == 0) continue;
    constexpr std::uint64_t width = 40;
    std::string bar(static_cast<std::size_t>((count * width + most - 1) / most), '#');
    bar.resize(width, ' ');
    table.add({k < 2 ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(2 * first - 1),
               shown(100 * static_cast<double>(count) / static_cast<double>(all), 1, 'f') + " %", bar});
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
    text += histogram_of(about);
  }
  return text;
}

std::string unmoved_warning(const Job& job, const Report& report) {
  if (report.unmoved.empty()) return "";
  std::vector<std::string> names;
  for (const std::size_t chain : report.unmoved) {
    if (names.size() < chains_named) names.push_back(std::to_string(chain));
  }
  if (report.unmoved.size() > chains_named) names.emplace_back("others");
  return "warning: " + std::to_string(report.unmoved.size()) + " of " + std::to_string(job.chains) +
         " chains never moved: " + listed(names, "and") + "\n";
}

std::string apart_warning(const Job& job, const Report& report) {
  if (report.apart.empty()) return "";
  std::string text = "warning: " + std::to_string(report.apart.size()) + " of " + std::to_string(job.chains) +
                     " chains stand apart, with means more than " + shown(report.apart_limit, 3) +
                     " Monte Carlo standard errors from the median of all (by chance in one run of 100):\n";
  for (std::size_t i = 0; i < std::min(report.apart.size(), chains_named); ++i) {
    const diagnostics::ChainApart& chain = report.apart[i].chain;
    text += "  chain " + std::to_string(chain.chain) + ": " + report.names[report.apart[i].parameter] + " has mean " +
            shown(chain.mean, 4) + ", the median is " + shown(chain.median, 4) + ", " + shown(chain.errors, 3) +
            " errors away\n";
  }
  return text;
}

std::string facts_of(const Job& job, const Report& report) {
  return std::to_string(job.chains) + (job.chains == 1 ? " chain" : " chains") + " of " + std::to_string(job.draws) +
         (job.draws == 1 ? " draw" : " draws") + " in " + shown(report.seconds, 3) +
         " s: " + in_words(draws_per_second(job, report)) + " draws/s, " + in_words(evaluations_per_second(report)) +
         " evaluations/s\n" + shown(100 * report.counters.occupancy(), 3) +
         " % of the lanes that evaluated the density had a chain that asked\n" +
         std::to_string(report.bytes_per_chain) + " bytes are kept of each chain, " +
         std::to_string(report.bytes_per_lane) + " are in use by each lane\n" + trajectories_of(report);
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

std::string warnings_of_chains(const Job& job, const Report& report) {
  std::string text = report.warm_up ? report.warm_up->warnings : "";
  if (report.facts.bad_starts > 0) {
    std::vector<std::string> position;
    for (const double x : report.facts.first_bad_start) position.push_back(shown(x, 4));
    if (position.size() > 8) position.erase(position.begin() + 8, position.end()), position.emplace_back("...");
    text += "warning: " + std::to_string(report.facts.bad_starts) + " of " + std::to_string(job.chains) +
            " chains started where the density is zero, infinite or undefined, first at (";
    for (std::size_t i = 0; i < position.size(); ++i) text += (i == 0 ? "" : ", ") + position[i];
    text += "): try a smaller --start-scale\n";
  }
  text += unmoved_warning(job, report);
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
  return table_of(report) + "\n" + (report.warm_up ? report.warm_up->words : "") + facts_of(job, report) +
         warnings_of_chains(job, report) + apart_warning(job, report) + warnings_of_summaries(job, report);
}

}  // namespace breakstep_app
