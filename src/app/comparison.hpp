// What `breakstep compare` has measured, and how it is reported.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "breakstep/runtime/counters.hpp"
#include "job.hpp"

namespace breakstep_app {

/// One mode of execution, after all its rounds.
struct Measured {
  Mode mode;
  std::vector<double> seconds;  ///< of each round
  breakstep::runtime::Counters counters;
  bool same_bits = true;  ///< as one chain at a time, in every round
};

struct Comparison {
  double draws = 0;  ///< of all chains together, in each mode
  int loops = 0;     ///< of the sampler's program
  std::vector<Measured> modes;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Throws if a mode's draws differ: then breakstep itself is wrong, whatever it was asked.
inline void require_same_bits(const Comparison& comparison) {
  std::string names;
  for (const Measured& measured : comparison.modes) {
    if (!measured.same_bits) names += (names.empty() ? "" : ", ") + measured.mode.name;
  }
  if (!names.empty()) throw std::logic_error("the draws of " + names + " differ from those of one chain at a time");
}

/// Rounds of the loop that lock-step executes over those that chains want: R(m) of the paper. Only a program with one
/// loop has this one number.
std::optional<double> waiting_ratio(const Comparison& comparison);

/// Evaluations that lock-step executes over those that chains ask for: what running free can save.
double evaluation_ratio(const Comparison& comparison);

std::string json_of(const Comparison& comparison);
std::string text_of(const Comparison& comparison);

}  // namespace breakstep_app
