// Bands of ranks: their coverage against simulation, known answers, and ranks that are not uniform.
#include "breakstep/diagnostics/uniform_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using breakstep::diagnostics::RankBand;
using breakstep::diagnostics::RankCheck;
using breakstep::diagnostics::UniformRanks;

std::vector<std::uint32_t> counts_of(std::size_t count, std::size_t highest, std::mt19937_64& random) {
  std::vector<std::uint32_t> counts(highest + 1);
  for (std::size_t i = 0; i < count; ++i) ++counts[random() % (highest + 1)];
  return counts;
}

// Of 4,000 simulated sets, the share outside is within 5 standard errors of what the band promises, and so is the share
// whose p is at most a tenth: each fails by chance once in 1.7 million.
TEST(UniformRanks, LeaveTheBandAsOftenAsPromised) {
  std::mt19937_64 random(7);
  const UniformRanks uniform(200, 19);
  const RankBand band = uniform.band(0.1);
  int outside = 0, small = 0;
  constexpr int sets = 4000;
  for (int i = 0; i < sets; ++i) {
    const RankCheck check = uniform.check(counts_of(200, 19, random), band);
    outside += check.is_inside ? 0 : 1;
    small += check.p <= 0.1 ? 1 : 0;
  }
  EXPECT_LT(outside, sets * 0.1 + 5 * std::sqrt(sets * 0.09));
  EXPECT_GT(outside, sets * 0.09 - 5 * std::sqrt(sets * 0.09));  // whole numbers leave a little unused
  EXPECT_EQ(outside, small);
}

// With two possible ranks there is one point, where the band is a binomial interval: of 10, P(0, 1, 9 or 10) = 22/1024.
TEST(UniformRanks, AgreeWithTheBinomialAtASinglePoint) {
  const UniformRanks uniform(10, 1);
  const RankBand band = uniform.band(0.022);
  EXPECT_EQ(band.lowest, std::vector<std::uint32_t>{2});
  EXPECT_EQ(band.highest, std::vector<std::uint32_t>{8});
  EXPECT_EQ(uniform.band(0.021).lowest, std::vector<std::uint32_t>{1});
  const RankCheck check = uniform.check(std::vector<std::uint32_t>{1, 9}, band);
  EXPECT_NEAR(check.p, 22.0 / 1024, 1e-12);
  EXPECT_NEAR(check.largest_deviation, 0.4, 1e-15);
  EXPECT_FALSE(check.is_inside);
  EXPECT_EQ(uniform.bin_interval(1, 0.022), std::make_pair(2U, 8U));
}

// A U, a hill and a slope, each of one part in four.
TEST(UniformRanks, ReportWhatIsNotUniform) {
  const UniformRanks uniform(1000, 99);
  const RankBand band = uniform.band(0.01);
  std::vector<std::uint32_t> flat(100, 10), ends(100, 10), middle(100, 10), slope(100, 10);
  for (std::size_t r = 0; r < 100; ++r) {
    const bool is_outer = r < 25 || r >= 75;
    ends[r] = is_outer ? 13 : 7;
    middle[r] = is_outer ? 7 : 13;
    slope[r] = r < 50 ? 12 : 8;
  }
  EXPECT_TRUE(uniform.check(flat, band).is_inside);
  EXPECT_GT(uniform.check(flat, band).p, 0.99);
  for (const auto& counts : {ends, middle, slope}) {
    EXPECT_FALSE(uniform.check(counts, band).is_inside);
    EXPECT_LT(uniform.check(counts, band).p, 0.01);
  }
}

TEST(UniformRanks, StayExactForManyRanks) {
  const UniformRanks uniform(20000, 9);
  const RankBand band = uniform.band(0.01);
  const std::vector<std::uint32_t> flat(10, 2000);
  EXPECT_TRUE(uniform.check(flat, band).is_inside);
  // Pointwise 99 % at one half is 2.58 standard deviations of 70.7; holding everywhere takes more, but not twice that.
  EXPECT_LT(band.lowest[4], 10000U - 182U);
  EXPECT_GT(band.lowest[4], 10000U - 364U);
}

}  // namespace
