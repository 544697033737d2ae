// Diagnostics: agreement with ArviZ on the data sets of references.hpp, every layout of draws, and the edge cases.
#include "breakstep/diagnostics/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "breakstep/diagnostics/trajectories.hpp"
#include "breakstep/error.hpp"
#include "recipe.hpp"
#include "references.hpp"

namespace {

using namespace breakstep::diagnostics;
using namespace diagnostics_test;

DrawsView<double> view_of(const std::vector<double>& data, const Recipe& recipe) {
  return {.data = data.data(), .chains = recipe.chains, .draws = recipe.draws};
}

Expected all_of(Summarizer& summarizer) {
  return {.mean = summarizer.mean(),
          .sd = summarizer.sd(),
          .q5 = summarizer.quantile(0.05),
          .q50 = summarizer.quantile(0.5),
          .q95 = summarizer.quantile(0.95),
          .rhat = summarizer.rhat(),
          .ess_bulk = summarizer.ess_bulk(),
          .ess_tail = summarizer.ess_tail(),
          .ess_mean = summarizer.ess_mean(),
          .ess_sd = summarizer.ess_sd(),
          .ess_median = summarizer.ess_quantile(0.5),
          .mcse_mean = summarizer.mcse_mean(),
          .mcse_sd = summarizer.mcse_sd(),
          .mcse_q5 = summarizer.mcse_quantile(0.05),
          .mcse_q50 = summarizer.mcse_quantile(0.5),
          .mcse_q95 = summarizer.mcse_quantile(0.95)};
}

struct Quantity {
  const char* name;
  double Expected::*member;
};
const Quantity quantities[] = {{"mean", &Expected::mean},
                               {"sd", &Expected::sd},
                               {"q5", &Expected::q5},
                               {"q50", &Expected::q50},
                               {"q95", &Expected::q95},
                               {"rhat", &Expected::rhat},
                               {"ess_bulk", &Expected::ess_bulk},
                               {"ess_tail", &Expected::ess_tail},
                               {"ess_mean", &Expected::ess_mean},
                               {"ess_sd", &Expected::ess_sd},
                               {"ess_median", &Expected::ess_median},
                               {"mcse_mean", &Expected::mcse_mean},
                               {"mcse_sd", &Expected::mcse_sd},
                               {"mcse_q5", &Expected::mcse_q5},
                               {"mcse_q50", &Expected::mcse_q50},
                               {"mcse_q95", &Expected::mcse_q95}};

// Relative to the expected value; for means and quantiles, which may happen to be near zero, to the sd if that is
// larger.
double difference(double actual, double expected, double scale) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0.0;
  const double result = std::abs(actual - expected) / std::max(std::abs(expected), scale);
  return std::isnan(result) ? infinity : result;
}

TEST(Summary, AgreesWithArviz) {
  Summarizer summarizer;
  std::map<std::string, double> worst;
  for (const Reference& reference : references) {
    SCOPED_TRACE(reference.name);
    const std::vector<double> data = make(reference.recipe);
    ASSERT_EQ(checksum(data), reference.checksum) << "the draws are not those that ArviZ has seen";
    summarizer.read(view_of(data, reference.recipe));
    const Expected actual = all_of(summarizer);
    // ArviZ rounds the mean of a chain to double, which far from zero moves it by this fraction of the sd.
    const double rounding = std::numeric_limits<double>::epsilon() * std::abs(actual.mean) / actual.sd;
    const double tolerance = actual.sd > 0.0 ? std::max(rounding, 1e-12) : 1e-12;
    for (const auto& [name, member] : quantities) {
      const bool is_place = name == std::string("mean") || name[0] == 'q';
      const double scale = is_place ? reference.expected.sd : 0.0;
      const double found = difference(actual.*member, reference.expected.*member, scale);
      // Draws are compared with quantiles, so those must be NumPy's to the last bit.
      EXPECT_LE(found, name[0] == 'q' ? 0.0 : tolerance)
          << name << " is " << actual.*member << " instead of " << reference.expected.*member;
      if (tolerance == 1e-12) worst[name] = std::max(worst[name], found);
    }
  }
  for (const auto& [name, value] : worst) RecordProperty(name, std::to_string(value * 1e15) + "e-15");
}

