// Trajectories: how their lengths are counted and what lock-step would make of them.
#include "breakstep/diagnostics/trajectories.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace breakstep::diagnostics;

TEST(Trajectories, HistogramCountsByDoublings) {
  const std::vector<float> counts = {0, 1, 2, 3, 3, 4, 7, 8, 1023, 1024};
  const auto bins = histogram(DrawsView<float>{.data = counts.data(), .chains = 2, .draws = 5});
  EXPECT_EQ(bins, (std::vector<std::uint64_t>{1, 1, 3, 2, 1, 0, 0, 0, 0, 0, 1, 1}));
  // Every other number of one chain.
  EXPECT_EQ(histogram(DrawsView<float>{.data = counts.data(), .chains = 1, .draws = 3, .draw_stride = 2}),
            (std::vector<std::uint64_t>{1, 0, 2}));
}

TEST(Trajectories, WaitingRatioIsTheLongestOverTheMean) {
  const std::vector<double> counts = {1, 7, 3, 3};  // two chains of two draws: the longest are 3 and 7, the mean 3.5
  EXPECT_DOUBLE_EQ(waiting_ratio(DrawsView<double>{.data = counts.data(), .chains = 2, .draws = 2}), 5 / 3.5);
}

}  // namespace
