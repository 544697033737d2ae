// Tests of the tuner, of what does not depend on how fast anything is.
#include "breakstep/runtime/tuner.hpp"

#include <gtest/gtest.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is of POSIX

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace breakstep::runtime;
using Plans = std::set<std::pair<Step, int>>;

/// Works for at least so long.
void spend(std::chrono::nanoseconds time) {
  timespec begin{}, now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1'000'000'000 + (now.tv_nsec - begin.tv_nsec) < time.count());
}

/// The plans that a tuner uses in so many segments, each of so many steps in which 8 lanes answer once.
Plans plans_used(Tuner tuner, int segments, int steps, std::chrono::nanoseconds time_of_step = {}) {
  Plans used;
  for (int segment = 0; segment < segments; ++segment) {
    std::uint64_t progress = 0;
    tuner.resume(8);
    for (int step = 0; step < steps; ++step) {
      used.emplace(tuner.plan().step, tuner.plan().parking);
      if (time_of_step.count() > 0) spend(time_of_step);
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

TEST(Tuner, AShortRunOfLongEvaluationsKeepsLanesFull) {
  const std::vector<Step> steps = {Step::bundled_inline, Step::gathered};
  const std::chrono::microseconds three_for_each_lane(24);
  EXPECT_EQ(plans_used(tuner_over(steps), 1, 2'000, three_for_each_lane), (Plans{{Step::bundled_inline, 1}}));
  EXPECT_EQ(plans_used(tuner_over(steps), 1, 42'000, three_for_each_lane), every_plan);
}

TEST(Tuner, TriesNothingThatMakesNoDifference) {
  EXPECT_EQ(plans_used(tuner_over({Step::switched_inline}), 1, 100'000), (Plans{{Step::switched_inline, 1}}));
}

TEST(Tuner, KeepsToTheParkingAskedFor) {
  EXPECT_EQ(plans_used(tuner_over({Step::gathered}, 3), 1, 100'000), (Plans{{Step::gathered, 3}}));
}

}  // namespace
