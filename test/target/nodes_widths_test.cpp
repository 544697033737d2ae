// Coarse nodes give the same bits at every width, on the tape, by duals and with packs.
#include <gtest/gtest.h>

#include "gradients.hpp"

namespace {

using namespace target_test;

template <class T, int W>
void expect_the_bits_of_one_lane() {
  const lanes::FlushToZero scope;
  for_every_node([](const char* name, auto coarse, auto, int n) {
    const auto together = positions<T, W>(n);
    const auto found = on_tape(coarse, together);
    const auto duals = by_duals(coarse, together);
    for (int lane = 0; lane < W; lane += W / 2 + 1) {
      std::vector<Pack<T, 1>> alone;
      alone.reserve(together.size());
      for (const auto& x : together) alone.emplace_back(x[lane]);
      const auto expected = on_tape(coarse, alone);
      const auto expected_duals = by_duals(coarse, alone);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(lanes_test::bits(found[i][lane]), lanes_test::bits(expected[i][0])) << name << " " << W;
        EXPECT_EQ(lanes_test::bits(duals[i][lane]), lanes_test::bits(expected_duals[i][0])) << name << " " << W;
      }
    }
  });
}

TEST(Nodes, TheSameBitsAtEveryWidth) {
  expect_the_bits_of_one_lane<BREAKSTEP_TEST_REAL, 8>();
#ifndef BREAKSTEP_FEW_WIDTHS
  expect_the_bits_of_one_lane<BREAKSTEP_TEST_REAL, 2>();
  expect_the_bits_of_one_lane<BREAKSTEP_TEST_REAL, 4>();
  expect_the_bits_of_one_lane<BREAKSTEP_TEST_REAL, 16>();
#endif
}

}  // namespace
