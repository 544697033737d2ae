// Listings and pictures of machines.
#include "breakstep/fsm/render.hpp"

#include <algorithm>
#include <vector>

#include "write.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {
namespace {

std::string joined_labels(const Graph& graph, const Edge& edge) {
  std::string joined;
  for (const Label label : graph.labels_of(edge)) put(joined, joined.empty() ? "" : " ", to_string(label));
  return joined;
}

// For each state whether it is empty and loops on itself: where a program can stay for ever.
std::vector<bool> traps(const Graph& graph) {
  std::vector<bool> is_trap(graph.states.size(), false);
  for (const Edge& edge : graph.edges) {
    if (edge.from == edge.to && graph.states[edge.from].empty()) is_trap[edge.from] = true;
  }
  return is_trap;
}

// Appends parts and then blanks until they fill `width` columns.
template <class... Parts>
void put_padded(std::string& out, std::size_t width, const Parts&... parts) {
  const std::size_t end = out.size() + width;
  put(out, parts...);
  if (out.size() < end) out.resize(end, ' ');
}

std::string as_text(const Graph& graph, std::span<const std::string> names) {
  std::string text;
  put(text, graph.states.size(), " states\n");
  for (int i = 0; i < count(graph.states); ++i) {
    text += "  ";
    put_padded(text, 4, i);
    put_padded(text, 12, name_of(graph.states[i], names));
    put(text, graph.states[i].empty() ? " empty" : "", i == graph.initial ? " initial" : "");
    if (i == graph.final) text += " final";
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  put(text, graph.edges.size(), " edges\n");
  for (const Edge& edge : graph.edges) {
    text += "  ";
    put_padded(text, 12, edge.from, ' ', shortened(name_of(graph.states[edge.from], names)));
    text += " -> ";
    put_padded(text, 12, edge.to, ' ', shortened(name_of(graph.states[edge.to], names)));
    put(text, ' ', joined_labels(graph, edge), '\n');
  }
  if (graph.may_never_halt) text += "may never halt: a loop can go round for ever without running a block\n";
  return text;
}

// Whether the names of the blocks tell them apart.
bool are_unique(std::span<const std::string> names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

void put_dot_states(std::string& text, const Graph& graph, std::span<const std::string> names) {
  const bool number_needed = !are_unique(names);
  const std::vector<bool> is_trap = traps(graph);
  for (int i = 0; i < count(graph.states); ++i) {
    const State& state = graph.states[i];
    std::string caption = dot_quoted(shortened(name_of(state, names)));
    if (number_needed && !state.empty()) {
      caption.pop_back();
      put(caption, "\\n", i, '"');
    }
    put(text, "  s", i, " [label=", caption);
    if (i == graph.final) text += ", peripheries=2";
    if (state.empty()) text += ", width=0.32, height=0.32, fontsize=10, style=filled, fillcolor=gray92";
    if (is_trap[i]) text += ", color=firebrick";
    text += "];\n";
  }
}

std::string as_dot(const Graph& graph, std::span<const std::string> names) {
  std::string text =
      "digraph machine {\n"
      "  rankdir=LR;\n"
      "  nodesep=0.3;\n"
      "  ranksep=0.5;\n"
      R"(  node [shape=ellipse, group=program, fontname="Helvetica", fontsize=13, width=0.7, height=0.7, )"
      "margin=0.04];\n"
      "  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n"
      "  start [shape=point, style=invis, width=0.05];\n";
  if (graph.may_never_halt) {
    text += "  label=\"may never halt\"; fontname=\"Helvetica\"; fontsize=12; fontcolor=firebrick;\n";
  }
  put_dot_states(text, graph, names);
  put(text, "  start -> s", graph.initial, ";\n");
  for (const Edge& edge : graph.edges) {
    put(text, "  s", edge.from, " -> s", edge.to, " [label=", dot_quoted(joined_labels(graph, edge)));
    // The program's own order is drawn as a straight line from left to right, everything else curves around it.
    put(text, edge.to == edge.from + 1 ? ", weight=20];\n" : "];\n");
  }
  text += "}\n";
  return text;
}

std::string as_mermaid(const Graph& graph, std::span<const std::string> names) {
  std::string text = "flowchart LR\n";
  if (graph.may_never_halt) text += "  %% may never halt\n";
  for (int i = 0; i < count(graph.states); ++i) {
    const bool final = i == graph.final;
    const std::string name = mermaid_quoted(shortened(name_of(graph.states[i], names)));
    put(text, "  s", i, final ? "(((" : "((", name, final ? ")))\n" : "))\n");
  }
  put(text, R"(  start[" "] --> s)", graph.initial, "\n  style start fill:none,stroke:none\n");
  for (const Edge& edge : graph.edges) {
    put(text, "  s", edge.from, " -->|", mermaid_quoted(joined_labels(graph, edge)), "| s", edge.to, '\n');
  }
  return text;
}

void put_json_state(std::string& text, const Graph& graph, int id, std::span<const std::string> names) {
  const State& state = graph.states[id];
  put(text, R"({"id":)", id, R"(,"name":)", json_quoted(name_of(state, names)), R"(,"block":)");
  put(text, state.empty() ? "null" : std::to_string(state.number), R"(,"empty":)", state.empty() ? "true}" : "false}");
}

void put_json_edge(std::string& text, const Graph& graph, const Edge& edge) {
  put(text, R"({"from":)", edge.from, R"(,"to":)", edge.to, R"(,"labels":[)");
  const char* separator = "";
  for (const Label label : graph.labels_of(edge)) {
    put(text, separator, '"', to_string(label), '"');
    separator = ",";
  }
  text += "]}";
}

std::string as_json(const Graph& graph, std::span<const std::string> names) {
  std::string text = R"({"states":[)";
  for (int i = 0; i < count(graph.states); ++i) {
    text += i > 0 ? ",\n" : "\n";
    put_json_state(text, graph, i, names);
  }
  text += "],\n\"edges\":[";
  for (int i = 0; i < count(graph.edges); ++i) {
    text += i > 0 ? ",\n" : "\n";
    put_json_edge(text, graph, graph.edges[i]);
  }
  put(text, "],\n\"initial\":", graph.initial, R"(,"final":)", graph.final);
  put(text, R"(,"may_never_halt":)", graph.may_never_halt ? "true" : "false", "}\n");
  return text;
}

}  // namespace

std::string to_string(Label label) {
  std::string written(1, static_cast<char>(label.kind));
  if (label.kind != LabelKind::next) put(written, label.loop);
  return written;
}

std::string name_of(const State& state, std::span<const std::string> names) {
  if (!state.empty()) return names[state.number];
  std::string name;
  put(name, state.kind == StateKind::initial ? 'I' : 'T', state.number);
  return name;
}

std::string render(const Graph& graph, std::span<const std::string> names, Format format) {
  switch (format) {
    case Format::text:
      return as_text(graph, names);
    case Format::dot:
      return as_dot(graph, names);
    case Format::mermaid:
      return as_mermaid(graph, names);
    case Format::json:
      break;
  }
  return as_json(graph, names);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
