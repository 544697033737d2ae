// Compiles the Metropolis-adjusted Langevin algorithm.
#include "breakstep/sampler/mala.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_mala() {
  using Sampler = sampler::Mala;
  return std::make_unique<SamplerOf<Sampler>>(
      std::vector<ParameterOf<Sampler>>{{"step_size", "size of a step; proposals have this standard deviation", false,
                                         0, [](const Sampler& s) { return static_cast<double>(s.step_size); },
                                         [](Sampler& s, double v) { s.step_size = v; }}});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
