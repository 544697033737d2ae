// The machines of the paper's figures, from C++ programs and from texts, with every edge listed.
#include "breakstep/fsm/paper.hpp"

#include <gtest/gtest.h>

#include "breakstep/fsm/text.hpp"
#include "lines.hpp"

namespace breakstep::fsm {
namespace {

using test::Lines;
using test::named_edges;

// Whether a C++ program and a text have the same machine, as the compiler sees it.
template <class... Parts>
constexpr bool same_machine(const Program<Parts...>&, std::string_view text) {
  return collapse(connect(tree_of<Parts...>())) == graph_of(text);
}

TEST(Paper, DelayedRejection) {
  EXPECT_EQ(named_edges(paper::delayed_rejection),
            (Lines{"init -> propose E1", "init -> done S1", "propose -> propose C1", "propose -> done F1"}));
  static_assert(same_machine(paper::delayed_rejection, "op1W{op2}op3"));
}

TEST(Paper, EllipticalSlice) {
  EXPECT_EQ(named_edges(paper::elliptical_slice),
            (Lines{"init -> shrink E1", "init -> done S1", "shrink -> shrink C1", "shrink -> done F1"}));
  static_assert(same_machine(paper::elliptical_slice, "op1W{op2}op3"));
}

TEST(Paper, SliceWithOneExpansionLoop) {
  EXPECT_EQ(named_edges(paper::slice),
            (Lines{"init_e -> expand E1", "init_e -> init_s S1", "expand -> expand C1", "expand -> init_s F1",
                   "init_s -> shrink E2", "init_s -> done S2", "shrink -> shrink C2", "shrink -> done F2"}));
  static_assert(same_machine(paper::slice, "op1W{op2}op3W{op4}op5"));
}

TEST(Paper, SliceWithTwoExpansionLoops) {
  EXPECT_EQ(named_edges(paper::slice_two_loops),
            (Lines{"init_e -> expand_lower E1", "init_e -> expand_upper S1 E2", "init_e -> init_s S1 S2",
                   "expand_lower -> expand_lower C1", "expand_lower -> expand_upper F1 E2",
                   "expand_lower -> init_s F1 S2", "expand_upper -> expand_upper C2", "expand_upper -> init_s F2",
                   "init_s -> shrink E3", "init_s -> done S3", "shrink -> shrink C3", "shrink -> done F3"}));
  static_assert(same_machine(paper::slice_two_loops, "op1W{op2}W{op3}op4W{op5}op6"));
}

TEST(Paper, NutsIsExactlyTheFigure) {
  EXPECT_EQ(named_edges(paper::nuts),
            (Lines{"init -> double E2", "init -> done S2", "double -> integrate N", "integrate -> integrate C1",
                   "integrate -> check F1", "check -> double C2", "check -> done F2"}));
  static_assert(same_machine(paper::nuts, "op1W{op2R{op3}op4}op5"));
}

TEST(Paper, NutsWithAnInnerWhileAddsDoubleToCheck) {
  EXPECT_EQ(named_edges(paper::nuts_while),
            (Lines{"init -> double E2", "init -> done S2", "double -> integrate E1", "double -> check S1",
                   "integrate -> integrate C1", "integrate -> check F1", "check -> double C2", "check -> done F2"}));
  static_assert(same_machine(paper::nuts_while, "op1W{op2W{op3}op4}op5"));
}

}  // namespace
}  // namespace breakstep::fsm
