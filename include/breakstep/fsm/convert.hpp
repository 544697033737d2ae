// The paper's conversion of a program into a state machine: connect its parts, then collapse the empty states.
#pragma once

#include <algorithm>
#include <vector>

#include "breakstep/fsm/limits.hpp"
#include "breakstep/fsm/machine.hpp"
#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// The machine before collapsing: one state per mark of the tree, in the same order, so that a loop has an empty state
/// at each of its two ends. Linear in the size of the program. A repeat loop is entered without a test: its entry edge
/// is labelled N, and it has no skip edge.
constexpr Graph connect(const Tree& tree) {
  Graph graph;
  const auto add = [&graph](int from, int to, LabelKind kind, int loop) {
    graph.edges.push_back({from, to, count(graph.labels), 1});
    graph.labels.push_back({kind, loop});
  };
  for (int here = 0; here < count(tree.marks); ++here) {
    const Mark& mark = tree.marks[here];
    graph.states.push_back({state_kind(mark.kind), mark.number});
    if (here + 1 == count(tree.marks)) break;
    const Mark& after = tree.marks[here + 1];
    // The order within each case keeps the edges sorted.
    if (mark.kind == MarkKind::open_while) {
      add(here, here + 1, LabelKind::enter, mark.number);
      add(here, mark.partner, LabelKind::skip, mark.number);
    } else if (after.kind == MarkKind::close) {
      const int first_of_body = after.partner + 1;
      add(here, first_of_body, LabelKind::again, after.number);
      add(here, here + 1, LabelKind::finish, after.number);
    } else {
      add(here, here + 1, LabelKind::next, 0);
    }
  }
  graph.final = count(graph.states) - 1;
  graph.loop_count = tree.loop_count;
  graph.may_never_halt = may_never_halt(tree);
  return graph;
}

/// Removes the empty states of a connected graph one after another; use collapse().
class Collapse {
 public:
  constexpr explicit Collapse(const Graph& raw)
      : graph_(raw),
        edges_(raw.edges.size(), Fate::stays),
        states_(raw.states.size(), Fate::stays),
        in_(raw.states.size()),
        out_(raw.states.size()),
        known_(raw.loop_count + 1, unknown) {
    for (int edge = 0; edge < count(raw.edges); ++edge) attach(edge);
  }

  constexpr Graph run() {
    for (int state = 0; state < count(graph_.states); ++state) {
      const bool at_an_end = state == graph_.initial || state == graph_.final;
      if (!graph_.states[state].empty() || at_an_end || loops_on_itself(state)) continue;
      bypass(state);
      states_[state] = Fate::is_gone;
    }
    return result();
  }

 private:
  enum class Fate : unsigned char { stays, is_gone };
  // What the labels of an edge say about a condition.
  enum Known : unsigned char { unknown, is_false, is_true };

  constexpr void attach(int edge) {
    out_[graph_.edges[edge].from].push_back(edge);
    in_[graph_.edges[edge].to].push_back(edge);
  }

  constexpr bool loops_on_itself(int state) const {
    return std::any_of(out_[state].begin(), out_[state].end(),
                       [&](int edge) { return edges_[edge] == Fate::stays && graph_.edges[edge].to == state; });
  }

  // Replaces every way in followed by a way out by one edge, unless their labels contradict each other. Labels
  // accumulate, so what is judged is always the whole edge.
  constexpr void bypass(int state) {
    for (const int in : in_[state]) {
      if (edges_[in] == Fate::is_gone) continue;
      learn(in);
      for (const int out : out_[state]) {
        if (edges_[out] == Fate::stays && agrees_with_known(out)) join(in, out);
      }
      forget(in);
    }
    for (const int in : in_[state]) edges_[in] = Fate::is_gone;
    for (const int out : out_[state]) edges_[out] = Fate::is_gone;
  }

  constexpr void learn(int edge) {
    for (const Label label : labels_of(edge)) {
      if (label.kind != LabelKind::next) known_[label.loop] = label.wants() ? is_true : is_false;
    }
  }

  constexpr void forget(int edge) {
    for (const Label label : labels_of(edge)) known_[label.loop] = unknown;
  }

