// C++ programs: what may be a block, what the program offers, and that machine and loops run the same blocks.
#include "breakstep/fsm/program.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "breakstep/fsm/text.hpp"
#include "lines.hpp"

namespace breakstep::fsm {
namespace {

using test::Lines;

// A chain's variables: a counter per loop, and what has been run.
struct Chain {
  int outer = 0;
  int inner = 0;
  std::string trace;
};

void start(Chain& chain) { chain.trace += 's'; }
bool outer_goes_on(const Chain& chain) { return chain.outer < 3; }
struct Advance {
  char letter;
  constexpr void operator()(auto& chain) const {
    ++chain.outer;
    chain.inner = 0;
    chain.trace += letter;
  }
};

// Function pointers, function objects with data, and generic lambdas side by side, as a member of a sampler.
struct Sampler {
  static constexpr auto program =
      fsm::program(fsm::block("start", start),
                   fsm::loop(outer_goes_on, fsm::block("advance", Advance{'a'}),
                             fsm::loop([](const auto& chain) { return chain.inner < chain.outer - 1; },
                                       fsm::block(
                                           "inner",
                                           [](auto& chain) {
                                             ++chain.inner;
                                             chain.trace += 'i';
                                           },
                                           fsm::density, [](auto& chain) { chain.trace += '!'; }))),
                   fsm::block("done", [](auto& chain) { chain.trace += 'd'; }));
};

template <std::size_t count, class Body>
constexpr void for_each_index(Body body) {
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (body(std::integral_constant<int, static_cast<int>(index)>()), ...);
  }
  (std::make_index_sequence<count>());
}

template <class Block>
void run_block(const Block& block, Chain& chain) {
  block.before(chain);
  if constexpr (Block::asks_density) block.after(chain);
}

// Runs a program as its machine, with everything that is known to the compiler decided by it. P::machine is named in
// full because g++ 12 with -fsanitize=undefined crashes on a local constexpr reference to it inside the lambdas.
template <class P>
void run_machine(const P& program, Chain& chain) {
  int here = P::machine.initial;
  for (bool running = true; running;) {
    int next = -1;
    for_each_index<P::machine.states.size()>([&](auto state) {
      if (here != state) return;
      if constexpr (!P::machine.states[state].empty())
        run_block(std::get<P::machine.states[state].number>(program.blocks), chain);
      for_each_index<P::machine.edges.size()>([&](auto index) {
        constexpr Transition edge = P::machine.edges[index];
        if constexpr (edge.from == state) {
          bool taken = true;
          for_each_index<P::loop_count>([&](auto loop) {
            if constexpr ((edge.when_true >> loop & 1U) != 0)
              taken = taken && std::get<loop>(program.conditions)(chain);
            if constexpr ((edge.when_false >> loop & 1U) != 0)
              taken = taken && !std::get<loop>(program.conditions)(chain);
          });
          if (taken) next = edge.to;
        }
      });
    });
    running = here != P::machine.final;
    here = next;
  }
}

// Runs the same program as it was written.
template <class... Parts>
void run_parts(const std::tuple<Parts...>& parts, Chain& chain);

template <Part P>
void run_part(const P& part, Chain& chain) {
  if constexpr (is_block<P>) {
    run_block(part, chain);
  } else if constexpr (P::tests_first) {
    while (part.condition(chain)) run_parts(part.parts, chain);
  } else {
    do {
      run_parts(part.parts, chain);
    } while (part.condition(chain));
  }
}

template <class... Parts>
void run_parts(const std::tuple<Parts...>& parts, Chain& chain) {
  std::apply([&](const auto&... part) { (run_part(part, chain), ...); }, parts);
}

template <class P>
std::string trace_of_machine(const P& program) {
  Chain chain;
  run_machine(program, chain);
  return chain.trace;
}

template <class P>
std::string trace_of_loops(const P& program) {
  Chain chain;
  run_parts(program.parts, chain);
  return chain.trace;
}

TEST(Program, MachineAndLoopsRunTheSameBlocks) {
  EXPECT_EQ(trace_of_loops(Sampler::program), "saai!ai!i!d");
  EXPECT_EQ(trace_of_machine(Sampler::program), "saai!ai!i!d");
}

TEST(Program, OffersItsPartsAsConstants) {
  using P = std::remove_const_t<decltype(Sampler::program)>;
  static_assert(P::block_count == 4);
  static_assert(P::loop_count == 2);
  static_assert(P::asks_density == std::array{false, false, true, false});
  static_assert(Sampler::program.names()[2] == "inner");
  static_assert(P::machine.states.size() == 4);
  static_assert(P::machine.initial == 0 && P::machine.final == 3);
  static_assert(std::get<0>(P::machine.edges).when_true == 2, "entering the outer loop, number 2, is bit 1");
  static_assert(std::is_same_v<std::tuple_element_t<1, P::Conditions>, bool (*)(const Chain&)>, "inner before outer");
  static_assert(collapse(connect(tree_of<Block<Nothing, Nothing, false>>())) == graph_of("op1"));
  EXPECT_EQ(test::named_edges(Sampler::program),
            (Lines{"start -> advance E2", "start -> done S2", "advance -> advance S1 C2", "advance -> inner E1",
                   "advance -> done S1 F2", "inner -> advance F1 C2", "inner -> inner C1", "inner -> done F1 F2"}));
}

TEST(Program, TransitionsSayWhichConditionsTheyNeed) {
  constexpr const auto& machine = Sampler::program.machine;
  constexpr Transition leave = machine.edges[7];  // inner -> done, F1 F2
  static_assert(leave.when_true == 0 && leave.when_false == 3);
  static_assert(machine.labels_of(leave).size() == 2);
  static_assert(machine.labels_of(leave)[0] == Label{LabelKind::finish, 1});
  static_assert(machine.labels_of(leave)[1] == Label{LabelKind::finish, 2});
}

constexpr auto once = [](const auto& chain) { return chain.outer < 1; };
constexpr auto never = [](const auto&) { return false; };

TEST(Program, MayBeginAndEndWithALoop) {
  static constexpr auto program = fsm::program(loop(once, block("only", Advance{'a'})));
  static_assert(program.machine.states[0] == State{StateKind::initial, 1});
  static_assert(program.machine.states[2] == State{StateKind::terminal, 1});
  static_assert(program.machine.initial == 0 && program.machine.final == 2);
  EXPECT_EQ(trace_of_machine(program), "a");
  EXPECT_EQ(trace_of_loops(program), "a");
}

TEST(Program, RepeatRunsItsBodyAtLeastOnce) {
  static constexpr auto program = fsm::program(repeat(block("a", Advance{'a'}), block("b", Advance{'b'}), never));
  EXPECT_EQ(trace_of_machine(program), "ab");
  EXPECT_EQ(trace_of_loops(program), "ab");
}

TEST(Program, NeighbouringBlocksStaySeparateStates) {
  // A text has one simple block here; C++ blocks are separate because each may ask for the density.
  static constexpr auto program = fsm::program(block("a", Advance{'a'}), block("b", Advance{'b'}));
  EXPECT_EQ(test::named_edges(program), (Lines{"a -> b N"}));
  EXPECT_EQ(trace_of_machine(program), "ab");
}

TEST(Program, OneBlockIsAProgram) {
  static constexpr auto program = fsm::program(block("a", Advance{'a'}));
  static_assert(program.machine.edges.empty());
  EXPECT_EQ(trace_of_machine(program), "a");
}

}  // namespace
}  // namespace breakstep::fsm
