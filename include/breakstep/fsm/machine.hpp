// State machines: states, labelled edges, and the two containers for them, one that grows and one that is a constant.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// What a move does to a loop. `enter` and `skip` test the condition before the first round of a while loop, `again`
/// and `finish` test it after a round; `next` tests nothing. The values are the paper's letters.
enum class LabelKind : char { enter = 'E', again = 'C', skip = 'S', finish = 'F', next = 'N' };

struct Label {
  LabelKind kind;
  int loop;  ///< The loop's number, from 1; 0 for `next`.

  /// The value the loop's condition must have; meaningless for `next`.
  constexpr bool wants() const { return kind == LabelKind::enter || kind == LabelKind::again; }
  constexpr bool operator==(const Label&) const = default;
  /// By letter in alphabetical order, then by loop number.
  constexpr bool operator<(const Label& other) const {
    return kind != other.kind ? kind < other.kind : loop < other.loop;
  }
};

enum class StateKind : unsigned char { block, initial, terminal };

/// The state that stands for a mark of the tree.
constexpr StateKind state_kind(MarkKind mark) {
  if (mark == MarkKind::block) return StateKind::block;
  return mark == MarkKind::close ? StateKind::terminal : StateKind::initial;
}

/// A block, or one of the empty states that stand before (`initial`) and after (`terminal`) a loop.
struct State {
  StateKind kind;
  int number;  ///< The block's index in source order from 0, or the number of the loop.

  constexpr bool empty() const { return kind != StateKind::block; }
  constexpr bool operator==(const State&) const = default;
};

/// A move from one state to another. Its labels are `label_count` entries of the machine's label list from
/// `first_label` on, in the order in which the conditions are evaluated.
struct Edge {
  int from;
  int to;
  int first_label;
  int label_count;

  constexpr bool operator==(const Edge&) const = default;
};

/// A machine of any size. Edges are sorted by from, to and labels (see Label). The move from the final state back to
/// the initial one, which starts the next draw, is left out.
struct Graph {
  std::vector<State> states;
  std::vector<Edge> edges;
  std::vector<Label> labels;
  int initial = 0;
  int final = 0;
  int loop_count = 0;
  bool may_never_halt = false;

  constexpr std::span<const Label> labels_of(const Edge& edge) const {
    return std::span(labels).subspan(edge.first_label, edge.label_count);
  }
  constexpr bool operator==(const Graph&) const = default;
};

/// An edge of a compiled program. A chain takes it if every condition in `when_true` holds and none in `when_false`
/// does; bit n stands for the condition with index n in the program's tuple, the loop numbered n + 1.
struct Transition {
  int from = 0;
  int to = 0;
  std::uint64_t when_true = 0;
  std::uint64_t when_false = 0;
  int first_label = 0;
  int label_count = 0;
};

/// A machine known to the compiler: same content and order as a Graph, every member usable in `if constexpr`.
template <int state_count, int edge_count, int label_count>
struct Machine {
  std::array<State, state_count> states{};
  std::array<Transition, edge_count> edges{};
  std::array<Label, label_count> labels{};
  int initial = 0;
  int final = 0;

  constexpr std::span<const Label> labels_of(const Transition& edge) const {
    return std::span<const Label>(labels).subspan(edge.first_label, edge.label_count);
  }
};

/// The most loops a compiled program may have: one bit each in a Transition.
inline constexpr int max_compiled_loops = 64;

struct MachineSize {
  int states;
  int edges;
  int labels;
};

constexpr MachineSize size_of(const Graph& graph) {
  return {count(graph.states), count(graph.edges), count(graph.labels)};
}

/// Copies a graph into constant storage of just the right size: freeze<states, edges, labels>, as size_of(graph) says.
template <int state_count, int edge_count, int label_count>
constexpr auto freeze(const Graph& graph) {
  Machine<state_count, edge_count, label_count> machine;
  for (int i = 0; i < state_count; ++i) machine.states[i] = graph.states[i];
  for (int i = 0; i < label_count; ++i) machine.labels[i] = graph.labels[i];
  for (int i = 0; i < edge_count; ++i) {
    const Edge& edge = graph.edges[i];
    Transition& move = machine.edges[i];
    move = {edge.from, edge.to, 0, 0, edge.first_label, edge.label_count};
    for (const Label label : graph.labels_of(edge)) {
      if (label.kind == LabelKind::next) continue;
      (label.wants() ? move.when_true : move.when_false) |= std::uint64_t{1} << (label.loop - 1);
    }
  }
  machine.initial = graph.initial;
  machine.final = graph.final;
  return machine;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
