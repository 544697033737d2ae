// Posteriors of hierarchical models.
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/pilots.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::vector<TargetEntry> hierarchical_targets() {
  return {
      {.name = "eight_schools",
       .summary = "eight schools, centred: theta, mu and log tau",
       .make = [](const TargetOptions&) { return erase(target::EightSchools{}); }},
      {.name = "eight_schools_noncentred",
       .summary = "eight schools in standardised coordinates",
       .make = [](const TargetOptions&) { return erase(target::EightSchoolsNoncentred{}); }},
      {.name = "pilots",
       .summary = "crossed varying intercepts (--data with group_id, scenario_id, y)",
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             return erase(o.data.empty() ? target::Pilots::synthetic() : target::Pilots::read(o.data));
           }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
