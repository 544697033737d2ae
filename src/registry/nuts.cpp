// Compiles the no-U-turn sampler.
#include "breakstep/sampler/nuts.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_nuts() {
  using Sampler = sampler::Nuts;
  return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"step_size", "size of a leapfrog step", false, 0,
       [](const Sampler& s) { return static_cast<double>(s.step_size); },
       [](Sampler& s, double v) { s.step_size = v; }},
      {"max_depth", "doublings of a trajectory at most", true, 0,
       [](const Sampler& s) { return static_cast<double>(s.max_depth); },
       [](Sampler& s, double v) { s.max_depth = static_cast<int>(v); }, Sampler::most_doublings},
      {"max_energy_error", "a step that gains this much energy is divergent", false, 0,
       [](const Sampler& s) { return static_cast<double>(s.max_energy_error); },
       [](Sampler& s, double v) { s.max_energy_error = v; }},
      {"stan_criterion", "1 to look for turns between sub-trees, too, as Stan does", true, 0,
       [](const Sampler& s) { return s.stan_criterion ? 1.0 : 0.0; },
       [](Sampler& s, double v) { s.stan_criterion = v != 0; }, 1}});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
