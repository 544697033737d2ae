// Compiles the three forms of delayed rejection.
#include "breakstep/sampler/delayed_rejection.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Sampler>
std::unique_ptr<AnySampler> make() {
  return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"scale", "standard deviation of a proposal", false, 0, [](const Sampler& s) { return s.scale; },
       [](Sampler& s, double v) { s.scale = v; }},
      {"max_tries", "proposals per draw before the chain stays where it is", true, 1,
       [](const Sampler& s) { return s.max_tries; }, [](Sampler& s, double v) { s.max_tries = static_cast<int>(v); }}});
}

}  // namespace

std::unique_ptr<AnySampler> make_delayed_rejection() { return make<sampler::DelayedRejection>(); }
std::unique_ptr<AnySampler> make_delayed_rejection_condensed() { return make<sampler::DelayedRejectionCondensed>(); }
std::unique_ptr<AnySampler> make_delayed_rejection_unrolled() { return make<sampler::DelayedRejectionUnrolled>(); }

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
