// The warm-up of a sampler that works through a flow: its options, training the flow, and what is said about it.
#pragma once

#include <optional>
#include <string>

#include "breakstep/runtime/transport_warm_up.hpp"
#include "job.hpp"

namespace CLI {
class App;
}

namespace breakstep_app {

/// What stands on the command line.
struct FlowChoices {
  std::optional<std::string> kind, loss, activation;
  [[nodiscard]] bool any() const { return kind || loss || activation; }
};

void add_flow_options(CLI::App& verb, FlowChoices& choices);

/// Tells the job's sampler what kind of flow was asked for. Throws an Error for names that do not exist, and for any at
/// all if the sampler has no flow.
void read_flow_choices(const FlowChoices& choices, Job& job);

/// What to do in a warm-up of so many draws.
breakstep::runtime::TransportOptions transport_options(const Job& job, std::uint32_t draws);

/// Runs it in the job's precision.
breakstep::runtime::TransportWarmUp train_flow(const Job& job, const Mode& mode,
                                               const breakstep::runtime::TransportOptions& options);

/// What is said about it: to a person, what to warn of, and to a program.
std::string words_of_flow(const breakstep::runtime::TransportWarmUp& result,
                          const breakstep::runtime::TransportOptions& options);
std::string warnings_of_flow(const breakstep::runtime::TransportWarmUp& result,
                             const breakstep::runtime::TransportOptions& options);
std::string json_of_flow(const breakstep::runtime::TransportWarmUp& result);

}  // namespace breakstep_app
