// The built-in samplers whose chains learn from each other.
#pragma once

#include <memory>

#include "breakstep/registry/sampler.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_chees();
std::unique_ptr<AnySampler> make_meads();

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
