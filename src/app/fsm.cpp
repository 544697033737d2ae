// The verb `breakstep fsm`: shows the state machine of a program.
#include "fsm.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/fsm/limits.hpp"
#include "breakstep/fsm/render.hpp"
#include "breakstep/fsm/text.hpp"
#include "breakstep/registry/machines.hpp"
#include "choice.hpp"
#include "stream.hpp"

namespace breakstep_app {
namespace {

namespace fsm = breakstep::fsm;
namespace registry = breakstep::registry;

constexpr const char* footer = R"(
A program is a text of operations and loops:
  op1 op2        a simple block: "op" and a number, once or more
  W{ ... }       a while loop: its condition is tested before each round
  R{ ... }       a repeat loop: its condition is tested after each round
Loops nest and follow each other freely; white space between words is ignored.

Stages:   parse (the grammar's tree), coarse (blocks and loops), raw (a machine with an
          empty state at both ends of each loop), final (empty states collapsed).
Labels:   E2 enters loop 2 and S2 skips it; C2 goes round again and F2 leaves it; N tests
          nothing. Loops are numbered as in the paper, inner before outer.
Limits:   2,000,000 characters; raw: 1,000,000 states; final: 1,000,000 edges and
          10,000,000 labels, which 300 while loops in direct sequence exceed;
          svg: 1,000 states or nodes, 1,000 edges and one minute for Graphviz.

Examples:
  breakstep fsm "op1W{op1W{op1}}"                        the collapsed machine, as text
  breakstep fsm "op1W{op1W{op1}}" --stage raw            before collapsing
  breakstep fsm nuts --format svg -o nuts.svg            a picture (needs Graphviz)
  breakstep fsm slice --format mermaid                   a picture for a Markdown page
  breakstep fsm --file program.txt --format json         for another program to read
  generate-program | breakstep fsm - --stage coarse      from standard input)";

enum class Stage { parse, coarse, raw, final };
enum class Output { text, dot, svg, mermaid, json };

constexpr std::array<std::pair<const char*, Stage>, 4> stages{
    {{"parse", Stage::parse}, {"coarse", Stage::coarse}, {"raw", Stage::raw}, {"final", Stage::final}}};
constexpr std::array<std::pair<const char*, Output>, 5> outputs{{{"text", Output::text},
                                                                 {"dot", Output::dot},
                                                                 {"svg", Output::svg},
                                                                 {"mermaid", Output::mermaid},
                                                                 {"json", Output::json}}};
constexpr std::array<std::pair<const char*, fsm::Numbering>, 2> numberings{
    {{"paper", fsm::Numbering::paper}, {"source", fsm::Numbering::source}}};

// What stands on the command line.
struct Options {
  std::optional<std::string> program;
  std::optional<std::string> file;
  std::string stage = "final";
  std::string format = "text";
  std::string number = "paper";
  std::optional<std::string> output;
  bool list = false;
};

std::string list_of_built_ins() {
  constexpr std::size_t name_width = 29;
  std::string text;
  for (const registry::NamedProgram& machine : registry::programs()) {
    std::string line = machine.name;
    line.resize(std::max(line.size() + 1, name_width), ' ');
    line += machine.summary;
    line += "\n";
    text += line + std::string(name_width, ' ') + "blocks: " + listed(machine.block_names, "and") + "\n";
  }
  return text;
}

// What is to be shown: the conversion's first two stages. Only a text has a parse tree.
struct Subject {
  std::string text;
  std::optional<fsm::ParseTree> parse_tree;
  fsm::Tree tree;
  std::vector<std::string> block_names;
};

Subject subject_of_text(std::string text, fsm::Numbering numbering) {
  fsm::require_at_most(fsm::max_characters, static_cast<long>(text.size()), "characters", "give a shorter program");
  Subject subject;
  subject.text = std::move(text);
  subject.parse_tree = fsm::parse(subject.text);
  subject.tree = fsm::coarsen(*subject.parse_tree, numbering);
  subject.block_names = fsm::block_names(*subject.parse_tree, subject.text);
  return subject;
}

// Whether an argument was meant as the name of a machine: a word that no program text starts with.
bool looks_like_name(const std::string& argument) {
  const auto is_name_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const bool starts_like_text = argument.starts_with("op") || argument.starts_with("W") || argument.starts_with("R");
  return argument.size() > 2 && !starts_like_text && std::all_of(argument.begin(), argument.end(), is_name_character);
}

Subject subject_of_argument(const std::string& argument, fsm::Numbering numbering) {
  std::string wanted = argument;
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  std::vector<std::string> names;
  for (registry::NamedProgram& machine : registry::programs()) {
    if (machine.name == wanted) return {"", std::nullopt, machine.tree(numbering), std::move(machine.block_names)};
    names.push_back(machine.name);
  }
  if (looks_like_name(argument)) {
    const auto close = close_names(wanted, names);
    throw breakstep::Error(
        "unknown machine '" + argument + "'", "it is neither built in nor a program text such as op1W{op1}",
        close.empty() ? "breakstep fsm --list shows the names" : "did you mean " + listed(close) + "?");
  }
  return subject_of_text(argument, numbering);
}

Subject find_subject(const Options& options, fsm::Numbering numbering) {
  if (options.program && options.file) {
    throw breakstep::Error("two programs given", "one as an argument and one by --file", "give only one of them");
  }
  const auto limit = static_cast<std::size_t>(fsm::max_characters);
  if (options.file) return subject_of_text(read_input(*options.file, limit), numbering);
  if (!options.program) {
    throw breakstep::Error("no program given", "fsm needs a text, a name or --file",
                           R"(try breakstep fsm "op1W{op1}op1" or breakstep fsm --list)");
  }
  if (*options.program == "-") return subject_of_text(read_input("-", limit), numbering);
  return subject_of_argument(*options.program, numbering);
}

// Graphviz would take hours for what no one could read.
void require_drawable(Output output, long nodes, long edges) {
  if (output != Output::svg) return;
  const char* const advice = "ask for --format dot or json";
  fsm::require_at_most(fsm::max_drawn_nodes, nodes, "states or nodes for a picture", advice);
  fsm::require_at_most(fsm::max_drawn_edges, edges, "edges for a picture", advice);
}

fsm::Format text_format(Output output) {
  switch (output) {
    case Output::text:
      return fsm::Format::text;
    case Output::mermaid:
      return fsm::Format::mermaid;
    case Output::json:
      return fsm::Format::json;
    default:
      return fsm::Format::dot;  // Of which Graphviz makes the svg.
  }
}

std::string show_graph(const Subject& subject, Stage stage, Output output) {
  fsm::require_at_most(fsm::max_raw_states, fsm::count(subject.tree.marks), "states",
                       "ask for --stage coarse or parse");
  fsm::Graph graph = fsm::connect(subject.tree);
  if (stage == Stage::final) graph = fsm::collapse(graph);
  require_drawable(output, fsm::count(graph.states), fsm::count(graph.edges));
  return fsm::render(graph, subject.block_names, text_format(output));
}

std::string show_tree(const Subject& subject, Stage stage, Output output) {
  if (stage == Stage::coarse) {
    require_drawable(output, fsm::count(subject.tree.marks), 0);
    return fsm::render(subject.tree, subject.block_names, text_format(output));
  }
  if (!subject.parse_tree) {
    throw breakstep::Error("no parse tree", "a built-in machine is a C++ program and has no text",
                           "ask for --stage coarse");
  }
  require_drawable(output, fsm::count(subject.parse_tree->nodes), 0);
  return fsm::render(*subject.parse_tree, subject.text, text_format(output));
}

void run_fsm(const Options& options) {
  const Stage stage = choose("stage", options.stage, stages);
  const Output output = choose("format", options.format, outputs);
  const fsm::Numbering numbering = choose("numbering", options.number, numberings);
  std::string shown;
  if (options.list) {
    if (options.program || options.file) {
      throw breakstep::Error("--list with a program", "--list shows all built-in machines", "leave one of them out");
    }
    shown = list_of_built_ins();
  } else {
    const Subject subject = find_subject(options, numbering);
    const bool is_tree = stage == Stage::parse || stage == Stage::coarse;
    shown = is_tree ? show_tree(subject, stage, output) : show_graph(subject, stage, output);
    if (output == Output::svg) shown = fsm::draw_svg(shown);
  }
  if (options.output) {
    write_to_file(*options.output, shown);
  } else {
    write_to_stdout(shown);
  }
}

}  // namespace

void add_fsm(CLI::App& app) {
  CLI::App* const verb =
      app.add_subcommand("fsm", "Show the state machine of a program, at any stage of its conversion");
  const auto options = std::make_shared<Options>();
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  verb->add_option("program", options->program,
                   "A program text, the name of a built-in machine, or - for standard input");
  verb->add_option("--file", options->file, "Read the program text from this file")->type_name("FILE");
  verb->add_option("--stage", options->stage, "parse, coarse, raw or final")->type_name("STAGE")->capture_default_str();
  verb->add_option("--format", options->format, "text, dot, svg, mermaid or json")
      ->type_name("FORMAT")
      ->capture_default_str();
  verb->add_option("--number", options->number,
                   "Loop numbers: paper (inner before outer) or source (outer before inner)")
      ->type_name("ORDER")
      ->capture_default_str();
  verb->add_option("-o,--output", options->output, "Write to this file, whole or not at all")->type_name("FILE");
  verb->add_flag("--list", options->list, "List the built-in machines");
  verb->callback([options] { run_fsm(*options); });
}

}  // namespace breakstep_app
