// The warm-up of a job: its options, running it, and what is said about it.
#pragma once

#include <optional>
#include <string>

#include "breakstep/runtime/warm_up.hpp"
#include "draw_file.hpp"
#include "job.hpp"
#include "transport.hpp"

namespace CLI {
class App;
}

namespace breakstep_app {

/// What stands on the command line.
struct WarmUpChoices {
  std::optional<std::string> draws, target_accept, metric, adapt, tuning, save_tuning;
  FlowChoices flow;
};

void add_warm_up_options(CLI::App& verb, WarmUpChoices& choices);

/// A checked warm-up.
struct WarmUpPlan {
  breakstep::runtime::WarmUpOptions options;
  bool of_each = false;                                           ///< every chain finds its own tuning, as with Stan
  std::optional<DrawFile> save_to;                                ///< where the tuning goes
  std::optional<breakstep::runtime::TransportOptions> transport;  ///< of a sampler that works through a flow, instead
};

/// What to do before the draws; none if nothing was asked for. Throws an Error for anything that makes no sense. Gives
/// the job the tuning of a file, if one is named.
std::optional<WarmUpPlan> read_warm_up(const WarmUpChoices& choices, const JobOptions& options, bool may_replace,
                                       Job& job);

/// What --target-accept says, or what is usual for the sampler. Throws an Error if it is no share, and if either option
/// stands for a sampler that aims at none.
double acceptance_to_aim_at(const Job& job, const std::optional<std::string>& given, bool metric_is_given);

/// A warning of chains that found no usable start; empty if there are none.
std::string warning_of_starts(std::uint64_t bad, const breakstep::runtime::Starts& starts);

/// What is said about a warm-up: to a person, what to warn of, and to a program.
struct WarmUpReport {
  std::string words, warnings, json;
};

/// Runs it, and leaves the job tuned and its starts where the chains ended. A sampler without steps only makes draws
/// that are forgotten.
WarmUpReport warm_up(Job& job, const Mode& mode, const WarmUpPlan& plan);

/// Tunes a job that several modes will run, as the options say, and returns whether they asked for that; nothing is
/// reported. Throws an Error if its chains would have their own tunings, because such chains run one by one in any
/// mode.
bool warm_up_for_all_modes(const WarmUpChoices& choices, const JobOptions& options, Job& job);

}  // namespace breakstep_app
