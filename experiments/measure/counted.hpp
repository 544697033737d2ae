// Samplers with one loop that tell, beside each draw, how often it went round.
#pragma once

#include <memory>
#include <string>

#include "breakstep/registry/sampler.hpp"

namespace experiments {

/// Elliptical slice sampling or delayed rejection with the fact "rounds"; any other sampler as it is. The draws are
/// those of the sampler of that name.
std::unique_ptr<breakstep::registry::AnySampler> make_counted(const std::string& name);

}  // namespace experiments
