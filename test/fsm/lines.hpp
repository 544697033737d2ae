// Graphs as lines of text, so that a test can list all states or edges of a machine.
#pragma once

#include <string>
#include <vector>

#include "breakstep/fsm/program.hpp"
#include "breakstep/fsm/render.hpp"

namespace breakstep::fsm::test {

using Lines = std::vector<std::string>;

/// One line per edge: "0 -> 1 E2 E1".
inline Lines edges(const Graph& graph) {
  Lines lines;
  for (const Edge& edge : graph.edges) {
    std::string line = std::to_string(edge.from) + " -> " + std::to_string(edge.to);
    for (const Label label : graph.labels_of(edge)) line.append(" ").append(to_string(label));
    lines.push_back(line);
  }
  return lines;
}

/// One line per state: "B0" for the first block, "I2" and "T2" for the empty states of loop 2.
inline Lines states(const Graph& graph) {
  Lines lines;
  for (const State& state : graph.states) {
    std::string line(1, state.kind == StateKind::block ? 'B' : state.kind == StateKind::initial ? 'I' : 'T');
    lines.push_back(line.append(std::to_string(state.number)));
  }
  return lines;
}

/// One line per edge of a machine whose blocks have names: "init -> double E2".
template <class... Parts>
Lines named_edges(const Program<Parts...>& program) {
  const auto name = [&](int state) { return std::string(program.names()[program.machine.states[state].number]); };
  Lines lines;
  for (const Transition& edge : program.machine.edges) {
    std::string line = name(edge.from) + " -> " + name(edge.to);
    for (const Label label : program.machine.labels_of(edge)) line.append(" ").append(to_string(label));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace breakstep::fsm::test
