// Delayed rejection: right moments, and the same check rejects kernels that are broken on purpose.
#include "breakstep/sampler/delayed_rejection.hpp"

#include <gtest/gtest.h>

#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::DelayedRejection;

// Starts are standard normal, so on that target chains are stationary from the first draw.
const runtime::SampleOptions job{.chains = 4096, .draws = 200, .seed = 11};

template <class Sampler>
double worst_on_normal(const Sampler& sampler, int dimension) {
  return worst_z(sample(sampler, target::StandardNormal{dimension}, job), 0,
                 normal_moments(std::vector<double>(dimension), 1.0));
}

TEST(DelayedRejection, MomentsOfTheNormal) {
  EXPECT_LT(worst_on_normal(DelayedRejection{.scale = 0.6}, 1), limit);
  EXPECT_LT(worst_on_normal(DelayedRejection{.scale = 0.6, .max_tries = 3}, 1), limit);
  EXPECT_LT(worst_on_normal(DelayedRejection{.scale = 0.9, .max_tries = 10}, 3), limit);
  EXPECT_LT(worst_on_normal(sampler::DelayedRejectionCondensed{.scale = 0.6}, 2), limit);
  EXPECT_LT(worst_on_normal(sampler::DelayedRejectionUnrolled{.scale = 0.6}, 2), limit);
}

TEST(DelayedRejection, MomentsOfASkewedTarget) {
  // Mean −γ and second moment γ² + π²/6 of the logarithm of an exponential variable.
  const double gamma = 0.57721566490153286, second = gamma * gamma + 1.6449340668482264;
  const auto draws = sample(DelayedRejection{.scale = 1.5, .max_tries = 20}, target::LogGamma{},
                            {.chains = 4096, .draws = 400, .seed = 12});
  EXPECT_LT(worst_z(draws, 100,
                    {{"mean", -gamma, [](const double* x) { return x[0]; }},
                     {"second moment", second, [](const double* x) { return x[0] * x[0]; }}}),
            limit);
}

/// A delayed rejection assembled from the real blocks, except for one.
template <class Judge, class Done>
struct Broken {
  double scale = 0.6;
  int max_tries = 5;
  static constexpr auto asks = target::Asks::density;
  template <class Real, int W, lanes::Storage S>
  using State = DelayedRejection::State<Real, W, S>;
  static constexpr auto program =
      fsm::program(fsm::block("init", DelayedRejection::init),
                   fsm::loop(DelayedRejection::rejected,
                             fsm::block("propose", DelayedRejection::propose, fsm::density, Judge::block)),
                   fsm::block("done", Done::block));
};
struct GoodJudge {
  static constexpr auto block = DelayedRejection::judge;
};
struct GoodDone {
  static constexpr auto block = DelayedRejection::done;
};

/// What the paper's code does: a chain that runs out of tries goes on from the last rejected point.
struct StayAtTheRejected {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    assign(where, s.x, s.request);
    assign(where, s.log_density, s.answer);
  };
};

/// The best rejected density is forgotten: every try is judged as if it were the first.
struct ForgetTheBest {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    DelayedRejection::judge(chains, where);
    assign(where, s.best, 0.0);
  };
};

/// The state x is judged at the wrong sign.
struct WrongSign {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto answer = s.answer;
    assign(where, s.answer, s.log_density + s.log_density - answer);
    DelayedRejection::judge(chains, where);
    assign(where, s.answer, answer);
  };
};

TEST(DelayedRejection, TheAssembledSamplerItselfIsRight) {
  EXPECT_LT(worst_on_normal(Broken<GoodJudge, GoodDone>{}, 1), limit);
}
TEST(DelayedRejection, BrokenNoReturnAfterTheLimitOfTries) {
  EXPECT_GT(worst_on_normal(Broken<GoodJudge, StayAtTheRejected>{}, 1), limit);
}
TEST(DelayedRejection, BrokenBestDensityNotUpdated) {
  EXPECT_GT(worst_on_normal(Broken<ForgetTheBest, GoodDone>{}, 1), limit);
}
TEST(DelayedRejection, BrokenSignOfTheRatio) { EXPECT_GT(worst_on_normal(Broken<WrongSign, GoodDone>{}, 1), limit); }

TEST(DelayedRejection, DrawsThatReachTheLimitAreCounted) {
  const auto few =
      sample(DelayedRejection{.scale = 5.0, .max_tries = 1}, target::StandardNormal{1}, {.chains = 16, .draws = 100});
  EXPECT_GT(few.facts.events, 400U);
  EXPECT_LT(few.facts.events, 1600U);
  // More tries end in fewer stays; a few remain, because a walk that has left the bulk of the target may never return.
  const auto many =
      sample(DelayedRejection{.scale = 5.0, .max_tries = 50}, target::StandardNormal{1}, {.chains = 16, .draws = 100});
  EXPECT_LT(many.facts.events, few.facts.events / 2);
}

}  // namespace
