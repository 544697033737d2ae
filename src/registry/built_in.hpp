// The built-in samplers, each compiled in a file of its own.
#pragma once

#include <memory>

#include "breakstep/registry/sampler.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_chees();
std::unique_ptr<AnySampler> make_delayed_rejection();
std::unique_ptr<AnySampler> make_delayed_rejection_condensed();
std::unique_ptr<AnySampler> make_delayed_rejection_unrolled();
std::unique_ptr<AnySampler> make_elliptical_slice();
std::unique_ptr<AnySampler> make_hmc();
std::unique_ptr<AnySampler> make_mala();
std::unique_ptr<AnySampler> make_meads();
std::unique_ptr<AnySampler> make_nuts();
std::unique_ptr<AnySampler> make_slice();
std::unique_ptr<AnySampler> make_slice_two_loops();
std::unique_ptr<AnySampler> make_transport_slice();

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
