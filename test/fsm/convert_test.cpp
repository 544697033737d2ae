// The conversion of texts, with all states and edges listed: the paper's examples, repeat loops, and the awkward cases.
#include "breakstep/fsm/convert.hpp"

#include <gtest/gtest.h>

#include <string>

#include "breakstep/error.hpp"
#include "breakstep/fsm/text.hpp"
#include "lines.hpp"

namespace breakstep::fsm {
namespace {

using test::edges;
using test::Lines;
using test::states;

Graph raw_of(const char* text) { return connect(coarsen(parse(text))); }

TEST(Convert, OneBlockIsOneStateWithoutEdges) {
  const Graph graph = graph_of("op1op2");
  EXPECT_EQ(states(graph), (Lines{"B0"}));
  EXPECT_EQ(edges(graph), Lines{});
  EXPECT_EQ(graph.initial, 0);
  EXPECT_EQ(graph.final, 0);
}

TEST(Convert, PaperOneLoopHasThreeStates) {
  const Graph graph = graph_of("op1W{op2}op3");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E1", "0 -> 2 S1", "1 -> 1 C1", "1 -> 2 F1"}));
  EXPECT_EQ(graph.initial, 0);
  EXPECT_EQ(graph.final, 2);
  EXPECT_FALSE(graph.may_never_halt);
}

TEST(Convert, PaperTwoLoopsInSequenceHaveFiveStates) {
  const Graph graph = graph_of("op1W{op2}op3W{op4}op5");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2", "B3", "B4"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E1", "0 -> 2 S1", "1 -> 1 C1", "1 -> 2 F1",  //
                                 "2 -> 3 E2", "2 -> 4 S2", "3 -> 3 C2", "3 -> 4 F2"}));
}

TEST(Convert, PaperTwoNestedLoopsHaveFiveStates) {
  const Graph graph = graph_of("op1W{op2W{op3}op4}op5");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2", "B3", "B4"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E2", "0 -> 4 S2", "1 -> 2 E1", "1 -> 3 S1", "2 -> 2 C1", "2 -> 3 F1",
                                 "3 -> 1 C2", "3 -> 4 F2"}));
}

TEST(Convert, PaperRunningExampleParses) {
  EXPECT_EQ(render(parse("op1W{op1W{op1}}"), "op1W{op1W{op1}}", Format::text),
            "Bs\n"
            "  Bs\n"
            "    B\n"
            "      SB\n"
            "        op1\n"
            "  B\n"
            "    WB\n"
            "      W\n"
            "      {\n"
            "      Bs\n"
            "        Bs\n"
            "          B\n"
            "            SB\n"
            "              op1\n"
            "        B\n"
            "          WB\n"
            "            W\n"
            "            {\n"
            "            Bs\n"
            "              B\n"
            "                SB\n"
            "                  op1\n"
            "            }\n"
            "      }\n");
}

TEST(Convert, PaperRunningExampleCoarsens) {
  const std::vector<std::string> names(3, "op1");
  EXPECT_EQ(render(coarsen(parse("op1W{op1W{op1}}")), names, Format::text),
            "blocks\n"
            "  op1\n"
            "  while 2\n"
            "    op1\n"
            "    while 1\n"
            "      op1\n");
}

TEST(Convert, PaperRunningExampleConnects) {
  const Graph graph = raw_of("op1W{op1W{op1}}");
  EXPECT_EQ(states(graph), (Lines{"B0", "I2", "B1", "I1", "B2", "T1", "T2"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 N",                //
                                 "1 -> 2 E2", "1 -> 6 S2",  //
                                 "2 -> 3 N",                //
                                 "3 -> 4 E1", "3 -> 5 S1",  //
                                 "4 -> 4 C1", "4 -> 5 F1",  //
                                 "5 -> 2 C2", "5 -> 6 F2"}));
  EXPECT_EQ(graph.initial, 0);
  EXPECT_EQ(graph.final, 6);
}

TEST(Convert, PaperRunningExampleCollapses) {
  const Graph graph = graph_of("op1W{op1W{op1}}");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2", "T2"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E2", "0 -> 3 S2",                     //
                                 "1 -> 1 S1 C2", "1 -> 2 E1", "1 -> 3 S1 F2",  //
                                 "2 -> 1 F1 C2", "2 -> 2 C1", "2 -> 3 F1 F2"}));
  EXPECT_EQ(graph.initial, 0);
  EXPECT_EQ(graph.final, 3);
}

