// Compiles HMC with the trajectories of ChEES.
#include "breakstep/sampler/chees.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_chees() {
  using Sampler = sampler::Chees;
  return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"step_size", "size of a leapfrog step", false, 0, [](const Sampler& s) { return s.step_size; },
       [](Sampler& s, double v) { s.step_size = v; }},
      {"trajectory", "length of the longest trajectory; draws take shares of it from Halton's sequence", false, 0,
       [](const Sampler& s) { return s.trajectory; }, [](Sampler& s, double v) { s.trajectory = v; }},
      {"max_steps", "leapfrog steps of a draw at most", true, 1,
       [](const Sampler& s) { return static_cast<double>(s.max_steps); },
       [](Sampler& s, double v) { s.max_steps = static_cast<int>(v); }},
      {"max_energy_error", "a step that gains this much energy is divergent", false, 0,
       [](const Sampler& s) { return s.max_energy_error; }, [](Sampler& s, double v) { s.max_energy_error = v; }},
      {"price", "of length: the warm-up climbs criterion/length^price; 0 as published, 0.6 for heavy tails", false, 0,
       [](const Sampler& s) { return s.price; }, [](Sampler& s, double v) { s.price = v; }, 0, true},
      {"keep_proposals", "1 to keep proposals in the chains' records, where the warm-up reads them", true, 0,
       [](const Sampler& s) { return s.keep_proposals ? 1.0 : 0.0; },
       [](Sampler& s, double v) { s.keep_proposals = v != 0; }, 1}});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
