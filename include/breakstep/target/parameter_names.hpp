// Names of parameters: scalars by themselves, vectors as "b[0]", "b[1]", ….
#pragma once

#include <string>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Appends name[0] … name[count − 1].
inline void append_names(std::vector<std::string>& names, const std::string& name, int count) {
  for (int i = 0; i < count; ++i) names.push_back(name + "[" + std::to_string(i) + "]");
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
