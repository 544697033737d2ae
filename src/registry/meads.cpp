// Compiles generalized HMC as MEADS runs it.
#include "breakstep/sampler/meads.hpp"

#include "breakstep/runtime/meads.hpp"
#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

using Sampler = sampler::Meads;

void set_damping(Sampler& sampler, double damping) {
  if (damping > 1) throw Error("parameter 'damping' cannot be " + spelled(damping), "it is a share", "give at most 1");
  sampler.damping = damping;
}

void set_folds(Sampler& sampler, double folds) {
  if (folds == 1) throw Error("parameter 'folds' cannot be 1", "a fold would follow itself", "give at least 2, or 0");
  sampler.folds = static_cast<int>(folds);
}

}  // namespace

std::unique_ptr<AnySampler> make_meads() {
  constexpr int most_folds = 1000;
  auto sampler = std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"folds", "groups of chains; each takes steps, damping and scales from another; 0 if they are fixed", true, 0,
       [](const Sampler& s) { return static_cast<double>(s.folds); }, set_folds, most_folds},
      {"step_size", "size of a leapfrog step, one per draw, if fixed", false, 0,
       [](const Sampler& s) { return s.step_size; }, [](Sampler& s, double v) { s.step_size = v; }},
      {"damping", "share of the momentum's variance that a draw renews, at most 1, if fixed", false, 0,
       [](const Sampler& s) { return s.damping; }, set_damping},
      {"draws_before", "draws of a warm-up; the more, the less damping there may be", true, 0,
       [](const Sampler& s) { return s.draws_before; }, [](Sampler& s, double v) { s.draws_before = v; }},
      {"max_energy_error", "a step that gains this much energy is divergent", false, 0,
       [](const Sampler& s) { return s.max_energy_error; }, [](Sampler& s, double v) { s.max_energy_error = v; }}});
  sampler->set("folds", runtime::usual_folds);
  return sampler;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