// The mean square of the changes over the variance, both with divisor draws - 1, which cancels. NaN where nothing
// changes or something is NaN: ArviZ divides 0 by 0 there.
TEST(Summary, EnergyFractionsAgreeWithArviz) {
  double worst = 0;
  for (const Reference& reference : references) {
    SCOPED_TRACE(reference.name);
    const std::vector<double> data = make(reference.recipe);
    const std::vector<double> fractions = energy_fractions(view_of(data, reference.recipe));
    ASSERT_EQ(fractions.size(), reference.recipe.chains);
    ASSERT_EQ(reference.energy_fractions.size(), std::min<std::size_t>(reference.recipe.chains, 6));
    const double rounding = std::numeric_limits<double>::epsilon() * std::abs(reference.expected.mean) /
                            std::max(reference.expected.sd, 1e-300);
    for (std::size_t c = 0; c < reference.energy_fractions.size(); ++c) {
      const double found = difference(fractions[c], reference.energy_fractions[c], 0.0);
      EXPECT_LE(found, std::max(1e-12, reference.expected.sd > 0 ? rounding : 0.0))
          << fractions[c] << " instead of " << reference.energy_fractions[c] << " in chain " << c;
      if (rounding < 1e-12) worst = std::max(worst, found);
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
}

TEST(Summary, ComparisonNoticesADifference) {
  EXPECT_GT(difference(1.0 + 1e-11, 1.0, 0.0), 1e-12);
  EXPECT_GT(difference(quiet_nan, 1.0, 0.0), 1e-12);
  EXPECT_GT(difference(1.0, quiet_nan, 0.0), 1e-12);
  EXPECT_GT(difference(infinity, 1.0, 0.0), 1e-12);
  EXPECT_GT(difference(1.0, infinity, 0.0), 1e-12);
  EXPECT_GT(difference(1e-300, 0.0, 0.0), 1e-12);
}

// Bits, so that NaN equals NaN.
void expect_same(const Summary& a, const Summary& b) {
  const auto values = [](const Summary& s) {
    return std::vector<double>{s.mean, s.sd,  s.mcse_mean, s.mcse_sd,  s.q5,
                               s.q50,  s.q95, s.rhat,      s.ess_bulk, s.ess_tail};
  };
  for (std::size_t i = 0; i < values(a).size(); ++i) {
    EXPECT_EQ(difference(values(a)[i], values(b)[i], 0.0), 0.0) << "quantity " << i;
  }
}

TEST(Summary, IsWhatTheSingleFunctionsGiveInAnyOrder) {
  for (const Reference& reference : references) {
    SCOPED_TRACE(reference.name);
    const std::vector<double> data = make(reference.recipe);
    const DrawsView<double> view = view_of(data, reference.recipe);
    const Summary single{.mean = mean(view),
                         .sd = sd(view),
                         .mcse_mean = mcse_mean(view),
                         .mcse_sd = mcse_sd(view),
                         .q5 = quantile(view, 0.05),
                         .q50 = quantile(view, 0.5),
                         .q95 = quantile(view, 0.95),
                         .rhat = rhat(view),
                         .ess_bulk = ess_bulk(view),
                         .ess_tail = ess_tail(view)};
    expect_same(summarize(view), single);
    Summarizer summarizer;
    summarizer.read(view);
    const double rhat_first = summarizer.rhat();
    EXPECT_EQ(difference(rhat_first, single.rhat, 0.0), 0.0);
    EXPECT_EQ(difference(summarizer.ess_sd(), ess_sd(view), 0.0), 0.0);
    EXPECT_EQ(difference(summarizer.ess_mean(), ess_mean(view), 0.0), 0.0);
    EXPECT_EQ(difference(summarizer.ess_quantile(0.3), ess_quantile(view, 0.3), 0.0), 0.0);
    EXPECT_EQ(difference(summarizer.mcse_quantile(0.3), mcse_quantile(view, 0.3), 0.0), 0.0);
    expect_same(summarizer.summarize(), single);
  }
}

TEST(Summary, SummarizerForgetsEarlierDraws) {
  Summarizer used;
  for (int repetition = 0; repetition < 2; ++repetition) {
    for (const Reference& reference : references) {
      SCOPED_TRACE(reference.name);
      const std::vector<double> data = make(reference.recipe);
      expect_same(used.summarize(view_of(data, reference.recipe)), summarize(view_of(data, reference.recipe)));
    }
  }
}

TEST(Summary, LayoutDoesNotMatter) {
  const Recipe recipe{.seed = 3, .chains = 37, .draws = 41, .phi = 0.5};
  const std::vector<double> data = make(recipe);
  const Summary expected = summarize(view_of(data, recipe));

  // Draw by draw, each with three parameters of all chains, of which this is the second.
  std::vector<double> interleaved(data.size() * 3, quiet_nan);
  for (std::size_t chain = 0; chain < recipe.chains; ++chain) {
    for (std::size_t draw = 0; draw < recipe.draws; ++draw) {
      interleaved[(draw * recipe.chains + chain) * 3 + 1] = data[chain * recipe.draws + draw];
    }
  }
  const auto row = static_cast<std::ptrdiff_t>(3 * recipe.chains);
  expect_same(summarize(DrawsView<double>{.data = interleaved.data() + 1,
                                          .chains = recipe.chains,
                                          .draws = recipe.draws,
                                          .chain_stride = 3,
                                          .draw_stride = row}),
              expected);

  // Backwards in memory.
  std::vector<double> reversed(data.rbegin(), data.rend());
  expect_same(summarize(DrawsView<double>{.data = &reversed.back(),
                                          .chains = recipe.chains,
                                          .draws = recipe.draws,
                                          .chain_stride = -static_cast<std::ptrdiff_t>(recipe.draws),
                                          .draw_stride = -1}),
              expected);
}

TEST(Summary, FloatsAreComputedInDouble) {
  const Recipe recipe{
      .seed = 3, .chains = 6, .draws = 101, .phi = 0.5, .location = 100.0, .special = Special::rounded_to_float};
  const std::vector<double> data = make(recipe);
  std::vector<float> floats(data.size());
  std::transform(data.begin(), data.end(), floats.begin(), [](double x) { return static_cast<float>(x); });
  const DrawsView<float> view{.data = floats.data(), .chains = recipe.chains, .draws = recipe.draws};
  expect_same(summarize(view), summarize(view_of(data, recipe)));
  EXPECT_EQ(rhat(view), rhat(view_of(data, recipe)));
}

TEST(Summary, OrderOfChainsDoesNotMatter) {
  const Recipe recipe{.seed = 4, .chains = 5, .draws = 101, .phi = 0.5, .growth = 0.2};
  std::vector<double> data = make(recipe);
  const Summary expected = summarize(view_of(data, recipe));
  std::rotate(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(2 * recipe.draws), data.end());
  const Summary actual = summarize(view_of(data, recipe));
  EXPECT_NEAR(actual.rhat, expected.rhat, 1e-12);
  EXPECT_NEAR(actual.ess_bulk, expected.ess_bulk, 1e-8);
  EXPECT_NEAR(actual.ess_tail, expected.ess_tail, 1e-8);
  EXPECT_NEAR(actual.mcse_mean, expected.mcse_mean, 1e-12);
}

TEST(Summary, PlaceOfDrawsDoesNotMatter) {
  const Recipe recipe{.seed = 8, .chains = 4, .draws = 500, .phi = 0.5};
  std::vector<double> data = make(recipe);
  for (double& x : data) x = std::round(x * 0x1p20) * 0x1p-20;
  const Summary expected = summarize(view_of(data, recipe));
  for (double& x : data) x += 0x1p30;  // exactly
  const Summary actual = summarize(view_of(data, recipe));
  EXPECT_NEAR(actual.mean - 0x1p30, expected.mean, 1e-6);
  EXPECT_NEAR(actual.sd, expected.sd, 1e-12);
  EXPECT_NEAR(actual.mcse_mean, expected.mcse_mean, 1e-12);
  EXPECT_NEAR(actual.mcse_sd, expected.mcse_sd, 1e-12);
  EXPECT_EQ(actual.rhat, expected.rhat);
}

TEST(Summary, RanksSeeOnlyTheOrderOfDraws) {
  const Recipe recipe{.seed = 5, .chains = 4, .draws = 200, .phi = 0.5};
  std::vector<double> data = make(recipe);
  const double expected = ess_bulk(view_of(data, recipe));
  for (double& x : data) x = std::exp(5.0 * x);
  EXPECT_EQ(ess_bulk(view_of(data, recipe)), expected);
}

constexpr double threshold = 1.01;

TEST(Summary, ConvergedChainsPass) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recipe recipe{.seed = seed, .chains = 8, .draws = 1000, .phi = 0.3};
    EXPECT_LT(rhat(view_of(make(recipe), recipe)), threshold) << seed;
  }
}

