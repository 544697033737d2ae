// Philox4x32-10: Random123's published known answers, and equal words at every width in both lane sizes.
#include "breakstep/lanes/philox.hpp"

#include <gtest/gtest.h>

#include <array>

#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::Case;

struct KnownAnswer {
  std::array<std::uint32_t, 4> counter;
  std::uint64_t key;
  std::array<std::uint32_t, 4> words;
};

// From the file of known answers that Random123 ships (philox4x32, 10 rounds). Key word 0 is the low half.
const KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffffffffffff,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     0x299f31d0a4093822,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

template <class U>
void check_known_answers() {
  lanes_test::for_every_width<U>([]<class T, int W>(Case<T, W>) {
    for (const auto& [counter, key, words] : known_answers) {
      const auto result = philox<T, W>(
          key, {Pack<T, W>(counter[0]), Pack<T, W>(counter[1]), Pack<T, W>(counter[2]), Pack<T, W>(counter[3])});
      for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < W; ++lane)
          EXPECT_EQ(result.word[i][lane], words[i]) << "word " << i << " width " << W;
      }
    }
  });
}

TEST(Philox, KnownAnswersOfRandom123) {
  check_known_answers<std::uint32_t>();
  check_known_answers<std::uint64_t>();
}

TEST(Philox, EveryLaneIsItsOwnOneLaneRun) {
  const auto check = []<class T, int W>(Case<T, W>) {
    Words<T, W> counter;
    for (int i = 0; i < 4; ++i) {
      for (int lane = 0; lane < W; ++lane) {
        counter.word[i].set(lane, static_cast<T>(0x9E3779B97F4A7C15U * (7U * i + lane + 1)));  // also in high halves
      }
    }
    const auto wide = philox<T, W>(0x0123456789abcdef, counter);
    for (int lane = 0; lane < W; ++lane) {
      const auto one = philox<std::uint32_t, 1>(
          0x0123456789abcdef,
          {static_cast<std::uint32_t>(counter.word[0][lane]), static_cast<std::uint32_t>(counter.word[1][lane]),
           static_cast<std::uint32_t>(counter.word[2][lane]), static_cast<std::uint32_t>(counter.word[3][lane])});
      for (int i = 0; i < 4; ++i) EXPECT_EQ(wide.word[i][lane], one.word[i][0]);
    }
  };
  lanes_test::for_every_width<std::uint32_t>(check);
  lanes_test::for_every_width<std::uint64_t>(check);
}

}  // namespace
