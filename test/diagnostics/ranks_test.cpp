// Normal scores of ranks and of folded ranks, against sorting and counting.
#include "breakstep/diagnostics/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "breakstep/diagnostics/normal_quantile.hpp"
#include "recipe.hpp"

namespace {

using namespace breakstep::diagnostics;

std::vector<double> plain_scores(const std::vector<double>& values) {
  std::vector<double> scores;
  for (const double x : values) {
    const auto below =
        static_cast<double>(std::count_if(values.begin(), values.end(), [=](double y) { return y < x; }));
    const auto equal = static_cast<double>(std::count(values.begin(), values.end(), x));
    const double rank = below + 0.5 * (equal + 1.0);
    scores.push_back(normal_quantile((rank - 0.375) / (static_cast<double>(values.size()) + 0.25)));
  }
  return scores;
}

std::vector<double> folded(std::vector<double> values) {
  if (values.empty()) return values;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
  for (double& x : values) x = std::abs(x - median);
  return values;
}

// `others` are further numbers that the order holds and that must not be ranked.
void expect_scores(const std::vector<double>& values, const std::vector<double>& others) {
  std::vector<double> all = values;
  all.insert(all.end(), others.begin(), others.end());
  Order order;
  order.sort(all);
  std::vector<double> scores(values.size());
  static RankScores of_ranks;  // one for all sizes
  normal_scores(order, scores, of_ranks);
  EXPECT_EQ(scores, plain_scores(values));
  folded_normal_scores(order, scores, of_ranks);
  EXPECT_EQ(scores, plain_scores(folded(values)));
}

TEST(Ranks, ByHand) {
  Order order;
  order.sort(std::vector<double>{30.0, 20.0, 10.0, 20.0});
  std::vector<double> scores(4);
  RankScores of_ranks;
  normal_scores(order, scores, of_ranks);
  EXPECT_EQ(scores[0], normal_quantile(3.625 / 4.25));
  EXPECT_EQ(scores[1], 0.0);
  EXPECT_EQ(scores[2], normal_quantile(0.625 / 4.25));
  EXPECT_EQ(scores[3], 0.0);
  // Distances to the median 20 are 10, 0, 10, 0.
  folded_normal_scores(order, scores, of_ranks);
  EXPECT_EQ(scores[0], normal_quantile((3.5 - 0.375) / 4.25));
  EXPECT_EQ(scores[1], normal_quantile((1.5 - 0.375) / 4.25));
  EXPECT_EQ(scores[2], scores[0]);
  EXPECT_EQ(scores[3], scores[1]);
}

TEST(Ranks, AreThoseOfSortingAndCounting) {
  expect_scores({}, {});
  expect_scores({}, {1.0, 2.0});
  expect_scores({1.0}, {});
  expect_scores({1.0, 1.0}, {1.0, 0.0});
  expect_scores({0.0, -0.0, 1.0}, {});
  for (const std::size_t size : {2, 3, 10, 301, 1000}) {
    for (const double levels : {0.0, 1.0, 20.0}) {
      const auto values =
          diagnostics_test::make({.seed = size, .chains = 1, .draws = size, .phi = 0.5, .levels = levels});
      const auto others =
          diagnostics_test::make({.seed = size + 1, .chains = 1, .draws = size / 3, .phi = 0.5, .levels = levels});
      expect_scores(values, {});
      expect_scores(values, others);
    }
  }
}

}  // namespace