TEST(Convert, PaperBothLoopsCanBeSkipped) {
  const Graph graph = graph_of("op1W{op1}W{op1}op2");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2", "B3"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E1", "0 -> 2 S1 E2", "0 -> 3 S1 S2",  //
                                 "1 -> 1 C1", "1 -> 2 F1 E2", "1 -> 3 F1 S2",  //
                                 "2 -> 2 C2", "2 -> 3 F2"}));
}

TEST(Convert, RepeatIsEnteredWithoutATest) {
  const Graph raw = raw_of("op1R{op2}op3");
  EXPECT_EQ(states(raw), (Lines{"B0", "I1", "B1", "T1", "B2"}));
  EXPECT_EQ(edges(raw), (Lines{"0 -> 1 N", "1 -> 2 N", "2 -> 2 C1", "2 -> 3 F1", "3 -> 4 N"}));
  EXPECT_EQ(edges(collapse(raw)), (Lines{"0 -> 1 N", "1 -> 1 C1", "1 -> 2 F1"}));
}

TEST(Convert, RepeatsInsideRepeatsShareTheirEnds) {
  // Two edges with the same ends and different labels: the paper's procedure would stop with an error here.
  EXPECT_EQ(edges(graph_of("op1R{R{op2}}op3")), (Lines{"0 -> 1 N", "1 -> 1 C1", "1 -> 1 F1 C2", "1 -> 2 F1 F2"}));
}

TEST(Convert, KeepsTheEmptyEndsOfTheWholeProgram) {
  const Graph graph = graph_of("W{op1}");
  EXPECT_EQ(states(graph), (Lines{"I1", "B0", "T1"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E1", "0 -> 2 S1", "1 -> 1 C1", "1 -> 2 F1"}));
  EXPECT_EQ(graph.initial, 0);
  EXPECT_EQ(graph.final, 2);
}

TEST(Convert, JudgesContradictionsAlongTheWholeEdge) {
  // The first loop's F1 and a second E1 of it have S2 and C3 between them, and still exclude each other: there is no
  // edge 1 -> 1 F1 S2 C3 E1. What remains of that path ends in the empty state T2.
  const Graph graph = graph_of("op1W{W{op2}W{op3}}op4");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "B2", "T2", "B3"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E3 E1", "0 -> 2 E3 S1 E2", "0 -> 3 E3 S1 S2", "0 -> 4 S3",  //
                                 "1 -> 1 C1", "1 -> 2 F1 E2", "1 -> 3 F1 S2",                        //
                                 "2 -> 2 C2", "2 -> 3 F2",                                           //
                                 "3 -> 1 C3 E1", "3 -> 2 C3 S1 E2", "3 -> 3 C3 S1 S2", "3 -> 4 F3"}));
  EXPECT_TRUE(graph.may_never_halt);
}

TEST(Convert, KeepsAnEmptyStateThatLoopsOnItself) {
  const Graph graph = graph_of("op1W{W{op1}}");
  EXPECT_EQ(states(graph), (Lines{"B0", "B1", "T1", "T2"}));
  EXPECT_EQ(edges(graph), (Lines{"0 -> 1 E2 E1", "0 -> 2 E2 S1", "0 -> 3 S2",  //
                                 "1 -> 1 C1", "1 -> 2 F1",                     //
                                 "2 -> 1 C2 E1", "2 -> 2 C2 S1", "2 -> 3 F2"}));
  EXPECT_TRUE(graph.may_never_halt);
  EXPECT_TRUE(raw_of("op1W{W{op1}}").may_never_halt);
}

TEST(Convert, NumbersLoopsAsAskedFor) {
  EXPECT_EQ(edges(graph_of("op1W{op1W{op1}}", Numbering::source)),
            (Lines{"0 -> 1 E1", "0 -> 3 S1", "1 -> 1 S2 C1", "1 -> 2 E2", "1 -> 3 S2 F1", "2 -> 1 F2 C1", "2 -> 2 C2",
                   "2 -> 3 F2 F1"}));
}

TEST(Convert, IsTheSameAtCompileTime) {
  static_assert(graph_of("op1W{op1}op2").states.size() == 3);
  static_assert(graph_of("op1W{op1}op2") == graph_of(" op7 W { op8 } op9 "));
  static_assert(!(graph_of("op1W{op1}op2") == graph_of("op1R{op1}op2")));
  static_assert(graph_of("op1W{W{op1}}").may_never_halt);
}

TEST(Convert, RefusesAMachineThatIsTooLarge) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "W{op1}";
  try {
    graph_of(text);
    FAIL() << "300 loops in sequence should be too many";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "too many labels in the collapsed machine (the limit is 10000000): stop before collapsing (--stage raw, "
        "which grows only linearly) or put blocks between the loops");
  }
}

}  // namespace
}  // namespace breakstep::fsm
