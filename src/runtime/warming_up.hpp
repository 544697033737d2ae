// What every kind of warm-up needs: the clock, its reading of a run's facts, and the judgement of starts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/runtime/engine.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of an even number, the upper one.
inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Where a fact of this name stands; names.size() if there is none.
inline std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Copies what a run noticed about its starts to the facts of a warm-up.
template <class WarmUpFacts>
void note_starts(const Facts& noticed, WarmUpFacts& facts) {
  facts.bad_starts = noticed.bad_starts;
  facts.retried_starts = noticed.retried_starts;
  facts.first_bad_start = noticed.first_bad_start;
}

/// Throws Error if every one of the chains has a start at which the density cannot be computed.
inline void require_usable_start(const Facts& noticed, std::size_t chains) {
  if (noticed.bad_starts < chains) return;
  throw Error(
      "no chain has a usable start",
      "the density is zero, infinite or undefined at all " + std::to_string(noticed.bad_starts) + " first positions",
      "give starts nearer to where the target has its mass");
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