TEST(Summary, ChainsThatHaveNotConvergedExceedTheThreshold) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recipe means{.seed = seed, .chains = 8, .draws = 1000, .phi = 0.3, .shift = 0.05};
    EXPECT_GT(rhat(view_of(make(means), means)), threshold) << seed;
    // Equal means: only the folded draws show it.
    const Recipe scales{.seed = seed, .chains = 8, .draws = 1000, .phi = 0.3, .growth = 0.1};
    EXPECT_GT(rhat(view_of(make(scales), scales)), threshold) << seed;
    // Equal chains: only their halves show it.
    const Recipe trend{.seed = seed, .chains = 8, .draws = 1000, .phi = 0.3, .trend = 5e-4};
    EXPECT_GT(rhat(view_of(make(trend), trend)), threshold) << seed;
  }
}

TEST(Summary, InfiniteDrawsGiveNan) {
  const Recipe recipe{.seed = 6, .chains = 4, .draws = 50};
  for (const double bad : {infinity, -infinity, quiet_nan}) {
    for (const std::size_t place : {0UL, 49UL, 120UL, 199UL}) {
      std::vector<double> data = make(recipe);
      data[place] = bad;
      Summarizer summarizer;
      summarizer.read(view_of(data, recipe));
      const Expected actual = all_of(summarizer);
      for (const auto& [name, member] : quantities) EXPECT_TRUE(std::isnan(actual.*member)) << name;
    }
  }
}

