// HMC and MALA: moments against known answers, and broken variants that the same test rejects.
#include "breakstep/sampler/hmc.hpp"

#include <gtest/gtest.h>

#include "../support/bowl.hpp"
#include "../support/careless_hmc.hpp"
#include "breakstep/sampler/mala.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::Hmc;
using sampler::Mala;
using test_support::Bowl;

template <class Sampler>
double worst_moment(const Sampler& sampler, std::uint32_t draws) {
  const Bowl bowl{{0.5, 1.5}};
  const auto result = sample(sampler, bowl, {.chains = 4096, .draws = draws, .seed = 5, .threads = 0});
  std::vector<Known> known;
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = bowl.scales[i];
    known.push_back({"mean", 0, [i](const double* x) { return x[i]; }});
    known.push_back({"variance", s * s, [i](const double* x) { return x[i] * x[i]; }});
    known.push_back({"upper tail", 0.5 * std::erfc(1.5 / std::sqrt(2.0)),
                     [i, s](const double* x) { return x[i] > 1.5 * s ? 1.0 : 0.0; }});
  }
  return worst_z(result, draws / 2, known);
}

TEST(Hmc, MomentsWithFixedAndJitteredLengths) {
  EXPECT_LT(worst_moment(Hmc{.step_size = 0.4, .steps = 3}, 60), limit);
  EXPECT_LT(worst_moment(Hmc{.step_size = 0.4, .steps = 6, .jitter = 1.0}, 60), limit);
}
TEST(Mala, Moments) { EXPECT_LT(worst_moment(Mala{.step_size = 0.5}, 400), limit); }

TEST(Hmc, BrokenNothingRejected) {
  EXPECT_GT(worst_moment(test_support::CarelessHmc{{.step_size = 0.9, .steps = 4}}, 60), limit);
}

/// Accepts by the densities alone, as if proposals were symmetric.
struct Symmetric : Mala {
  static constexpr auto program =
      fsm::program(fsm::block("propose", Mala::propose, fsm::density, [](auto& lanes_at_work, auto where) {
        auto& s = lanes_at_work.state;
        const auto uniform = lanes_at_work.stream().uniforms(0U, Mala::choice)[0];
        const auto moving = where & (log(uniform) < s.answer - s.log_density).mask();
        assign(moving, s.x, s.request);
        assign(moving, s.gradient, s.answer_gradient);
        assign(moving, s.log_density, s.answer);
      }));
};
TEST(Mala, BrokenSymmetricAcceptance) { EXPECT_GT(worst_moment(Symmetric{{.step_size = 0.5}}, 400), limit); }

TEST(Hmc, JitterSpreadsTheNumberOfSteps) {
  const auto draws = sample(Hmc{.step_size = 0.1, .steps = 8, .jitter = 0.5}, Bowl{{1.0}}, {.chains = 64, .draws = 64});
  std::array<int, 10> seen{};
  for (std::size_t i = 0; i < 64U * 64U; ++i) ++seen[static_cast<std::size_t>(draws.draw_facts[i * 6 + 2])];
  for (std::size_t n = 0; n < seen.size(); ++n) {
    EXPECT_EQ(seen[n] > 0, n >= 5 && n <= 8) << n << " steps were made " << seen[n] << " times";
  }
}

}  // namespace
