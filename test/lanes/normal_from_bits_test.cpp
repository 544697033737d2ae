// Normal numbers from bits against the quantile in double precision, at every edge of the tables and at every width.
#include "breakstep/lanes/math/normal_from_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::Case;

/// Words around every power of two, where tables change and end, and others in between.
std::vector<std::uint32_t> words() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t k = 0; k < 70'000; ++k) all.push_back(k);  // the tail beyond the tables, and some more
  for (int octave = 17; octave < 31; ++octave) {
    for (std::uint32_t near = 0; near < 300; ++near) {
      all.push_back((1U << octave) - near);
      all.push_back((1U << octave) + near);
    }
  }
  for (std::uint32_t near = 0; near < 1000; ++near) all.push_back(0x7FFFFFFFU - near);
  for (std::uint32_t k = 0; k < 0x7FFFF000U; k += 3989) all.push_back(k);
  return all;
}

double exact(std::uint32_t k) { return -normal_quantile(Pack<double, 1>((k == 0 ? 0.5 : k) * 0x1p-32))[0]; }

float positive(std::uint32_t k) { return normal_from_bits(Pack<std::uint32_t, 1>(k))[0]; }

/// How many units in the last place of max(|x|, 1) the worst is off. Converting k to float alone costs up to half of
/// one in k, which the quantile shrinks beyond 1 and does not enlarge below.
template <class Function>
double worst_error(Function function) {
  double worst = 0;
  for (const std::uint32_t k : words()) {
    const double x = exact(k), unit = std::ldexp(1.0, std::max(std::ilogb(x), 0) - 23);
    worst = std::max(worst, std::abs(static_cast<double>(function(k)) - x) / unit);
  }
  return worst;
}

TEST(NormalFromBits, IsTheQuantileOfTheTail) {
  const FlushToZero scope;
  EXPECT_LT(worst_error(positive), 2.0);
}

TEST(NormalFromBits, TheCheckNoticesACoefficientThatIsOff) {
  const FlushToZero scope;
  EXPECT_GT(worst_error([](std::uint32_t k) { return positive(k) + (k >> 16 == 1 ? 0x1p-18F : 0.0F); }), 2.0);
}

TEST(NormalFromBits, TheHighestBitIsTheSign) {
  const FlushToZero scope;
  for (const std::uint32_t k : words()) {
    ASSERT_EQ(bits(normal_from_bits(Pack<std::uint32_t, 1>(k | 0x80000000U))[0]), bits(-positive(k))) << k;
  }
}

TEST(NormalFromBits, ReachesFarAndNoFurther) {
  const FlushToZero scope;
  EXPECT_NEAR(positive(0), 6.3379, 1e-3);
  EXPECT_GT(positive(0), positive(1));
  EXPECT_EQ(positive(0x7FFFFFFFU), 0.0F);
}

/// Lanes beyond the tables among others: each has what it would have alone.
TEST(NormalFromBits, ALaneIsTheSameAtEveryWidth) {
  const FlushToZero scope;
  const auto all = words();
  lanes_test::for_every_width<float>([&]<class T, int W>(Case<T, W>) {
    for (std::size_t i = 0; i + W <= all.size(); i += 97) {
      Pack<std::uint32_t, W> own;
      for (int lane = 0; lane < W; ++lane) own.set(lane, all[(i + 7919U * static_cast<unsigned>(lane)) % all.size()]);
      const auto made = normal_from_bits(own);
      for (int lane = 0; lane < W; ++lane) ASSERT_EQ(bits(made[lane]), bits(positive(own[lane]))) << own[lane];
    }
  });
}

}  // namespace
