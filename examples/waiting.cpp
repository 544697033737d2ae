// Draws the problem in one picture: chains in lock-step wait for the slowest at every draw; free chains never wait.
//
// Usage: waiting > waiting.svg. The number of loop iterations per draw is geometric, from the library's own streams.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/random.hpp"

namespace {

using namespace breakstep;

constexpr int chains = 8;
constexpr int draws = 12;
constexpr double unit = 7.0;  // picture width of one iteration
constexpr double row = 17.0;
constexpr double left = 86.0;

/// Iterations that each chain needs for each draw.
std::vector<std::vector<int>> iterations() {
  const lanes::FlushToZero scope;
  using Chains = lanes::Pack<std::uint64_t, chains>;
  std::vector<std::vector<int>> counts(chains, std::vector<int>(draws));
  for (std::uint64_t t = 0; t < draws; ++t) {
    const lanes::Stream<double, chains> stream(7, Chains::lane_numbers(), t);
    const auto waiting_time = stream.exponentials(0, 0)[0];
    for (int c = 0; c < chains; ++c) counts[c][t] = 1 + static_cast<int>(2.6 * waiting_time[c]);
  }
  return counts;
}

void box(double x, double y, double width, const char* style) {
  std::printf("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='%s'/>\n", x, y, width, row - 4, style);
}

void words(double x, double y, const char* style, const char* text) {
  std::printf("<text x='%.1f' y='%.1f' class='%s'>%s</text>\n", x, y, style, text);
}

/// One row per chain; each draw a box as long as its iterations, and in lock-step a hatched wait until the slowest is
/// done.
int draw_panel(const std::vector<std::vector<int>>& counts, double top, bool lockstep) {
  int end = 0;
  for (int c = 0; c < chains; ++c) {
    const double y = top + c * row;
    char name[32];
    std::snprintf(name, sizeof name, "chain %d", c + 1);
    words(left - 10, y + row - 7, "name", name);
    int at = 0;
    for (int t = 0; t < draws; ++t) {
      const int own = counts[c][t];
      box(left + at * unit, y, own * unit - 1, t % 2 == 0 ? "even" : "odd");
      int slowest = own;
      for (const auto& other : counts) slowest = std::max(slowest, other[t]);
      if (lockstep && slowest > own) box(left + (at + own) * unit, y, (slowest - own) * unit - 1, "wait");
      at += lockstep ? slowest : own;
    }
    end = std::max(end, at);
  }
  return end;
}

}  // namespace

int main() {
  const auto counts = iterations();
  int lockstep_length = 0, busy = 0;
  for (int t = 0; t < draws; ++t) {
    int slowest = 0;
    for (const auto& chain : counts) {
      slowest = std::max(slowest, chain[t]);
      busy += chain[t];
    }
    lockstep_length += slowest;
  }
  const double width = left + lockstep_length * unit + 20;
  const double panel = chains * row;
  std::printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif'>\n", width,
              2 * panel + 112);
  std::puts(
      "<style>.name{font-size:11px;text-anchor:end;fill:#333}.title{font-size:14px;font-weight:bold;fill:#111}"
      ".note{font-size:12px;fill:#333}.even{fill:#1f5fa8}.odd{fill:#7fb2e5}.wait{fill:url(#h)}</style>"
      "<defs><pattern id='h' width='5' height='5' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
      "<rect width='5' height='5' fill='#f4f4f4'/><line x1='0' y1='0' x2='0' y2='5' stroke='#bbb' stroke-width='2'/>"
      "</pattern></defs><rect width='100%' height='100%' fill='white'/>");
  words(left, 22, "title", "Lock-step: every draw lasts as long as its slowest chain");
  draw_panel(counts, 32, true);
  const double second = 32 + panel + 34;
  words(left, second - 10, "title", "Free running: every chain goes on as soon as it is done");
  const int free_length = draw_panel(counts, second, false);
  char note[160];
  std::snprintf(
      note, sizeof note,
      "%d chains, %d draws each: lock-step is busy %.0f %% of the time; free chains are done %.1f times sooner.",
      chains, draws, 100.0 * busy / (chains * lockstep_length), static_cast<double>(lockstep_length) / free_length);
  words(left, second + panel + 20, "note", note);
  words(left, second + panel + 36, "note",
        "Each box is one draw, its length the loop iterations it needs; hatched is waiting.");
  std::puts("</svg>");
  return 0;
}
