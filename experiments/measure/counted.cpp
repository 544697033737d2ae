// Compiles the samplers that count.
#include "counted.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "breakstep/sampler/delayed_rejection.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/sampler/leapfrog.hpp"
#include "sampler_of.hpp"

namespace experiments {

using namespace breakstep;
using registry::ParameterOf;
using registry::SamplerOf;

namespace {

struct CountedEllipticalSlice : sampler::EllipticalSlice {
  static constexpr std::array<std::string_view, 1> fact_names = {"rounds"};
  static constexpr auto facts = [](auto& chains) {
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    return std::array{sampler::as_reals<Real>(chains.state.shrinks)};
  };
};

struct CountedDelayedRejection : sampler::DelayedRejection {
  static constexpr std::array<std::string_view, 1> fact_names = {"rounds"};
  static constexpr auto facts = [](auto& chains) {
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    return std::array{sampler::as_reals<Real>(chains.state.tries)};
  };
};

}  // namespace

std::unique_ptr<registry::AnySampler> make_counted(const std::string& name) {
  if (name == "elliptical_slice") {
    return std::make_unique<SamplerOf<CountedEllipticalSlice>>(std::vector<ParameterOf<CountedEllipticalSlice>>{});
  }
  if (name == "delayed_rejection") {
    using Sampler = CountedDelayedRejection;
    return std::make_unique<SamplerOf<Sampler>>(std::vector<ParameterOf<Sampler>>{
        {"scale", "standard deviation of a proposal", false, 0, [](const Sampler& s) { return s.scale; },
         [](Sampler& s, double v) { s.scale = v; }}});
  }
  return registry::make_sampler(name);
}

}  // namespace experiments
