// Posteriors of hierarchical models.
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/pilots.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Target>
Target schools(const TargetOptions& options) {
  return options.data.empty() ? Target() : Target::read(options.data);
}

}  // namespace

std::vector<TargetEntry> hierarchical_targets() {
  return {
      {.name = "eight_schools",
       .summary = "eight schools, centred: theta, mu and tau (--data with y, sigma)",
       .can_simulate = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(schools<target::EightSchools>(o)); }},
      {.name = "eight_schools_noncentred",
       .summary = "eight schools in standardised coordinates (--data with y, sigma)",
       .can_simulate = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(schools<target::EightSchoolsNoncentred>(o)); }},
      {.name = "pilots",
       .summary = "crossed varying intercepts (--data with group_id, scenario_id, y)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             return erase(o.data.empty() ? target::Pilots::synthetic() : target::Pilots::read(o.data));
           }},
      {.name = "pilots_code",
       .summary = "pilots as the paper's program has it: raw scales (--data with group_id, scenario_id, y)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             return erase(o.data.empty() ? target::PilotsAsCoded::synthetic() : target::PilotsAsCoded::read(o.data));
           }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
