// ChEES-HMC: moments against known answers, a broken variant that the same test rejects, and how long trajectories are.
#include "breakstep/sampler/chees.hpp"

#include <gtest/gtest.h>

#include "../support/bowl.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::Chees;
using sampler::Hmc;
using test_support::Bowl;

const Bowl bowl{{0.5, 1.5}};

std::vector<Known> moments_of_bowl() {
  std::vector<Known> known;
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = bowl.scales[i];
    known.push_back({"mean", 0, [i](const double* x) { return x[i]; }});
    known.push_back({"variance", s * s, [i](const double* x) { return x[i] * x[i]; }});
    known.push_back({"upper tail", 0.5 * std::erfc(1.5 / std::sqrt(2.0)),
                     [i, s](const double* x) { return x[i] > 1.5 * s ? 1.0 : 0.0; }});
  }
  return known;
}

/// 6 functions with |z| < 5: a right sampler fails once in 290,000 runs, were the seed not fixed.
template <class Sampler>
double worst_moment(const Sampler& sampler) {
  const auto result = sample(sampler, bowl, {.chains = 4096, .draws = 64, .seed = 5, .threads = 0});
  return worst_z(result, 32, moments_of_bowl());
}

TEST(Chees, Moments) {
  EXPECT_LT(worst_moment(Chees{.step_size = 0.4, .trajectory = 3}), limit);
  EXPECT_LT(worst_moment(Chees{.step_size = 0.8, .trajectory = 3}), limit);
}

/// Accepts by the densities alone and forgets the momenta.
struct WithoutKineticEnergy : Chees {
  static constexpr auto program = fsm::program(
      fsm::block("init", Chees::init),
      fsm::repeat(fsm::block("integrate", Hmc::integrate, fsm::density, Hmc::finish_step), Hmc::unfinished),
      fsm::block("done", [](auto& lanes_at_work, auto where) {
        auto& s = lanes_at_work.state;
        const auto uniform = lanes_at_work.stream().uniforms(0U, Hmc::choices)[0];
        const auto moving = where & (log(uniform) < s.answer - s.log_density).mask();
        assign(moving, s.x, s.request);
        assign(moving, s.gradient, s.answer_gradient);
        assign(moving, s.log_density, s.answer);
      }));
};
TEST(Chees, BrokenAcceptanceWithoutKineticEnergy) {
  EXPECT_GT(worst_moment(WithoutKineticEnergy{{.step_size = 0.8, .trajectory = 3}}), limit);
}

TEST(Chees, StepsFollowHalton) {
  const auto draws =
      sample(Chees{.step_size = 0.125, .trajectory = 2, .max_steps = 13}, Bowl{{1.0}}, {.chains = 5, .draws = 7});
  const double expected[] = {8, 4, 12, 2, 10, 6, 13};  // ⌈16·(1/2, 1/4, 3/4, 1/8, 5/8, 3/8, 7/8)⌉, at most 13
  for (std::size_t c = 0; c < 5; ++c) {
    for (std::size_t t = 0; t < 7; ++t) EXPECT_EQ(draws.draw_facts[(c * 7 + t) * 6 + 2], expected[t]) << t;
  }
  EXPECT_EQ(Chees::steps_of(0, 1e-30, 0.1, 1000), 1U);
  EXPECT_EQ(Chees::steps_of(0, NAN, 0.1, 1000), 1000U);
}

}  // namespace
