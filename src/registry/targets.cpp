// The list of built-in targets.
#include "targets.hpp"

#include <string>

#include "names.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

const std::vector<TargetEntry>& targets() {
  static const std::vector<TargetEntry> list = [] {
    std::vector<TargetEntry> all;
    for (const auto& group : {analytic_targets(), gaussian_process_targets(), regression_targets(),
                              hierarchical_targets(), series_targets()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return list;
}

std::unique_ptr<AnyTarget> make_target(const TargetEntry& entry, const TargetOptions& options) {
  const auto require = [&](bool holds, const char* option, const char* why) {
    if (holds) return;
    throw Error("target " + std::string(entry.name) + " takes no " + option, why,
                "leave it out, or see breakstep list");
  };
  require(entry.takes_dimension || options.dimension == 0, "--dimension", "it has one size only");
  require(entry.takes_points || options.points == 0, "--points", "it has one size only");
  require(entry.takes_data || options.data.empty(), "--data", "it is given by a formula alone");
  return entry.make(options);
}

std::unique_ptr<AnyTarget> make_target(std::string_view name, const TargetOptions& options) {
  return make_target(find_entry(targets(), name, "target"), options);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
