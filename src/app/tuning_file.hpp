// Tunings as JSON: what a warm-up found, to be used again.
#pragma once

#include <string>
#include <vector>

#include "breakstep/runtime/warm_up.hpp"
#include "job.hpp"

namespace breakstep_app {

/// One tuning for all chains, or one for each.
std::string tuning_text(const Job& job, const std::vector<breakstep::runtime::Tuning>& tunings);

/// Throws an Error if the file cannot be read, is not such a file, or is of another sampler, target or number of
/// chains.
std::vector<breakstep::runtime::Tuning> read_tunings(const std::string& path, const Job& job);

/// The same for the job's flow, of a sampler that works through one.
std::string flow_text(const Job& job);
breakstep::target::FlowNumbers read_flow(const std::string& path, const Job& job);

}  // namespace breakstep_app
