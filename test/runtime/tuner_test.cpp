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
  return Tuner::over(steps, parking, 8, Tuner::time_of_thread);
}

/// A clock that stands still but for what a simulated machine takes.
double simulated_seconds = 0;
double simulated_time() { return simulated_seconds; }

/// The share of the work that the first of the plans does on a simulated machine in so many seconds. `rate(plan, time,
/// turns)` says how many answers a second plan number `plan` gives at a time, after so many turns of its window.
template <class Rate>
double share_of_first_plan(double seconds, Rate rate) {
  constexpr std::uint64_t lanes = 16;
  const std::vector<Plan> plans = {
      {Step::bundled_inline, 1}, {Step::bundled_inline, 4}, {Step::gathered, 1}, {Step::gathered, 4}};
  Tuner tuner(plans, simulated_time);
  simulated_seconds = 0;
  tuner.resume(lanes);
  std::uint64_t progress = 0, by_first = 0;
  std::size_t last = 0;
  int turns = 0;
  while (simulated_seconds < seconds) {
    std::size_t now = 0;
    while (plans[now].step != tuner.plan().step || plans[now].parking != tuner.plan().parking) ++now;
    turns = now == std::exchange(last, now) ? turns + 1 : 0;
    simulated_seconds += lanes / rate(now, simulated_seconds, turns);
    by_first += now == 0 ? lanes : 0;
    tuner.step(progress += lanes);
  }
  return static_cast<double>(by_first) / static_cast<double>(progress);
}

constexpr double rates[] = {150e6, 135e6, 105e6, 120e6};

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

TEST(Tuner, FindsTheBestPlanAndKeepsToIt) {
  EXPECT_GT(share_of_first_plan(0.2, [](std::size_t plan, double, int) { return rates[plan]; }), 0.95);
}

/// What a neighbour does to the core: everything is slower for a tenth of a millisecond, at whatever time that may be.
TEST(Tuner, ASlowMomentDoesNotCostTheBestPlan) {
  for (double begin = 0; begin < 0.004; begin += 2e-5) {
    const auto rate = [begin](std::size_t plan, double time, int) {
      return rates[plan] * (time >= begin && time < begin + 1e-4 ? 0.7 : 1.0);
    };
    EXPECT_GT(share_of_first_plan(0.02, rate), 0.9) << "slow from " << begin << " s on";
  }
}

/// The same of an expensive density, whose windows and whose neighbour take ten times as long.
TEST(Tuner, ASlowMomentDoesNotCostTheBestPlanWhereWindowsAreLong) {
  for (double begin = 0; begin < 0.012; begin += 2e-4) {
    const auto rate = [begin](std::size_t plan, double time, int) {
      return rates[plan] / 25 * (time >= begin && time < begin + 1e-3 ? 0.7 : 1.0);
    };
    EXPECT_GT(share_of_first_plan(0.08, rate), 0.8) << "slow from " << begin << " s on";
  }
}

/// Lanes that wait are missed only after a while.
TEST(Tuner, APlanThatFlattersInTrialsIsGivenUp) {
  const auto rate = [](std::size_t plan, double, int turns) {
    return plan == 3 ? (turns < 200 ? 200e6 : 90e6) : rates[plan];
  };
  EXPECT_GT(share_of_first_plan(0.2, rate), 0.9);
}

/// Of an expensive density, whose long windows take a millisecond, such a plan may not be proven for five of them.
TEST(Tuner, AFlatteringPlanIsGivenUpSoonWhereWindowsAreLong) {
  const auto rate = [](std::size_t plan, double, int turns) {
    const double flattered = plan == 3 && turns < 60 ? 1.3 : 1.0;
    return flattered * rates[plan] / 25;
  };
  EXPECT_GT(share_of_first_plan(0.04, rate), 0.9);
}

TEST(Tuner, TriesNothingThatMakesNoDifference) {
  EXPECT_EQ(plans_used(tuner_over({Step::switched_inline}), 1, 100'000), (Plans{{Step::switched_inline, 1}}));
}

TEST(Tuner, KeepsToTheParkingAskedFor) {
  EXPECT_EQ(plans_used(tuner_over({Step::gathered}, 3), 1, 100'000), (Plans{{Step::gathered, 3}}));
}

}  // namespace
