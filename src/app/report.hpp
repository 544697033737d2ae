// What `breakstep sample` has found out, and how it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "breakstep/diagnostics/chains.hpp"
#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/runtime/engine.hpp"
#include "job.hpp"
#include "trajectories.hpp"
#include "warm_up.hpp"

namespace breakstep_app {

/// A chain whose mean stands apart, in the parameter where it does so most.
struct Apart {
  breakstep::diagnostics::ChainApart chain;
  std::size_t parameter;
};

/// What is reported, of either precision.
struct Report {
  std::vector<std::string> names;
  std::vector<breakstep::diagnostics::Summary> summaries;
  std::vector<double> nested;  ///< nested R-hat of each parameter, if chains form superchains
  double seconds = 0;
  breakstep::runtime::Counters counters;
  breakstep::runtime::Facts facts;
  std::uint64_t hash = 0;
  std::size_t bytes_per_chain = 0;   ///< kept of every chain from draw to draw
  std::size_t bytes_per_lane = 0;    ///< of a chain at work, its record's copy included
  std::vector<std::size_t> unmoved;  ///< chains
  std::vector<Apart> apart;          ///< the furthest first; without unmoved ones
  double apart_limit = 0;            ///< standard errors
  std::optional<WarmUpReport> warm_up;
  std::vector<Trajectories> trajectories;  ///< one element if the sampler reports on its trajectories, else none
};

/// Of chains that are somehow strange, so many are named: more would hide what else is told.
inline constexpr std::size_t chains_named = 4;

inline double draws_per_second(const Job& job, const Report& report) {
  return static_cast<double>(job.chains) * job.draws / report.seconds;
}
inline double evaluations_per_second(const Report& report) {
  return static_cast<double>(report.counters.evaluations_asked) / report.seconds;
}

/// As JSON, and as what a person reads.
std::string json_of(const Job& job, const Report& report);
std::string text_of(const Job& job, const Report& report);

/// What the chains did that neither summaries nor draws show; empty if nothing.
std::string warnings_of_chains(const Job& job, const Report& report);

}  // namespace breakstep_app