  constexpr bool agrees_with_known(int edge) const {
    const auto labels = labels_of(edge);
    return std::none_of(labels.begin(), labels.end(), [&](Label label) {
      return label.kind != LabelKind::next && known_[label.loop] == (label.wants() ? is_false : is_true);
    });
  }

  constexpr void join(int in, int out) {
    const int first = count(graph_.labels);
    append_tests(in);
    append_tests(out);
    if (count(graph_.labels) == first) graph_.labels.push_back({LabelKind::next, 0});
    require_at_most(max_labels, count(graph_.labels), "labels in the collapsed machine", advice_when_too_large);
    graph_.edges.push_back({graph_.edges[in].from, graph_.edges[out].to, first, count(graph_.labels) - first});
    edges_.push_back(Fate::stays);
    attach(count(graph_.edges) - 1);
  }

  // By index, because the list that is read is the one that grows.
  constexpr void append_tests(int edge) {
    const Edge from = graph_.edges[edge];
    for (int i = from.first_label; i < from.first_label + from.label_count; ++i) {
      const Label label = graph_.labels[i];
      if (label.kind != LabelKind::next) graph_.labels.push_back(label);
    }
  }

  constexpr std::span<const Label> labels_of(int edge) const { return graph_.labels_of(graph_.edges[edge]); }

  // The states that are left, renumbered, and the edges among them in their stated order, each once.
  constexpr Graph result() const {
    Graph collapsed;
    std::vector<int> new_number(graph_.states.size(), 0);
    for (int state = 0; state < count(graph_.states); ++state) {
      new_number[state] = count(collapsed.states);
      if (states_[state] == Fate::stays) collapsed.states.push_back(graph_.states[state]);
    }
    for (const int edge : remaining_edges()) {
      const Edge& old = graph_.edges[edge];
      collapsed.edges.push_back({new_number[old.from], new_number[old.to], count(collapsed.labels), old.label_count});
      for (const Label label : labels_of(edge)) collapsed.labels.push_back(label);
    }
    collapsed.initial = new_number[graph_.initial];
    collapsed.final = new_number[graph_.final];
    collapsed.loop_count = graph_.loop_count;
    collapsed.may_never_halt = graph_.may_never_halt;
    return collapsed;
  }

  constexpr std::vector<int> remaining_edges() const {
    std::vector<int> remaining;
    for (int edge = 0; edge < count(graph_.edges); ++edge) {
      if (edges_[edge] == Fate::stays) remaining.push_back(edge);
    }
    require_at_most(max_edges, count(remaining), "edges in the collapsed machine", advice_when_too_large);
    std::sort(remaining.begin(), remaining.end(), [&](int a, int b) { return precedes(a, b); });
    const auto duplicates = std::unique(remaining.begin(), remaining.end(),
                                        [&](int a, int b) { return !precedes(a, b) && !precedes(b, a); });
    remaining.erase(duplicates, remaining.end());
    return remaining;
  }

  constexpr bool precedes(int left, int right) const {
    const Edge& a = graph_.edges[left];
    const Edge& b = graph_.edges[right];
    if (a.from != b.from) return a.from < b.from;
    if (a.to != b.to) return a.to < b.to;
    const auto x = graph_.labels_of(a);
    const auto y = graph_.labels_of(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  }

  static constexpr const char* advice_when_too_large =
      "stop before collapsing (--stage raw, which grows only linearly) or put blocks between the loops";

  Graph graph_;  // Grows: joined edges are appended, those they replace are only marked as gone.
  std::vector<Fate> edges_;
  std::vector<Fate> states_;
  std::vector<std::vector<int>> in_;  // For each state its edges, as indices, gone ones included.
  std::vector<std::vector<int>> out_;
  std::vector<Known> known_;  // For each loop; all unknown between two ways in.
};

/// The machine without its empty states, except the initial and final state of the whole program, and except empty
/// states that loop on themselves: in those the program may stay for ever. Edges that would need one condition to be
/// both true and false are dropped. The number of edges can grow with the square of the number of loops in sequence.
constexpr Graph collapse(const Graph& raw) { return Collapse(raw).run(); }

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
