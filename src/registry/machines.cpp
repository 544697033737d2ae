// The programs that can be shown by name.
#include "breakstep/registry/machines.hpp"

#include "breakstep/fsm/paper.hpp"
#include "breakstep/sampler/chees.hpp"
#include "breakstep/sampler/delayed_rejection.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/sampler/hmc.hpp"
#include "breakstep/sampler/mala.hpp"
#include "breakstep/sampler/meads.hpp"
#include "breakstep/sampler/nuts.hpp"
#include "breakstep/sampler/slice.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {
namespace {

template <class... Parts>
NamedProgram named(const char* name, const char* summary, const fsm::Program<Parts...>& program) {
  const auto names = program.names();
  return {name, summary, &fsm::tree_of<Parts...>, {names.begin(), names.end()}};
}

}  // namespace

std::vector<NamedProgram> programs() {
  return {
      named("chees", "HMC with the trajectories of ChEES", sampler::Chees::program),
      named("delayed_rejection", "symmetric delayed-rejection Metropolis-Hastings", sampler::DelayedRejection::program),
      named("delayed_rejection_condensed", "the same as one state", sampler::DelayedRejectionCondensed::program),
      named("delayed_rejection_unrolled", "the same with the loop's body cut into four states",
            sampler::DelayedRejectionUnrolled::program),
      named("elliptical_slice", "elliptical slice sampling", sampler::EllipticalSlice::program),
      named("hmc", "Hamiltonian Monte Carlo", sampler::Hmc::program),
      named("mala", "Metropolis-adjusted Langevin algorithm", sampler::Mala::program),
      named("meads", "generalized HMC as MEADS runs it", sampler::Meads::program),
      named("slice", "slice sampling, one loop expands both ends", sampler::Slice::program),
      named("slice_two_loops", "slice sampling, each end expanded in its own loop", sampler::SliceTwoLoops::program),
      named("transport_slice", "elliptical slice sampling in the coordinates of a flow",
            sampler::EllipticalSlice::program),
      named("nuts", "the No-U-Turn sampler, inner loop a repeat", sampler::Nuts::program),
      named("nuts_while", "the paper's No-U-Turn sampler with a while inside (a figure, not a sampler here)",
            fsm::paper::nuts_while),
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
