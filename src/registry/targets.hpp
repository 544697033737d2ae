// The built-in targets in groups, each compiled in a file of its own because targets are slow to compile.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "target_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::vector<TargetEntry> analytic_targets();
std::vector<TargetEntry> gaussian_process_targets();
std::vector<TargetEntry> regression_targets();
std::vector<TargetEntry> hierarchical_targets();
std::vector<TargetEntry> series_targets();

template <class Target>
std::unique_ptr<AnyTarget> erase(Target target) {
  return std::make_unique<TargetOf<Target>>(std::move(target));
}

/// The number asked for, or `usual` if none was.
inline int or_default(int asked, int usual) { return asked > 0 ? asked : usual; }

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