TEST(Summary, MiddleDrawOfAnOddNumberCountsForMomentsOnly) {
  const Recipe recipe{.seed = 7, .chains = 2, .draws = 9};
  std::vector<double> data = make(recipe);
  const Summary before = summarize(view_of(data, recipe));
  // It stays between the same two other draws, so that no quantile's indicator changes.
  data[4] = std::nextafter(data[4], 10.0);
  const Summary after = summarize(view_of(data, recipe));
  EXPECT_EQ(before.rhat, after.rhat);
  EXPECT_EQ(before.ess_bulk, after.ess_bulk);
  data[4] = 50.0;
  EXPECT_EQ(before.rhat, summarize(view_of(data, recipe)).rhat);
  EXPECT_GT(summarize(view_of(data, recipe)).mean, before.mean + 1.0);
}

TEST(Summary, TooFewDraws) {
  const std::vector<double> data{1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
  const Summary none = summarize(DrawsView<double>{});
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.sd) && std::isnan(none.q50) && std::isnan(none.rhat) &&
              std::isnan(none.ess_bulk) && std::isnan(none.ess_tail) && std::isnan(none.mcse_mean));
  const Summary no_draws = summarize(DrawsView<double>{.data = data.data(), .chains = 4, .draws = 0});
  EXPECT_TRUE(std::isnan(no_draws.mean) && std::isnan(no_draws.ess_tail));
  const Summary no_chains = summarize(DrawsView<double>{.data = data.data(), .chains = 0, .draws = 10});
  EXPECT_TRUE(std::isnan(no_chains.mean) && std::isnan(no_chains.ess_tail));

  const Summary one = summarize(DrawsView<double>{.data = data.data(), .chains = 1, .draws = 1});
  EXPECT_EQ(one.mean, 1.0);
  EXPECT_EQ(one.q95, 1.0);
  EXPECT_TRUE(std::isnan(one.sd) && std::isnan(one.ess_bulk));

  const Summary three = summarize(DrawsView<double>{.data = data.data(), .chains = 2, .draws = 3});
  EXPECT_DOUBLE_EQ(three.mean, 10.5);
  EXPECT_EQ(three.q50, 6.0);
  EXPECT_TRUE(std::isnan(three.rhat) && std::isnan(three.ess_bulk) && std::isnan(three.mcse_sd));

  EXPECT_TRUE(std::isnan(rhat(DrawsView<double>{.data = data.data(), .chains = 1, .draws = 6})));
}

