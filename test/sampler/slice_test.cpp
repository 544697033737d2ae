// Slice sampling: right moments along directions and coordinates, also when the expansion is cut short; broken kernels
// fail.
#include "breakstep/sampler/slice.hpp"

#include <gtest/gtest.h>

#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::Line;
using sampler::Slice;
using sampler::SliceTwoLoops;

const runtime::SampleOptions job{.chains = 4096, .draws = 100, .seed = 31};

template <class Sampler>
double worst_on_normal(const Sampler& sampler, int dimension) {
  return worst_z(sample(sampler, target::StandardNormal{dimension}, job), 0,
                 normal_moments(std::vector<double>(dimension), 1.0));
}

TEST(Slice, MomentsOfTheNormal) {
  EXPECT_LT(worst_on_normal(Slice{}, 1), limit);
  EXPECT_LT(worst_on_normal(Slice{.width = 0.4}, 3), limit);
  EXPECT_LT(worst_on_normal(Slice{.line = Line::coordinate}, 3), limit);
  EXPECT_LT(worst_on_normal(SliceTwoLoops{.width = 0.4}, 2), limit);
}

TEST(Slice, StillRightWhenTheExpansionIsLimited) {
  EXPECT_LT(worst_on_normal(Slice{.width = 0.5, .max_steps = 3}, 1), limit);
  EXPECT_LT(worst_on_normal(SliceTwoLoops{.width = 0.5, .max_steps = 1}, 1), limit);
}

template <class Sampler>
double worst_on_skewed(const Sampler& sampler) {
  const double gamma = 0.57721566490153286, second = gamma * gamma + 1.6449340668482264;
  const auto draws = sample(sampler, target::LogGamma{}, {.chains = 4096, .draws = 150, .seed = 32});
  return worst_z(draws, 50,
                 {{"mean", -gamma, [](const double* x) { return x[0]; }},
                  {"second moment", second, [](const double* x) { return x[0] * x[0]; }}});
}

TEST(Slice, MomentsOfASkewedTarget) { EXPECT_LT(worst_on_skewed(Slice{}), limit); }

/// Two-loop slice assembled from the real blocks, except for the two given.
template <class Init, class Shrink>
struct Broken {
  double width = 0.5;
  int max_steps = 3;
  int max_shrinks = 200;
  Line line = Line::direction;
  static constexpr auto asks = target::Asks::density;
  template <class Real, int W, lanes::Storage S>
  using State = SliceTwoLoops::State<Real, W, S>;
  using Good = SliceTwoLoops;
  static constexpr auto program = fsm::program(
      fsm::block("init_e", Init::block),
      fsm::loop(Good::lower_is_open, fsm::block("expand_lower", Good::ask_lower, fsm::density, Good::step_lower)),
      fsm::loop(Good::upper_is_open, fsm::block("expand_upper", Good::ask_upper, fsm::density, Good::step_upper)),
      fsm::block("init_s", Good::init_shrinkage, fsm::density),
      fsm::loop(Good::rejected, fsm::block("shrink", Shrink::block, fsm::density)), fsm::block("done", Good::done));
};
struct GoodInit {
  static constexpr auto block = SliceTwoLoops::init_expansion;
};
struct GoodShrink {
  static constexpr auto block = SliceTwoLoops::shrink;
};

/// The bracket starts at x instead of at a random distance below it.
struct BracketBeginsAtX {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    SliceTwoLoops::init_expansion(chains, where);
    assign(where, s.upper, s.upper - s.lower);
    assign(where, s.lower, 0.0);
  };
};
/// The comparison has the wrong sign: the end on x's far side moves, and x falls out of the bracket.
struct ShrinkTheWrongEnd {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto below = s.at < std::remove_cvref_t<decltype(s.at)>(0.0);
    const auto lower = select(below, s.lower, s.at), upper = select(below, s.at, s.upper);
    assign(where, s.lower, lower);
    assign(where, s.upper, upper);
    SliceTwoLoops::propose(chains, where);
  };
};
/// All steps of a limited expansion go to the lower end.
struct LimitNotRandomised {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    SliceTwoLoops::init_expansion(chains, where);
    assign(where, s.steps_below, 2U);
    assign(where, s.steps_above, 0U);
    s.lower_open |= where;
    s.upper_open &= ~where;
  };
};

TEST(Slice, TheAssembledSamplerItselfIsRight) {
  EXPECT_LT((worst_on_normal(Broken<GoodInit, GoodShrink>{}, 1)), limit);
}
TEST(Slice, BrokenBracketBeginsAtX) { EXPECT_GT((worst_on_normal(Broken<BracketBeginsAtX, GoodShrink>{}, 1)), limit); }
// On a target with one mode this mistake keeps the distribution right, because after it nothing but the first proposal
// can be accepted; what shows it is that brackets collapse, which a right sampler's never do here.
TEST(Slice, BrokenSignErrorInTheShrink) {
  const auto events = [](const auto& sampler) { return sample(sampler, target::LogGamma{}, job).facts.events; };
  EXPECT_EQ(events(Broken<GoodInit, GoodShrink>{}), 0U);
  EXPECT_GT(events(Broken<GoodInit, ShrinkTheWrongEnd>{}), job.chains * job.draws / 20);
}
TEST(Slice, BrokenLimitNotRandomised) {
  EXPECT_GT((worst_on_normal(Broken<LimitNotRandomised, GoodShrink>{}, 1)), limit);
}

}  // namespace
