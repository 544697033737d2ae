// Posteriors of models in time: differential equations and switching regimes.
#include "breakstep/target/google_stock.hpp"
#include "breakstep/target/predator_prey.hpp"
#include "breakstep/target/soil.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

std::unique_ptr<AnyTarget> soil_as_coded(const TargetOptions& options, target::SoilAsCoded::Grid grid) {
  using target::SoilAsCoded;
  return erase(target::Differentiated(options.data.empty() ? SoilAsCoded::synthetic(grid)
                                                           : SoilAsCoded::read(options.data, grid)));
}

}  // namespace

std::vector<TargetEntry> series_targets() {
  return {
      {.name = "soil",
       .summary = "two carbon pools, solved exactly (--data with t, eco2_mean)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             return erase(o.data.empty() ? target::Soil::synthetic() : target::Soil::read(o.data));
           }},
      {.name = "soil_code",
       .summary = "soil as the paper's program has it: Euler's method, raw coordinates (--data with t, eco2_mean)",
       .takes_data = true,
       .make = [](const TargetOptions& o) { return soil_as_coded(o, target::SoilAsCoded::Grid::even); }},
      {.name = "soil_code_scan",
       .summary = "the same with one step between measurements (--data with t, eco2_mean)",
       .takes_data = true,
       .make = [](const TargetOptions& o) { return soil_as_coded(o, target::SoilAsCoded::Grid::times); }},
      {.name = "google_stock",
       .summary = "returns that switch between two regimes (--points, default 200; --data with log_return)",
       .takes_points = true,
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             using target::GoogleStock;
             return erase(o.data.empty() ? GoogleStock::synthetic(or_default(o.points, 200))
                                         : GoogleStock::read(o.data, o.points));
           }},
      {.name = "predator_prey",
       .summary = "Lotka-Volterra equations and yearly counts (--data with hare, lynx)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             return erase(o.data.empty() ? target::PredatorPrey::synthetic() : target::PredatorPrey::read(o.data));
           }},
      {.name = "predator_prey_code",
       .summary = "predator_prey as the paper's program has it: one state for all years (--data with hare, lynx)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             using target::PredatorPreyAsCoded;
             return erase(o.data.empty() ? PredatorPreyAsCoded::synthetic() : PredatorPreyAsCoded::read(o.data));
           }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
