// Compiles Hamiltonian Monte Carlo.
#include "breakstep/sampler/hmc.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::unique_ptr<AnySampler> make_hmc() {
  using Sampler = sampler::Hmc;
  return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"step_size", "size of a leapfrog step", false, 0,
       [](const Sampler& s) { return static_cast<double>(s.step_size); },
       [](Sampler& s, double v) { s.step_size = v; }},
      {"steps", "leapfrog steps of a draw", true, 1, [](const Sampler& s) { return static_cast<double>(s.steps); },
       [](Sampler& s, double v) { s.steps = static_cast<int>(v); }},
      {"jitter", "share of the steps that a draw may do without, from 0 to 1", false, 0,
       [](const Sampler& s) { return static_cast<double>(s.jitter); }, [](Sampler& s, double v) { s.jitter = v; }, 0,
       true},
      {"max_energy_error", "a step that gains this much energy is divergent", false, 0,
       [](const Sampler& s) { return static_cast<double>(s.max_energy_error); },
       [](Sampler& s, double v) { s.max_energy_error = v; }}});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
