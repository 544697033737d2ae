// The list of built-in samplers.
#include "breakstep/registry/sampler.hpp"
#include "built_in.hpp"
#include "names.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

const std::vector<SamplerEntry>& samplers() {
  static const std::vector<SamplerEntry> list = {
      {"chees", "HMC with one trajectory length, learnt from many chains (Hoffman, Radul, Sountsov 2021)", make_chees},
      {"delayed_rejection", "symmetric delayed-rejection Metropolis-Hastings (Mira 2001)", make_delayed_rejection},
      {"delayed_rejection_condensed", "the same as one state", make_delayed_rejection_condensed},
      {"delayed_rejection_unrolled", "the same with the loop's body cut into four states",
       make_delayed_rejection_unrolled},
      {"elliptical_slice", "elliptical slice sampling (Murray, Adams, MacKay 2010); the target needs a Gaussian prior",
       make_elliptical_slice},
      {"hmc", "Hamiltonian Monte Carlo, with a fixed or jittered number of steps", make_hmc},
      {"mala", "Metropolis-adjusted Langevin algorithm", make_mala},
      {"meads", "generalized HMC whose chains follow each other in folds (Hoffman, Sountsov 2022)", make_meads},
      {"nuts", "no-U-turn sampler (Hoffman, Gelman 2014), multinomial (Betancourt 2017)", make_nuts},
      {"slice", "slice sampling along a line (Neal 2003), one loop expands the bracket", make_slice},
      {"slice_two_loops", "the same with a loop for each end of the bracket", make_slice_two_loops},
      {"transport_slice",
       "elliptical slice through a flow that the warm-up trains (Cabezas, Nemeth 2023); for any target",
       make_transport_slice},
  };
  return list;
}

std::unique_ptr<AnySampler> make_sampler(std::string_view name) {
  return find_entry(samplers(), name, "sampler").make();
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
