// Thousands of random programs: every stage of the conversion visits the blocks that the program's own loops visit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "breakstep/fsm/convert.hpp"
#include "breakstep/fsm/text.hpp"
#include "lines.hpp"
#include "random_program.hpp"

namespace breakstep::fsm {
namespace {

using test::Dice;
using test::Ending;
using test::ProgramWriter;
using test::RandomProgram;
using test::Walk;
using test::Walker;
using test::World;

constexpr std::uint64_t seed = 20250714;
constexpr int walked_programs = 20000;
constexpr int enumerated_programs = 4000;
constexpr int mutated_programs = 1000;

// Runs the parse tree by its grammar. Blocks and loops are counted as they are met in the text.
class ParseTreeRun {
 public:
  ParseTreeRun(const ParseTree& tree, Walker& walker) : tree_(tree), walker_(walker), number_(tree.nodes.size(), 0) {
    int blocks = 0;
    int loops = 0;
    for (int i = 0; i < count(tree.nodes); ++i) {
      const Symbol symbol = tree.nodes[i].symbol;
      if (symbol == Symbol::while_block || symbol == Symbol::repeat_block) number_[i] = ++loops;
      if (symbol == Symbol::block && tree.nodes[i - 1].symbol == Symbol::simple_block) number_[i - 1] = blocks++;
    }
  }

  bool run(int node) {
    switch (tree_.nodes[node].symbol) {
      case Symbol::simple_block:
        return walker_.visit(number_[node]);
      case Symbol::while_block:
        while (walker_.test(number_[node])) {
          if (!walker_.move() || !run(node - 2)) return false;
        }
        return true;
      case Symbol::repeat_block:
        do {
          if (!walker_.move() || !run(node - 2)) return false;
        } while (walker_.test(number_[node]));
        return true;
      case Symbol::blocks: {
        const int last = node - 1;
        const int before = last - tree_.nodes[last].size;
        const bool has_two = tree_.nodes[node].size > 1 + tree_.nodes[last].size;
        return (!has_two || run(before)) && run(last);
      }
      default:
        return run(node - 1);
    }
  }

