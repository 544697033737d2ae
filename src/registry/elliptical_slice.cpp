// Compiles elliptical slice sampling.
#include "breakstep/sampler/elliptical_slice.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_elliptical_slice() {
  using Sampler = sampler::EllipticalSlice;
  return std::make_unique<SamplerOf<Sampler>>(
      std::vector<ParameterOf<Sampler>>{{"max_shrinks", "shrinks per draw before the chain stays where it is", true, 1,
                                         [](const Sampler& s) { return s.max_shrinks; },
                                         [](Sampler& s, double v) { s.max_shrinks = static_cast<int>(v); }}});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
