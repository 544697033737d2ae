// Tables of sixteen numbers, at every width and whatever the index has in its other bits.
#include "breakstep/lanes/look_up.hpp"

#include <gtest/gtest.h>

#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::Case;

TEST(LookUp, EveryLaneReadsItsOwnPlace) {
  Table16 table{};
  for (int i = 0; i < 16; ++i) table.numbers[i] = 1.5F * static_cast<float>(i) - 7.0F;
  lanes_test::for_every_width<float>([&]<class T, int W>(Case<T, W>) {
    for (std::uint32_t shift = 0; shift < 16; ++shift) {
      for (const std::uint32_t others : {0U, 0x10U, 0x88888880U, 0xFFFFFFF0U}) {
        Pack<std::uint32_t, W> index;
        for (int lane = 0; lane < W; ++lane) {
          index.set(lane, ((static_cast<std::uint32_t>(5 * lane) + shift) & 15U) | others);
        }
        const auto found = look_up(table, index);
        for (int lane = 0; lane < W; ++lane) ASSERT_EQ(found[lane], table.numbers[index[lane] & 15U]) << W;
      }
    }
  });
}

}  // namespace
