// Listings and pictures of each stage of the conversion.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "breakstep/fsm/machine.hpp"
#include "breakstep/fsm/text.hpp"
#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// `text` for reading, `dot` for Graphviz, `mermaid` for Markdown pages, `json` for programs. docs/machines.md gives
/// the layout of the JSON, which is kept stable.
enum class Format : unsigned char { text, dot, mermaid, json };

/// The parse tree of `text`.
std::string render(const ParseTree& tree, std::string_view text, Format format);

/// The coarse tree; `names` has the name of each block.
std::string render(const Tree& tree, std::span<const std::string> names, Format format);

/// A machine, raw or collapsed; `names` has the name of each block.
std::string render(const Graph& graph, std::span<const std::string> names, Format format);

/// A label as it is written: its letter and its loop's number, or N alone.
std::string to_string(Label label);

/// A state's name: that of its block, or I or T and the loop's number.
std::string name_of(const State& state, std::span<const std::string> names);

/// The SVG picture that Graphviz makes of a `dot` text. Runs the program `dot`; throws if it is missing or fails.
std::string draw_svg(std::string_view dot);

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
