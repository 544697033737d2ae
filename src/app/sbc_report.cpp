// What is said about a calibration: tables for a person, JSON for a program.
#include "sbc_report.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "json.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace calibration = breakstep::calibration;
namespace diagnostics = breakstep::diagnostics;

constexpr std::size_t most_bins = 20;
constexpr double bin_false_alarm = 0.01;

/// Ranks [first, last) of a bin, and how many replicates it should hold.
struct Bin {
  std::size_t first, last;
  std::uint32_t lowest, highest;
};

std::vector<Bin> bins_of(const SbcReport& report) {
  const std::size_t ranks = report.options.draws + 1, count = std::min(most_bins, ranks);
  const diagnostics::UniformRanks uniform(report.options.replicates, report.options.draws);
  std::vector<Bin> bins;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t first = b * ranks / count, last = (b + 1) * ranks / count;
    const auto [lowest, highest] = uniform.bin_interval(last - first, bin_false_alarm);
    bins.push_back({first, last, lowest, highest});
  }
  return bins;
}

std::uint32_t count_in(const Bin& bin, const std::vector<std::uint32_t>& counts) {
  return std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(bin.first),
                         counts.begin() + static_cast<std::ptrdiff_t>(bin.last), std::uint32_t{0});
}

std::string histograms(const SbcReport& report) {
  const auto bins = bins_of(report);
  const auto row = [&](const std::string& name, auto cell) {
    std::vector<std::string> cells{name};
    for (const Bin& bin : bins) cells.push_back(cell(bin));
    return cells;
  };
  Table table(row("ranks from", [](const Bin& bin) { return std::to_string(bin.first) + " "; }));
  for (std::size_t q = 0; q < report.ranks.names.size(); ++q) {
    table.add(row(report.ranks.names[q], [&](const Bin& bin) {
      const auto count = count_in(bin, report.ranks.counts[q]);
      return std::to_string(count) + (count < bin.lowest || count > bin.highest ? "*" : " ");
    }));
  }
  table.add(row("99 % from", [](const Bin& bin) { return std::to_string(bin.lowest) + " "; }));
  table.add(row("to", [](const Bin& bin) { return std::to_string(bin.highest) + " "; }));
  return table.text();
}

std::string verdict(const SbcReport& report) {
  const std::string size = std::to_string(report.checks.size());
  const std::size_t outside = report.outside();
  return (outside == 0 ? "all " + size + " quantities are inside their bands"
                       : std::to_string(outside) + " of " + size + " quantities left their bands") +
         "; if all is right, any leaves its band in at most " + shown(100 * report.false_alarm, 3) + " % of runs\n";
}

std::string array_of(const std::vector<std::uint32_t>& numbers) {
  JsonArray array;
  for (const auto number : numbers) array.add(std::to_string(number));
  return array.close();
}

}  // namespace

std::size_t SbcReport::outside() const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const auto& check) { return !check.is_inside; }));
}

SbcReport judged(std::string sampler_name, std::string target_name, calibration::Options options,
                 calibration::Ranks ranks, double false_alarm) {
  SbcReport report{.sampler_name = std::move(sampler_name),
                   .target_name = std::move(target_name),
                   .options = std::move(options),
                   .ranks = std::move(ranks),
                   .false_alarm = false_alarm,
                   .band = {},
                   .checks = {}};
  const diagnostics::UniformRanks uniform(report.options.replicates, report.options.draws);
  report.band = uniform.band(false_alarm / static_cast<double>(report.ranks.names.size()));
  for (const auto& counts : report.ranks.counts) report.checks.push_back(uniform.check(counts, report.band));
  return report;
}

std::string text_of(const SbcReport& report) {
  Table table({"", "p", "largest deviation", "worth", "verdict"});
  for (std::size_t q = 0; q < report.checks.size(); ++q) {
    const auto& check = report.checks[q];
    table.add({report.ranks.names[q], shown(check.p, 2), shown(check.largest_deviation, 3, 'f'),
               shown(report.ranks.worth[q], 2, 'f'), check.is_inside ? "inside" : "outside"});
  }
  const auto& options = report.options;
  return table.text() + "\n" + histograms(report) + "\n" + std::to_string(options.replicates) + " replicates of " +
         std::to_string(options.chains) + (options.chains == 1 ? " chain" : " chains") + " in " +
         shown(report.ranks.seconds, 3) + " s; ranks are among " + std::to_string(options.draws) + " draws" +
         (options.thin > 1 ? ", one of every " + std::to_string(options.thin) + " of a chain" : "") + "\n" +
         verdict(report);
}

std::string warnings_of(const SbcReport& report) {
  constexpr double little = 0.5;
  std::string text;
  const auto least = std::min_element(report.ranks.worth.begin(), report.ranks.worth.end());
  if (*least < little) {
    text += "warning: a draw of " + report.ranks.names[static_cast<std::size_t>(least - report.ranks.worth.begin())] +
            " is worth " + shown(*least, 2) +
            " independent ones, so its ranks stray further than the band allows for: try a larger --thin\n";
  }
  if (report.ranks.bad_starts > 0) {
    text += "warning: " + std::to_string(report.ranks.bad_starts) +
            " chains started where the density is zero, infinite or undefined\n";
  }
  if (report.ranks.events > 0) {
    const auto& options = report.options;
    const std::size_t of_each = (options.draws + options.chains - 1) / options.chains * options.thin;
    const auto made = static_cast<double>(options.replicates * options.chains * of_each);
    text += "warning: " + std::to_string(report.ranks.events) + " draws (" +
            shown(100 * static_cast<double>(report.ranks.events) / made, 2) +
            " %) diverged or stayed where they were because a loop of the sampler reached its limit\n";
  }
  return text;
}

std::string json_of(const SbcReport& report) {
  JsonArray quantities;
  const auto bins = bins_of(report);
  for (std::size_t q = 0; q < report.checks.size(); ++q) {
    const auto& check = report.checks[q];
    std::vector<std::uint32_t> binned(bins.size());
    std::transform(bins.begin(), bins.end(), binned.begin(),
                   [&](const Bin& bin) { return count_in(bin, report.ranks.counts[q]); });
    quantities.add(JsonObject()
                       .add("name", report.ranks.names[q])
                       .add("inside", check.is_inside)
                       .add("p", check.p)
                       .add("largest_deviation", check.largest_deviation)
                       .add("worth", report.ranks.worth[q])
                       .raw("bins", array_of(binned))
                       .raw("counts", array_of(report.ranks.counts[q]))
                       .close());
  }
  const auto& options = report.options;
  return JsonObject()
             .add("sampler", report.sampler_name)
             .add("target", report.target_name)
             .add("replicates", options.replicates)
             .add("chains", options.chains)
             .add("draws", options.draws)
             .add("thin", options.thin)
             .add("warmup", options.warm_up.draws)
             .add("seed", options.seed)
             .add("false_alarm", report.false_alarm)
             .add("inside", report.outside() == 0)
             .add("outside", report.outside())
             .add("bad_starts", report.ranks.bad_starts)
             .add("events", report.ranks.events)
             .add("seconds", report.ranks.seconds)
             .raw("quantities", quantities.close())
             .raw("band", JsonObject()
                              .raw("lowest", array_of(report.band.lowest))
                              .raw("highest", array_of(report.band.highest))
                              .close())
             .close() +
         "\n";
}

}  // namespace breakstep_app
