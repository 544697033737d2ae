// The warm-up of a job: its options, running it, and what is said about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "breakstep/runtime/warm_up.hpp"
#include "job.hpp"

namespace CLI {
class App;
}

namespace breakstep_app {

/// What stands on the command line.
struct WarmUpChoices {
  std::optional<std::string> draws, target_accept, metric;
};

void add_warm_up_options(CLI::App& verb, WarmUpChoices& choices);

/// What to do before the draws; none if nothing was asked for. Throws an Error for anything that makes no sense.
std::optional<breakstep::runtime::WarmUpOptions> read_warm_up(const WarmUpChoices& choices, const JobOptions& options,
                                                              const Job& job);

/// Runs it, and leaves the job tuned and its starts where the chains ended. A sampler without steps only makes draws
/// that are forgotten.
breakstep::runtime::WarmUp warm_up(Job& job, const Mode& mode, const breakstep::runtime::WarmUpOptions& options);

/// A line or two for a person, and warnings if it did not settle.
std::string words_of(const breakstep::runtime::WarmUp& warm_up, const breakstep::runtime::WarmUpOptions& options,
                     const Job& job);
/// An object for a program.
std::string json_of(const breakstep::runtime::WarmUp& warm_up, const Job& job);

}  // namespace breakstep_app
