// Logged draws lie where draws written one by one would, and nothing else is touched.
#include "breakstep/runtime/draw_log.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/delayed_rejection.hpp"
#include "breakstep/target/standard_normal.hpp"

namespace {

using namespace breakstep;
using runtime::DrawLog;

/// Logs of 1 to all rows, in which a lane has a draw with the given chance, into memory full of −1.
template <class Real, int W>
void check_log(double chance) {
  using Log = DrawLog<Real, W>;
  if constexpr (!Log::is_possible) {
    GTEST_SKIP() << "needs AVX-512";
  } else {
    using U = typename Log::U;
    constexpr std::size_t per_lane = 200;
    std::mt19937 engine(7);
    std::bernoulli_distribution is_draw(chance);
    std::vector<Real> logged(W * per_lane, Real(-1)), one_by_one = logged;
    lanes::Pack<U, W> slot;
    for (int lane = 0; lane < W; ++lane) slot.set(lane, static_cast<U>(per_lane * static_cast<unsigned>(lane)));
    Log log;
    Real next = 0;
    for (int rows = 1; rows <= Log::rows; ++rows) {
      lanes::Pack<U, W> after = slot;
      for (int row = 0; row < rows; ++row) {
        ASSERT_FALSE(log.is_full());
        lanes::Pack<Real, W> position;
        lanes::Mask<W> where;
        for (int lane = 0; lane < W; ++lane) {
          position.set(lane, next++);
          if (!is_draw(engine)) continue;
          where.set(lane);
          one_by_one[static_cast<std::size_t>(after[lane])] = position[lane];
          after.set(lane, after[lane] + 1);
        }
        log.add(where, position);
      }
      EXPECT_EQ(log.is_full(), rows == Log::rows);
      log.write(logged.data(), slot);
      EXPECT_TRUE(log.is_empty());
      ASSERT_EQ(logged, one_by_one) << rows << " rows";
      slot = after;
    }
  }
}

TEST(DrawLog, WritesWhatWasADrawOfFloats) {
  for (const double chance : {0.0, 0.3, 0.95, 1.0}) check_log<float, lanes::native_width<float>>(chance);
}
TEST(DrawLog, WritesWhatWasADrawOfTwoRegisters) {
  for (const double chance : {0.0, 0.3, 0.95, 1.0}) check_log<float, 32>(chance);
}
TEST(DrawLog, WritesWhatWasADrawOfDoubles) {
  for (const double chance : {0.0, 0.3, 0.95, 1.0}) check_log<double, lanes::native_width<double>>(chance);
}
TEST(DrawLog, WritesWhatWasADrawOfTwoRegistersOfDoubles) {
  for (const double chance : {0.0, 0.3, 0.95, 1.0}) check_log<double, 16>(chance);
}

/// Chains of different speed whose draws fill a window to its last slot, beside switched steps, which log nothing.
template <class Real>
void check_run() {
  const auto drawn = [](runtime::Step step) {
    return sample<Real>(sampler::DelayedRejection{.scale = 0.3}, target::StandardNormal{1},
                        {.chains = 77, .draws = 123, .execution = {.step = step, .parking = 1}})
        .values;
  };
  EXPECT_EQ(drawn(runtime::Step::bundled_inline), drawn(runtime::Step::switched_inline));
}
TEST(DrawLog, RunsAreTheSameWithIt) {
  check_run<float>();
  check_run<double>();
}

}  // namespace
