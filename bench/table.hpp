// Times contestants in interleaved rounds and prints one table: median rate, spread, and the ratio to the first
// contestant.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One row of a table: `run` does the work once and `items` says how many things that was.
struct Contestant {
  std::string name;
  double items = 0;
  std::function<void()> run;
};

struct Timing {
  double median = 0;  ///< items per second
  double low = 0;     ///< slowest round
  double high = 0;    ///< fastest round
};

struct Effort {
  int rounds = 7;
  double seconds_per_round = 0.05;
};

/// The effort asked for on the command line: `--rounds N` and `--seconds S` per round.
inline Effort effort_from(int argc, char** argv, Effort effort = {}) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--rounds") effort.rounds = std::max(1, std::atoi(argv[i + 1]));
    if (option == "--seconds") effort.seconds_per_round = std::atof(argv[i + 1]);
  }
  return effort;
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Rate of one contestant over at least `seconds`.
inline double rate_over(const Contestant& contestant, double seconds) {
  double done = 0;
  const double start = seconds_now();
  double elapsed = 0;
  do {
    contestant.run();
    done += contestant.items;
    elapsed = seconds_now() - start;
  } while (elapsed < seconds);
  return done / elapsed;
}

/// Rounds go through all contestants before any has its second turn, so that a machine that slows down slows all of
/// them.
inline std::vector<Timing> time_interleaved(const std::vector<Contestant>& contestants, const Effort& effort) {
  std::vector<std::vector<double>> rates(contestants.size());
  for (const Contestant& contestant : contestants) contestant.run();  // warm caches and pages
  for (int round = 0; round < effort.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      rates[i].push_back(rate_over(contestants[i], effort.seconds_per_round));
    }
  }
  std::vector<Timing> timings;
  for (auto& own : rates) {
    std::sort(own.begin(), own.end());
    timings.push_back({own[own.size() / 2], own.front(), own.back()});
  }
  return timings;
}

/// Prints a heading and one line per contestant; rates in millions per second.
inline void print_table(const std::string& heading, const std::vector<Contestant>& contestants, const Effort& effort) {
  const auto timings = time_interleaved(contestants, effort);
  std::printf("%s\n", heading.c_str());
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Timing& t = timings[i];
    std::printf("  %-24s %10.1f M/s   (%.1f to %.1f)   %s is %.2f x\n", contestants[i].name.c_str(), t.median / 1e6,
                t.low / 1e6, t.high / 1e6, contestants[0].name.c_str(), timings[0].median / t.median);
  }
}

}  // namespace bench
