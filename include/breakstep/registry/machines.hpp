// The programs that can be shown by name: those of the built-in samplers, and figures of the paper.
#pragma once

#include <string>
#include <vector>

#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

struct NamedProgram {
  std::string name;
  std::string summary;
  fsm::Tree (*tree)(fsm::Numbering);
  std::vector<std::string> block_names;
};

std::vector<NamedProgram> programs();

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