 private:
  const ParseTree& tree_;
  Walker& walker_;
  std::vector<int> number_;
};

Walk walk_parse_tree(const ParseTree& tree, const World& world, int value) {
  Walker walker(world, value);
  ParseTreeRun(tree, walker).run(count(tree.nodes) - 1);
  return walker.walk();
}

Walk walk_coarse_tree(const Tree& tree, const World& world, int value) {
  Walker walker(world, value);
  for (int here = 0; here < count(tree.marks); ++here) {
    const Mark& mark = tree.marks[here];
    if (mark.kind == MarkKind::block && !walker.visit(mark.number)) break;
    if (mark.kind != MarkKind::block && !walker.move()) break;
    if (mark.kind == MarkKind::open_while && !walker.test(mark.number)) here = mark.partner;
    if (mark.kind == MarkKind::close && walker.test(mark.number)) here = mark.partner;
  }
  return walker.walk();
}

bool holds(const Graph& graph, const Edge& edge, const auto& test_condition) {
  const auto labels = graph.labels_of(edge);
  return std::all_of(labels.begin(), labels.end(), [&](Label label) {
    return label.kind == LabelKind::next || test_condition(label.loop) == label.wants();
  });
}

// The only edge out of `state` whose labels hold, or none if there are no or several.
std::optional<Edge> enabled_edge(const Graph& graph, int state, const auto& test_condition) {
  std::optional<Edge> enabled;
  auto edge = std::lower_bound(graph.edges.begin(), graph.edges.end(), state,
                               [](const Edge& candidate, int from) { return candidate.from < from; });
  for (; edge != graph.edges.end() && edge->from == state; ++edge) {
    if (!holds(graph, *edge, test_condition)) continue;
    if (enabled) return std::nullopt;
    enabled = *edge;
  }
  return enabled;
}

// Nothing if some state on the way had no edge to take, or more than one.
std::optional<Walk> walk_graph(const Graph& graph, const World& world, int value) {
  Walker walker(world, value);
  for (int here = graph.initial;;) {
    const State& state = graph.states[here];
    if (!state.empty() && !walker.visit(state.number)) break;
    if (here == graph.final || !walker.move()) break;
    const auto edge = enabled_edge(graph, here, [&](int loop) { return walker.test(loop); });
    if (!edge) return std::nullopt;
    here = edge->to;
  }
  return walker.walk();
}

RandomProgram random_program(Dice& dice, int most_loops) { return ProgramWriter(dice, most_loops).write(); }

TEST(ConvertProperty, EveryStageVisitsTheSameBlocks) {
  Dice dice(seed);
  int endings[3] = {0, 0, 0};
  int endless = 0;
  int deep = 0;
  for (int i = 0; i < walked_programs; ++i) {
    const RandomProgram program = random_program(dice, 10);
    const World world = test::random_world(dice, program);
    const ParseTree parse_tree = parse(program.text);
    const Tree tree = coarsen(parse_tree);
    const Graph raw = connect(tree);
    const Graph collapsed = collapse(raw);
    ASSERT_EQ(tree.block_count, program.blocks);
    ASSERT_EQ(tree.loop_count, program.loops);
    for (int value = 0; value < World::values; ++value) {
      Walker walker(world, value);
      run_loops(program.items, walker);
      const Walk expected = walker.walk();
      ASSERT_EQ(walk_parse_tree(parse_tree, world, value), expected) << program.text;
      ASSERT_EQ(walk_coarse_tree(tree, world, value), expected) << program.text;
      ASSERT_EQ(walk_graph(raw, world, value), expected) << program.text;
      ASSERT_EQ(walk_graph(collapsed, world, value), expected) << program.text;
      ASSERT_TRUE(expected.ending != Ending::spins || raw.may_never_halt) << program.text;
      ++endings[static_cast<int>(expected.ending)];
    }
    endless += raw.may_never_halt ? 1 : 0;
    deep += program.depth >= 3 ? 1 : 0;
  }
  // All kinds of runs and programs occur often enough to mean something.
  EXPECT_GT(endings[static_cast<int>(Ending::halted)], walked_programs);
  EXPECT_GT(endings[static_cast<int>(Ending::cut)], walked_programs / 4);
  EXPECT_GT(endings[static_cast<int>(Ending::spins)], walked_programs / 20);
  EXPECT_GT(endless, walked_programs / 10);
  EXPECT_GT(deep, walked_programs / 10);
}

using NamedEdge = std::tuple<int, int, std::vector<Label>>;

std::vector<Label> tests_of(const Graph& graph, const Edge& edge) {
  std::vector<Label> tests;
  for (const Label label : graph.labels_of(edge)) {
    if (label.kind != LabelKind::next) tests.push_back(label);
  }
  return tests;
}

// What collapsing must give, found without it: from every state that is kept, for every valuation of the conditions,
// follow the raw machine to the next state that is kept.
std::set<NamedEdge> edges_by_enumeration(const Graph& raw, const Graph& collapsed) {
  std::vector<int> collapsed_number(raw.states.size(), -1);
  for (int i = 0; i < count(collapsed.states); ++i) {
    const auto found = std::find(raw.states.begin(), raw.states.end(), collapsed.states[i]);
    collapsed_number[static_cast<std::size_t>(found - raw.states.begin())] = i;
  }
  std::set<NamedEdge> edges;
  for (int start = 0; start < count(raw.states); ++start) {
    if (collapsed_number[start] < 0 || start == raw.final) continue;
    for (unsigned valuation = 0; valuation < 1U << raw.loop_count; ++valuation) {
      const auto test_condition = [&](int loop) { return (valuation >> (loop - 1) & 1U) != 0; };
      std::vector<Label> labels;
      int here = start;
      do {
        const auto edge = enabled_edge(raw, here, test_condition);
        const auto tests = tests_of(raw, edge.value());
        labels.insert(labels.end(), tests.begin(), tests.end());
        here = edge->to;
      } while (collapsed_number[here] < 0);
      edges.emplace(collapsed_number[start], collapsed_number[here], labels);
    }
  }
  return edges;
}

TEST(ConvertProperty, CollapsedEdgesAreThoseFoundByEnumeration) {
  Dice dice(seed + 1);
  for (int i = 0; i < enumerated_programs; ++i) {
    const RandomProgram program = random_program(dice, 7);
    const Graph raw = connect(coarsen(parse(program.text)));
    const Graph collapsed = collapse(raw);
    std::vector<NamedEdge> edges;
    for (const Edge& edge : collapsed.edges) edges.emplace_back(edge.from, edge.to, tests_of(collapsed, edge));
    const auto expected = edges_by_enumeration(raw, collapsed);
    ASSERT_EQ(std::set<NamedEdge>(edges.begin(), edges.end()), expected) << program.text;
    ASSERT_EQ(edges.size(), expected.size()) << "an edge occurs twice in " << program.text;
  }
}

TEST(ConvertProperty, EveryValuationEnablesExactlyOneEdge) {
  Dice dice(seed + 2);
  for (int i = 0; i < enumerated_programs; ++i) {
    const RandomProgram program = random_program(dice, 8);
    const Graph graph = graph_of(program.text);
    for (int state = 0; state < count(graph.states); ++state) {
      for (unsigned valuation = 0; valuation < 1U << graph.loop_count; ++valuation) {
        const auto test_condition = [&](int loop) { return (valuation >> (loop - 1) & 1U) != 0; };
        ASSERT_EQ(enabled_edge(graph, state, test_condition).has_value(), state != graph.final) << program.text;
      }
    }
  }
}

TEST(ConvertProperty, CollapsedMachinesAreWellFormed) {
  Dice dice(seed + 3);
  for (int i = 0; i < enumerated_programs; ++i) {
    const RandomProgram program = random_program(dice, 10);
    const Graph graph = graph_of(program.text);
    bool has_trap = false;
    for (const Edge& edge : graph.edges) {
      const auto labels = graph.labels_of(edge);
      const bool has_next =
          std::any_of(labels.begin(), labels.end(), [](Label label) { return label.kind == LabelKind::next; });
      ASSERT_TRUE(!has_next || labels.size() == 1) << "N stands alone; " << program.text;
      has_trap = has_trap || (edge.from == edge.to && graph.states[edge.from].empty());
    }
    ASSERT_EQ(has_trap, graph.may_never_halt) << program.text;
    for (int state = 0; state < count(graph.states); ++state) {
      const bool at_an_end = state == graph.initial || state == graph.final;
      ASSERT_TRUE(!graph.states[state].empty() || at_an_end || graph.may_never_halt) << program.text;
    }
  }
}

// A machine with one mistake: an edge that leads elsewhere, is missing, or has a test the wrong way round.
Graph mutated(Graph graph, Dice& dice) {
  const int index = dice.roll(count(graph.edges));
  Edge& edge = graph.edges[index];
  Label& label = graph.labels[edge.first_label + dice.roll(edge.label_count)];
  const int kind = dice.roll(3);
  if (kind == 0) edge.to = (edge.to + 1 + dice.roll(count(graph.states) - 1)) % count(graph.states);
  if (kind == 1) graph.edges.erase(graph.edges.begin() + index);
  if (kind == 2) label = {label.wants() ? LabelKind::finish : LabelKind::again, std::max(label.loop, 1)};
  return graph;
}

bool walks_differ(const Graph& graph, const Graph& changed, const World& world) {
  for (int value = 0; value < World::values; ++value) {
    if (walk_graph(graph, world, value) != walk_graph(changed, world, value)) return true;
  }
  return false;
}

TEST(ConvertProperty, MistakesInAMachineAreCaught) {
  Dice dice(seed + 4);
  int mutants = 0;
  int caught = 0;
  for (int i = 0; i < mutated_programs; ++i) {
    const RandomProgram program = random_program(dice, 4);
    if (program.loops == 0) continue;
    const Graph graph = graph_of(program.text);
    const Graph changed = mutated(graph, dice);
    // Several worlds, because one may never come past the place of the mistake.
    bool differ = false;
    for (int world = 0; world < 40 && !differ; ++world) {
      differ = walks_differ(graph, changed, test::random_world(dice, program));
    }
    ++mutants;
    caught += differ ? 1 : 0;
  }
  EXPECT_GT(mutants, mutated_programs / 2);
  // Not all, because some are no mistakes: the changed edge leads to an empty state from which the right one is
  // reached, or it leaves an empty state in a case that cannot occur there.
  EXPECT_GT(caught, mutants * 95 / 100) << caught << " of " << mutants;
  RecordProperty("mutants", mutants);
  RecordProperty("caught", caught);
  std::cout << caught << " of " << mutants << " mutants caught\n";
}

}  // namespace
}  // namespace breakstep::fsm
