// Draws a calibration as an SVG: one panel for each quantity, with its distribution of ranks and the band.
#include <algorithm>
#include <cmath>

#include "sbc_report.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

constexpr double panel_width = 260, panel_height = 150, gap = 16, left = 56, title_height = 20, top = 44, bottom = 34;
constexpr double widest_title = 1000;
constexpr std::size_t most_columns = 4;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return safe;
}

std::string number(double x) { return shown(x, 1, 'f'); }

std::string attribute(const std::string& name, const std::string& value) { return " " + name + "=\"" + value + "\""; }
std::string attribute(const std::string& name, double value) { return attribute(name, number(value)); }

std::string text_at(double x, double y, const std::string& anchor, const std::string& words,
                    const std::string& more = "") {
  return "<text" + attribute("x", x) + attribute("y", y) + attribute("text-anchor", anchor) + more + ">" +
         escaped(words) + "</text>\n";
}

/// Deviations of the distribution function from the uniform one, at all ranks but the last.
class Deviations {
 public:
  explicit Deviations(const SbcReport& report)
      : replicates_(static_cast<double>(report.options.replicates)),
        ranks_(static_cast<double>(report.options.draws) + 1) {}

  [[nodiscard]] double at(std::size_t k, double count) const {
    return count / replicates_ - (static_cast<double>(k) + 1) / ranks_;
  }
  [[nodiscard]] std::vector<double> of(const std::vector<std::uint32_t>& counts) const {
    std::vector<double> all;
    double sum = 0;
    for (std::size_t k = 0; k + 1 < counts.size(); ++k) all.push_back(at(k, sum += counts[k]));
    return all;
  }
  [[nodiscard]] std::vector<double> edge(const std::vector<std::uint32_t>& sums) const {
    std::vector<double> all;
    for (std::size_t k = 0; k < sums.size(); ++k) all.push_back(at(k, sums[k]));
    return all;
  }

 private:
  double replicates_, ranks_;
};

/// One panel's place and scale.
struct Panel {
  double x, y, greatest;
  std::size_t points;

  /// After `ranks` of all ranks.
  [[nodiscard]] std::string point(std::size_t ranks, double deviation) const {
    const double across = static_cast<double>(ranks) / static_cast<double>(points + 1);
    return number(x + across * panel_width) + "," + number(height(deviation)) + " ";
  }
  [[nodiscard]] double height(double deviation) const {
    return y + panel_height / 2 * (1 - std::clamp(deviation / greatest, -1.0, 1.0));
  }
};

std::string draw_panel(const Panel& panel, const SbcReport& report, std::size_t quantity) {
  const Deviations deviations(report);
  const auto lowest = deviations.edge(report.band.lowest), highest = deviations.edge(report.band.highest);
  const auto line = deviations.of(report.ranks.counts[quantity]);
  const bool inside = report.checks[quantity].is_inside;
  std::string band = panel.point(0, 0), path = band;
  for (std::size_t k = 0; k < panel.points; ++k) band += panel.point(k + 1, highest[k]);
  band += panel.point(panel.points + 1, 0);
  for (std::size_t k = panel.points; k-- > 0;) band += panel.point(k + 1, lowest[k]);
  for (std::size_t k = 0; k < panel.points; ++k) path += panel.point(k + 1, line[k]);
  path += panel.point(panel.points + 1, 0);
  const std::string title = text_at(panel.x, panel.y - 6, "start", report.ranks.names[quantity]) +
                            text_at(panel.x + panel_width, panel.y - 6, "end",
                                    (inside ? "p = " : "outside, p = ") + shown(report.checks[quantity].p, 2),
                                    inside ? "" : R"( class="outside")");
  const std::string frame = "<rect" + attribute("x", panel.x) + attribute("y", panel.y) +
                            attribute("width", panel_width) + attribute("height", panel_height) +
                            R"( fill="none" stroke="#bbb"/>)";
  const std::string zero = "<line" + attribute("x1", panel.x) + attribute("y1", panel.height(0)) +
                           attribute("x2", panel.x + panel_width) + attribute("y2", panel.height(0)) +
                           R"( stroke="#999"/>)";
  return title + frame + R"(<polygon fill="#d6e4f0")" + attribute("points", band) + "/>\n" + zero +
         R"(<polyline fill="none" stroke-width="1.5")" + attribute("stroke", inside ? "#1f5a94" : "#c0392b") +
         attribute("points", path) + "/>\n";
}

/// What all panels reach to: the band or the line that goes furthest, with some room.
double greatest_deviation(const SbcReport& report) {
  const Deviations deviations(report);
  double greatest = 0;
  const auto take = [&](const std::vector<double>& numbers) {
    for (const double x : numbers) greatest = std::max(greatest, std::fabs(x));
  };
  take(deviations.edge(report.band.lowest));
  take(deviations.edge(report.band.highest));
  for (const auto& counts : report.ranks.counts) take(deviations.of(counts));
  return 1.05 * greatest;
}

}  // namespace

std::string picture_of(const SbcReport& report) {
  const std::size_t count = report.ranks.names.size(), columns = std::min(most_columns, count);
  const std::size_t rows = (count + columns - 1) / columns;
  const auto place = [](std::size_t i, double size, double space) { return static_cast<double>(i) * (size + space); };
  const double row_gap = gap + title_height + 16;
  const double width = std::max(widest_title, left + place(columns, panel_width, gap));
  const double height = top + title_height + place(rows, panel_height, row_gap) - row_gap + bottom;
  const double greatest = greatest_deviation(report);
  std::string svg = R"(<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12")" +
                    attribute("width", width) + attribute("height", height) +
                    R"(><style>.outside { fill: #c0392b; font-weight: bold }</style>
<rect width="100%" height="100%" fill="white"/>
)";
  svg += text_at(left, 22, "start",
                 report.sampler_name + " on " + report.target_name + ": distribution of " +
                     std::to_string(report.options.replicates) + " ranks less the uniform one; bands hold for all at " +
                     shown(100 * (1 - report.false_alarm), 4) + " %",
                 R"( font-size="14")");
  for (std::size_t q = 0; q < count; ++q) {
    const Panel panel{.x = left + place(q % columns, panel_width, gap),
                      .y = top + title_height + place(q / columns, panel_height, row_gap),
                      .greatest = greatest,
                      .points = report.options.draws};
    svg += draw_panel(panel, report, q);
    if (q % columns == 0) {
      for (const double share : {-1.0, 0.0, 1.0}) {
        svg += text_at(panel.x - 5, panel.height(share * greatest) + 4, "end", shown(share * greatest, 2));
      }
    }
    svg += text_at(panel.x, panel.y + panel_height + 14, "start", "0", R"( fill="#777")");
    svg += text_at(panel.x + panel_width, panel.y + panel_height + 14, "end", std::to_string(report.options.draws),
                   R"( fill="#777")");
  }
  return svg + "</svg>\n";
}

}  // namespace breakstep_app
