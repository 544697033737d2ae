// Posteriors of Gaussian-process hyperparameters.
#include "breakstep/target/gp_regression.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

target::GpRegression gp_regression(const TargetOptions& options) {
  return options.data.empty() ? target::GpRegression::synthetic(or_default(options.points, 100))
                              : target::GpRegression::read(options.data, options.points);
}

}  // namespace

std::vector<TargetEntry> gaussian_process_targets() {
  return {
      {.name = "gp_regression",
       .summary = "Gaussian-process hyperparameters (--points, default 100; --data with y last)",
       .has_prior = true,
       .can_simulate = true,
       .takes_points = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(gp_regression(o)); }},
      {.name = "gp_paper",
       .summary = "the same without logarithms, eight modes (--points, default 100; --data with y last)",
       .has_prior = true,
       .takes_points = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(target::GpPaper(gp_regression(o))); }},
      {.name = "gp_ess_effective",
       .summary = "gp_regression with its prior counted twice (--points, default 100; --data with y last)",
       .has_prior = true,
       .takes_points = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(target::GpEssEffective(gp_regression(o))); }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
