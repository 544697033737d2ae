// Compiles the two forms of slice sampling.
#include "breakstep/sampler/slice.hpp"

#include "built_in.hpp"
#include "sampler_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Sampler>
std::unique_ptr<AnySampler> make() {
  return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
      {"width", "first guess of the slice's size, and the step of its expansion", false, 0,
       [](const Sampler& s) { return s.width; }, [](Sampler& s, double v) { s.width = v; }},
      {"max_steps", "steps of the expansion, both ends together", true, 1, [](const Sampler& s) { return s.max_steps; },
       [](Sampler& s, double v) { s.max_steps = static_cast<int>(v); }},
      {"max_shrinks", "shrinks per draw before the chain stays where it is", true, 1,
       [](const Sampler& s) { return s.max_shrinks; },
       [](Sampler& s, double v) { s.max_shrinks = static_cast<int>(v); }},
      {"coordinate", "1 to search along a random coordinate, 0 along a random direction", true, 0,
       [](const Sampler& s) { return s.line == sampler::Line::coordinate ? 1.0 : 0.0; },
       [](Sampler& s, double v) { s.line = v != 0 ? sampler::Line::coordinate : sampler::Line::direction; }}});
}

}  // namespace

std::unique_ptr<AnySampler> make_slice() { return make<sampler::Slice>(); }
std::unique_ptr<AnySampler> make_slice_two_loops() { return make<sampler::SliceTwoLoops>(); }

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
