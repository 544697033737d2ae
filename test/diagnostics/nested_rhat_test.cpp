// Nested R-hat: known values, and that it tells chains that have forgotten their start from chains that have not.
#include "breakstep/diagnostics/nested_rhat.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using breakstep::diagnostics::DrawsView;
using breakstep::diagnostics::nested_rhat;

/// Chains of an autoregression whose superchains start at their own point far out; `steps` of it are made before the
/// draws that count.
std::vector<double> chains_after(int steps, std::size_t superchains, std::size_t size, std::size_t draws) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t s = 0; s < superchains; ++s) {
    const double start = 5 * normal(random);
    for (std::size_t c = 0; c < size; ++c) {
      double x = start;
      const auto move = [&] { x = 0.9 * x + std::sqrt(1 - 0.81) * normal(random); };
      for (int t = 0; t < steps; ++t) move();
      for (std::size_t t = 0; t < draws; ++t) {
        move();
        values.push_back(x);
      }
    }
  }
  return values;
}

TEST(NestedRhat, KnownValue) {
  // Means of the superchains 1.5 and 5.5: B = 8. Within: between chains ½, inside chains 0 → W = ½.
  const std::vector<double> values = {1, 2, 5, 6};
  EXPECT_DOUBLE_EQ(nested_rhat(DrawsView<double>{.data = values.data(), .chains = 4, .draws = 1}, 2),
                   std::sqrt(1 + 8 / 0.5));
  // Two chains of two draws each, one chain to a superchain: means 1.5 and 5.5, W = ½.
  EXPECT_DOUBLE_EQ(nested_rhat(DrawsView<double>{.data = values.data(), .chains = 2, .draws = 2}, 2),
                   std::sqrt(1 + 8 / 0.5));
}

TEST(NestedRhat, TellsConvergedChainsFromOthers) {
  constexpr std::size_t superchains = 16, size = 128;
  for (const std::size_t draws : {1U, 4U}) {
    const auto early = chains_after(2, superchains, size, draws);
    const auto late = chains_after(120, superchains, size, draws);
    const auto of = [&](const std::vector<double>& values) {
      return nested_rhat(DrawsView<double>{.data = values.data(), .chains = superchains * size, .draws = draws},
                         superchains);
    };
    EXPECT_GT(of(early), 1.5);
    EXPECT_LT(of(late), 1.01);
    EXPECT_GE(of(late), 1.0);
  }
}

TEST(NestedRhat, RefusesWhatCannotBeGrouped) {
  const std::vector<double> values(10);
  const DrawsView<double> view{.data = values.data(), .chains = 10, .draws = 1};
  EXPECT_THROW(static_cast<void>(nested_rhat(view, 1)), breakstep::Error);
  EXPECT_THROW(static_cast<void>(nested_rhat(view, 3)), breakstep::Error);
  EXPECT_THROW(static_cast<void>(nested_rhat(view, 10)), breakstep::Error);
}

}  // namespace
