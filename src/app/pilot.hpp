// Pilot: short runs of a job in several ways, from which `breakstep advise` and `sample --auto` choose one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "job.hpp"

namespace breakstep_app {

/// One way to run a job, and how fast it was.
struct Trial {
  Mode mode;
  bool is_single = false;
  std::size_t chains = 0;
  double draws_per_second = 0;
  double evaluations_per_second = 0;  ///< of those asked for
  double evaluation_ratio = 1;        ///< executed over asked
};

/// What to leave open.
struct PilotOptions {
  double seconds = 5;
  bool precision_is_open = true;
  bool chains_are_open = true;
  /// The job tuned in single precision (true) or double, as a run in that precision would tune it; empty if its tuning
  /// does not depend on that.
  std::function<Job(bool is_single)> tuned_in = {};
};

struct Advice {
  Trial best;                        ///< with the job's chains, or with as many as the pilot could afford
  std::vector<Trial> precisions;     ///< the better storage of each precision; one if it was given
  std::vector<Trial> storages;       ///< of the precision chosen
  std::vector<Trial> schedules;      ///< lockstep first
  std::vector<Trial> chain_numbers;  ///< ascending
  std::size_t chains = 0;            ///< recommended
  double resolution = 0;             ///< standard deviation of log density between precisions, at draws
  bool single_is_fine = false;
  double speedup = 1;            ///< over lockstep with the job's chains, as predicted
  double evaluation_ratio = 1;   ///< of lockstep with the job's chains, as predicted
  bool is_extrapolated = false;  ///< the pilot had fewer chains than the job
  double least_ess_per_draw = 0;
  std::string least_parameter;  ///< that has it
  double seconds = 0;           ///< that the pilot took
};

/// Runs the job's sampler and target for about so many seconds. It must be tuned.
Advice run_pilot(const Job& given, const PilotOptions& options);

/// Which storage, schedule and step run the job fastest; its precision and chains are as given.
Mode fastest_mode(const Job& job, double seconds);

}  // namespace breakstep_app
