// Program texts: white space, the shape of the parse tree, the exact words for each mistake, and very long inputs.
#include "breakstep/fsm/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/fsm/render.hpp"

namespace breakstep::fsm {
namespace {

std::string message(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Text, IgnoresWhiteSpaceBetweenWords) {
  const std::string spaced = " op1\top2 W {\n op3 \r\n} R{op4 }\v\f";
  EXPECT_EQ(coarsen(parse(spaced)), coarsen(parse("op1op2W{op3}R{op4}")));
  EXPECT_EQ(block_names(parse(spaced), spaced), (std::vector<std::string>{"op1op2", "op3", "op4"}));
}

TEST(Text, SimpleBlocksNestToTheRightAndBlocksToTheLeft) {
  const std::string text = "op1op22W{op3}";
  EXPECT_EQ(render(parse(text), text, Format::text),
            "Bs\n"
            "  Bs\n"
            "    B\n"
            "      SB\n"
            "        op1\n"
            "        SB\n"
            "          op22\n"
            "  B\n"
            "    WB\n"
            "      W\n"
            "      {\n"
            "      Bs\n"
            "        B\n"
            "          SB\n"
            "            op3\n"
            "      }\n");
}

TEST(Text, NodesKnowTheirText) {
  const std::string text = " op1 R{ op2 } ";
  for (const ParseNode& node : parse(text).nodes) {
    const std::string own = text.substr(node.begin, node.end - node.begin);
    EXPECT_TRUE(node.symbol != Symbol::repeat_block || own == "R{ op2 }") << own;
    EXPECT_TRUE(node.symbol != Symbol::repeat_word || own == "R") << own;
    EXPECT_TRUE(node.symbol != Symbol::simple_block || own == "op1" || own == "op2") << own;
  }
}

TEST(Text, MistakesAreKnownToTheCompilerToo) {
  static_assert(try_parse("op1").error.mistake == Mistake::none);
  static_assert(try_parse("op1W{op1").error.mistake == Mistake::unclosed_loop);
  static_assert(try_parse("op1W{op1").error.opened == 3);
}

struct Wrong {
  const char* text;
  const char* message;
};

// The name of the test in listings: what of the text can be shown.
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  for (const char* c = wrong.text; *c != '\0'; ++c) out << (*c > ' ' && *c <= '~' ? *c : '_');
  return out;
}

class WrongText : public testing::TestWithParam<Wrong> {};

TEST_P(WrongText, SaysWhatWasExpected) { EXPECT_EQ(message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Text, WrongText,
    testing::Values(
        Wrong{"", "the program is empty (it has no block): write at least one operation, such as op1"},
        Wrong{" \n ", "the program is empty (it has no block): write at least one operation, such as op1"},
        Wrong{"op",
              "the program ends in the middle of an operation (an operation is \"op\" directly followed by a number): "
              "expected for example op1\n"
              "  op\n"
              "    ^"},
        Wrong{"op 1",
              "unexpected ' ' at character 3 (an operation is \"op\" directly followed by a number): expected for "
              "example "
              "op1\n"
              "  op 1\n"
              "    ^"},
        Wrong{
            "W",
            "the program ends where a loop should begin (W and R are followed by \"{\"): expected { and a body, as in "
            "W{op1}\n"
            "  W\n"
            "   ^"},
        Wrong{"R op1",
              "unexpected 'o' at character 3 (W and R are followed by \"{\"): expected { and a body, as in W{op1}\n"
              "  R op1\n"
              "    ^"},
        Wrong{"W{",
              "the program ends inside a loop (the loop opened at character 1 is not closed): expected }, or more "
              "blocks\n"
              "  W{\n"
              "    ^"},
        Wrong{"op1W{op1",
              "the program ends inside a loop (the loop opened at character 4 is not closed): expected }, or more "
              "blocks\n"
              "  op1W{op1\n"
              "          ^"},
        Wrong{"W{}",
              "unexpected '}' at character 3 (the loop opened at character 1 has no block yet): expected at least one "
              "operation or loop, as in W{op1}\n"
              "  W{}\n"
              "    ^"},
        Wrong{
            "op1}",
            "unexpected '}' at character 4 (no loop is open here): remove it, or open a loop before it with W{ or R{\n"
            "  op1}\n"
            "     ^"},
        Wrong{"x",
              "unexpected 'x' at character 1 (no operation or loop starts with it): expected op1, W{ or R{\n"
              "  x\n"
              "  ^"},
        Wrong{"op1 w{op1}",
              "unexpected 'w' at character 5 (no operation or loop starts with it): write loops with a capital letter, "
              "W{...} or R{...}\n"
              "  op1 w{op1}\n"
              "      ^"},
        Wrong{"op1 {op1}",
              "unexpected '{' at character 5 (no operation or loop starts with it): write W or R before the brace\n"
              "  op1 {op1}\n"
              "      ^"},
        Wrong{"op1 2",
              "unexpected '2' at character 5 (no operation or loop starts with it): write operations as op1, op2, ...\n"
              "  op1 2\n"
              "      ^"},
        Wrong{"op1\xc3\xa9op2",
              "unexpected '\xc3\xa9' at character 4 (no operation or loop starts with it): expected op1, W{, R{ or the "
              "end "
              "of the program\n"
              "  op1\xc3\xa9op2\n"
              "     ^"},
        Wrong{"W{op1\xff}",
              "unexpected byte 0xff at character 6 (no operation or loop starts with it): expected op1, W{, R{ or }\n"
              "  W{op1?}\n"
              "       ^"}));

TEST(Text, PointsIntoTheRightLine) {
  EXPECT_EQ(message("op1\nW{\n  op2 x\n}\n"),
            "unexpected 'x' at line 3, character 7 (no operation or loop starts with it): expected op1, W{, R{ or }\n"
            "    op2 x\n"
            "        ^");
}

TEST(Text, ShowsOnlyAWindowOfALongLine) {
  EXPECT_EQ(
      message(repeated("op1", 100) + "x" + repeated("op2", 100)),
      "unexpected 'x' at character 301 (no operation or loop starts with it): expected op1, W{, R{ or the end of the "
      "program\n"
      "  ...1op1op1op1op1op1op1op1op1op1op1op1op1op1xop2op2op2op2op2op2op2op2op2op...\n"
      "                                             ^");
}

TEST(Text, ReadsAMillionCharactersHoweverDeep) {
  for (const std::string& text : {repeated("W{", 333332) + "op1" + repeated("}", 333332), repeated("op1", 333333),
                                  repeated("R{op1", 166666) + repeated("}", 166666), repeated("W{op1}", 166666)}) {
    const ParseTree tree = parse(text);
    const Tree coarse = coarsen(tree);
    const std::vector<std::string> names = block_names(tree, text);
    EXPECT_EQ(connect(coarse).states.size(), coarse.marks.size());
    EXPECT_FALSE(render(tree, text, Format::json).empty());
    EXPECT_FALSE(render(coarse, names, Format::text).empty());
  }
}

// Processor time, so that other programs on the machine do not count; the least of several tries.
double time_to_parse(const std::string& text) {
  std::clock_t least = std::numeric_limits<std::clock_t>::max();
  for (int i = 0; i < 7; ++i) {
    const std::clock_t start = std::clock();
    coarsen(parse(text));
    least = std::min(least, std::clock() - start);
  }
  return static_cast<double>(least);
}

TEST(Text, TakesLinearTime) {
  const double quarter = time_to_parse(repeated("op1W{", 40000) + "op1" + repeated("}", 40000));
  const double whole = time_to_parse(repeated("op1W{", 160000) + "op1" + repeated("}", 160000));
  EXPECT_LT(whole, 10 * quarter) << "4 times the text should take about 4 times as long; quadratic work would take 16";
}

}  // namespace
}  // namespace breakstep::fsm
