// What `sample` and `compare` have in common: which chains to run, read from the command line and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/options.hpp"
#include "breakstep/runtime/warm_up.hpp"

namespace CLI {
class App;
}

namespace breakstep_app {

/// What stands on the command line. Numbers are kept as text, so that our own words refuse them.
struct JobOptions {
  std::optional<std::string> sampler, target;
  std::vector<std::string> settings;  ///< "name=value"
  std::optional<std::string> dimension, points, data;
  std::string chains = "1024", draws = "1000", seed = "1", threads = "1";
  std::string precision = "double";
  std::string start = "normal", start_scale = "1";
  bool start_is_given = false;  ///< either of these stands on the command line
  std::optional<std::string> start_file, inverse_metric, superchains;
  std::string storage = "auto";
  bool no_skip = false, no_refill = false;
  std::string parking = "0";
  bool json = false;
};

/// A checked job.
struct Job {
  std::string sampler_name, target_name;
  std::unique_ptr<breakstep::registry::AnySampler> sampler;
  std::shared_ptr<const breakstep::registry::AnyTarget> target;
  std::size_t chains = 0;
  std::uint32_t draws = 0;  ///< of each chain
  std::uint64_t seed = 0;
  bool is_single = false;
  breakstep::runtime::Starts starts;
  breakstep::target::GaussianPrior metric;  ///< empty means unit
  breakstep::target::FlowNumbers flow;      ///< of a sampler that works through one; empty means the identity
  /// One for each chain, if they do not share the sampler's step size and the metric above.
  std::vector<breakstep::runtime::Tuning> tunings;
  breakstep::lanes::Storage storage{};
  breakstep::runtime::Execution execution;  ///< the part that all modes share

  [[nodiscard]] std::size_t parameters() const { return static_cast<std::size_t>(target->dimension()); }
  [[nodiscard]] double bytes_of_draws() const {
    return static_cast<double>(chains) * draws * static_cast<double>(parameters()) * (is_single ? 4 : 8);
  }
};

/// One way to execute a job; never changes a draw.
struct Mode {
  std::string name;
  breakstep::runtime::Schedule schedule{};
  breakstep::runtime::Step step{};
  breakstep::lanes::Storage storage{};
  bool one_chain_at_a_time = false;
};

/// Adds the options that describe a job.
void add_job_options(CLI::App& verb, JobOptions& options);

/// Adds only the options that name a target and its data.
void add_target_options(CLI::App& verb, JobOptions& options);

/// The target that the options name.
std::shared_ptr<const breakstep::registry::AnyTarget> read_target(const JobOptions& options);

/// Throws an Error for anything that makes no sense.
Job read_job(const JobOptions& options);

/// Names with hyphens, as messages and outputs write those of execution modes.
std::string with_hyphens(std::string name);

/// A run of the job, not started.
template <class Real>
std::unique_ptr<breakstep::runtime::Run<Real>> make_run(const Job& job, const Mode& mode) {
  return breakstep::registry::make_run<Real>(*job.sampler, job.target, mode.storage, job.seed, job.chains,
                                             mode.one_chain_at_a_time, job.metric, job.flow);
}

/// A sampler of the same kind and parameters as the job's.
std::unique_ptr<breakstep::registry::AnySampler> sampler_like(const Job& job);

/// A job of one of its chains, whose tuning is its own, and the mode that suits it: SIMD over its coordinates.
Job job_of_chain(const Job& job, std::size_t chain);
Mode mode_of_one_chain(const Job& job);

/// Every chain on its own way; what `sample` does unless told otherwise.
Mode free_mode(breakstep::lanes::Storage storage);

/// That a diagnostics::Summarizer keeps.
constexpr double summarizer_bytes_per_draw = 40;

/// Throws an Error with the numbers if the draws and what runs beside them would not fit into memory, or are too many
/// to summarize. `for_summary` adds what a summary needs; `more` are bytes beside the draws once these are made.
void require_room(const Job& job, bool for_summary, double more = 0);

}  // namespace breakstep_app
