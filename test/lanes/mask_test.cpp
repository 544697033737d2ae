// Mask: bits, set algebra, and the promise that bits beyond the width stay zero.
#include "breakstep/lanes/mask.hpp"

#include <gtest/gtest.h>

#include <vector>

using breakstep::lanes::for_each_lane;
using breakstep::lanes::Mask;

TEST(Mask, ComplementStaysWithinTheWidth) {
  EXPECT_EQ((~Mask<4>()).bits(), 0xFU);
  EXPECT_EQ((~Mask<16>(0x00FFU)).bits(), 0xFF00U);
  EXPECT_EQ((~Mask<32>()).bits(), 0xFFFFFFFFU);
  EXPECT_TRUE((~Mask<1>()).all());
}

TEST(Mask, BitsBeyondTheWidthAreIgnored) {
  EXPECT_EQ(Mask<4>(0xF3U).bits(), 0x3U);
  EXPECT_EQ(Mask<2>::first_lanes(9).bits(), 0x3U);
}

TEST(Mask, SetAlgebra) {
  const Mask<8> a(0b11001010), b(0b10101100);
  EXPECT_EQ((a & b).bits(), 0b10001000U);
  EXPECT_EQ((a | b).bits(), 0b11101110U);
  EXPECT_EQ((a ^ b).bits(), 0b01100110U);
  EXPECT_EQ(a.count(), 4);
  EXPECT_TRUE(a.any());
  EXPECT_FALSE(a.all());
  EXPECT_TRUE(Mask<8>().none());
}

TEST(Mask, LanesAreVisitedInAscendingOrder) {
  std::vector<int> seen;
  for_each_lane(Mask<16>(0b1000000000010110), [&](int lane) { seen.push_back(lane); });
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 4, 15}));
}

TEST(Mask, SetAndTest) {
  Mask<8> mask;
  mask.set(3);
  EXPECT_TRUE(mask[3]);
  mask.set(3, false);
  EXPECT_TRUE(mask.none());
  EXPECT_EQ(Mask<8>::only(7).bits(), 0x80U);
}
