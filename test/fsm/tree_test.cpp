// The coarse tree: numbering of loops, and which programs may never halt.
#include "breakstep/fsm/tree.hpp"

#include <gtest/gtest.h>

#include "breakstep/fsm/text.hpp"

namespace breakstep::fsm {
namespace {

std::vector<int> numbers(const Tree& tree) {
  std::vector<int> numbers;
  for (const Mark& mark : tree.marks) numbers.push_back(mark.number);
  return numbers;
}

TEST(Tree, NumbersLoopsWhenTheyCloseAsThePaperDoes) {
  const Tree tree = coarsen(parse("op1 W{ op2 W{op3} R{op4} }"), Numbering::paper);
  EXPECT_EQ(numbers(tree), (std::vector<int>{0, 3, 1, 1, 2, 1, 2, 3, 2, 3}));
  EXPECT_EQ(tree.block_count, 4);
  EXPECT_EQ(tree.loop_count, 3);
}

TEST(Tree, NumbersLoopsWhenTheyOpenIfAskedFor) {
  const Tree tree = coarsen(parse("op1 W{ op2 W{op3} R{op4} }"), Numbering::source);
  EXPECT_EQ(numbers(tree), (std::vector<int>{0, 1, 1, 2, 2, 2, 3, 3, 3, 1}));
}

TEST(Tree, PartnersAreTheTwoEndsOfALoop) {
  const Tree tree = coarsen(parse("W{op1R{op2}}"));
  ASSERT_EQ(tree.marks.size(), 6U);
  EXPECT_EQ(tree.marks[0], (Mark{MarkKind::open_while, 2, 5}));
  EXPECT_EQ(tree.marks[1], (Mark{MarkKind::block, 0, 1}));
  EXPECT_EQ(tree.marks[2], (Mark{MarkKind::open_repeat, 1, 4}));
  EXPECT_EQ(tree.marks[5], (Mark{MarkKind::close, 2, 0}));
}

bool may_never_halt(const char* text) { return fsm::may_never_halt(coarsen(parse(text))); }

TEST(Tree, MayNeverHaltIfABodyCanBeWalkedThrough) {
  EXPECT_TRUE(may_never_halt("W{W{op1}}"));
  EXPECT_TRUE(may_never_halt("op1W{W{op1}}"));
  EXPECT_TRUE(may_never_halt("W{W{op1}W{op2}}"));
  EXPECT_TRUE(may_never_halt("R{W{op1}}"));
  EXPECT_TRUE(may_never_halt("W{R{W{op1}}}"));
  EXPECT_TRUE(may_never_halt("op1W{op2W{W{op3}}}"));
}

TEST(Tree, HaltsIfEveryRoundOfEveryLoopRunsABlock) {
  EXPECT_FALSE(may_never_halt("op1"));
  EXPECT_FALSE(may_never_halt("W{op1}W{op1}"));
  EXPECT_FALSE(may_never_halt("W{op1W{op1}}"));
  EXPECT_FALSE(may_never_halt("W{W{op1}op1}"));
  EXPECT_FALSE(may_never_halt("W{R{op1}}"));
  EXPECT_FALSE(may_never_halt("R{R{R{op1}}}"));
  EXPECT_FALSE(may_never_halt("R{W{op1}R{op2}}"));
}

}  // namespace
}  // namespace breakstep::fsm