TEST(Summary, ByHand) {
  // Halves (1, 2), (3, 4), (5, 6), (7, 8).
  const std::vector<double> data{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  const DrawsView<double> view{.data = data.data(), .chains = 2, .draws = 4};
  EXPECT_EQ(mean(view), 4.5);
  EXPECT_DOUBLE_EQ(sd(view), std::sqrt(6.0));
  EXPECT_EQ(quantile(view, 0.0), 1.0);
  EXPECT_EQ(quantile(view, 0.25), 2.75);
  EXPECT_EQ(quantile(view, 0.5), 4.5);
  EXPECT_EQ(quantile(view, 1.0), 8.0);
  // Halves of two draws have no second pair of lags, so the autocorrelation time is at its floor.
  EXPECT_DOUBLE_EQ(ess_mean(view), 8.0 * std::log10(8.0));
  EXPECT_DOUBLE_EQ(mcse_mean(view), std::sqrt(6.0 / (8.0 * std::log10(8.0))));
}

TEST(Summary, QuantilesRoundAsNumpyDoes) {
  // Interpolated from 0.91 downwards; from 0.64 upwards it would be 0.8965000000000001.
  const std::vector<double> data{0.64, 0.91};
  EXPECT_EQ(quantile(DrawsView<double>{.data = data.data(), .chains = 1, .draws = 2}, 0.95), 0.8965);
}

TEST(Summary, MistakesAreErrors) {
  const std::vector<double> data{1.0, 2.0, 3.0, 4.0};
  Summarizer summarizer;
  summarizer.read(DrawsView<double>{.data = data.data(), .chains = 1, .draws = 4});
  for (const double p : {-0.1, 1.1, quiet_nan}) {
    EXPECT_THROW(summarizer.quantile(p), breakstep::Error);
    EXPECT_THROW(summarizer.ess_quantile(p), breakstep::Error);
    EXPECT_THROW(summarizer.mcse_quantile(p), breakstep::Error);
  }
  const std::size_t many = std::size_t{1} << 32;
  EXPECT_THROW(summarizer.read(DrawsView<double>{.data = data.data(), .chains = many, .draws = 1}), breakstep::Error);
  EXPECT_THROW(summarizer.read(DrawsView<double>{.data = data.data(), .chains = many, .draws = many}),
               breakstep::Error);
  EXPECT_EQ(summarizer.mean(), 2.5) << "a refused view must leave the summarizer as it was";
}

}  // namespace
