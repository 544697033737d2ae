// Tests of the tuner, of what does not depend on how fast anything is.
#include "breakstep/runtime/tuner.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace breakstep::runtime;
using Plans = std::set<std::pair<Step, int>>;

/// The plans that a tuner uses in so many segments, each of so many steps in which 8 lanes answer once.
Plans plans_used(Tuner tuner, int segments, int steps) {
  Plans used;
  for (int segment = 0; segment < segments; ++segment) {
    std::uint64_t progress = 0;
    tuner.resume(8);
    for (int step = 0; step < steps; ++step) {
      used.emplace(tuner.plan().step, tuner.plan().parking);
      tuner.step(progress += 8);
    }
    tuner.pause(progress);
  }
  return used;
}

Tuner tuner_over(const std::vector<Step>& steps, int parking = 0) {
  return Tuner::over(steps, parking, 8, Tuner::Clock::of_thread);
}

const Plans every_plan = {{Step::bundled_inline, 1}, {Step::bundled_inline, 2}, {Step::bundled_inline, 4},
                          {Step::gathered, 1},       {Step::gathered, 2},       {Step::gathered, 4}};

TEST(Tuner, TriesEveryPlan) {
  EXPECT_EQ(plans_used(tuner_over({Step::bundled_inline, Step::gathered}), 1, 1'000'000), every_plan);
}

TEST(Tuner, ATrialGoesOnInTheNextSegment) {
  EXPECT_EQ(plans_used(tuner_over({Step::bundled_inline, Step::gathered}), 100'000, 3), every_plan);
}

TEST(Tuner, TriesNothingThatMakesNoDifference) {
  EXPECT_EQ(plans_used(tuner_over({Step::switched_inline}), 1, 100'000), (Plans{{Step::switched_inline, 1}}));
}

TEST(Tuner, KeepsToTheParkingAskedFor) {
  EXPECT_EQ(plans_used(tuner_over({Step::gathered}, 3), 1, 100'000), (Plans{{Step::gathered, 3}}));
}

}  // namespace
