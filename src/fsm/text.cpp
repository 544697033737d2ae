// What a person is told about a wrong program text, and the names of a right one's blocks.
#include "breakstep/fsm/text.hpp"

#include <algorithm>
#include <cstdio>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {
namespace {

// How much of a long line is shown on either side of the mistake.
constexpr int shown_before = 40;
constexpr int shown_after = 30;

// The bytes of the UTF-8 character that starts `text`, or 0 if it starts with none or with a control character.
int printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x80) return byte(0) >= ' ' && byte(0) != 0x7f ? 1 : 0;
  const int length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
  for (int i = 1; i < length; ++i) {
    if ((byte(static_cast<std::size_t>(i)) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

std::string quoted(std::string_view text) {
  if (const int length = printable_length(text)) return "'" + std::string(text.substr(0, length)) + "'";
  char byte[16];
  std::snprintf(byte, sizeof byte, "byte 0x%02x", static_cast<unsigned char>(text.front()));
  return byte;
}

// Bytes a terminal would not show as they are become question marks, so that the caret stays where it belongs.
std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const int length = std::max(printable_length(text), 1);
    shown += printable_length(text) > 0 ? std::string(text.substr(0, length)) : is_space(text[0]) ? " " : "?";
    text.remove_prefix(length);
  }
  return shown;
}

std::string place(std::string_view text, int position) {
  const std::string_view before = text.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto column = before.size() - (before.rfind('\n') + 1);  // rfind of nothing is npos, and npos + 1 is 0.
  return (line > 1 ? "line " + std::to_string(line) + ", " : "") + "character " + std::to_string(column + 1);
}

// The line around the mistake and a caret below it. Everything before the mistake is plain ASCII, or it would have been
// the mistake itself.
std::string picture(std::string_view text, int position) {
  if (position == count(text)) {
    while (position > 0 && is_space(text[position - 1])) --position;
  }
  const int line_begin = static_cast<int>(text.substr(0, position).rfind('\n') + 1);
  const int line_end = static_cast<int>(std::min(text.find('\n', position), text.size()));
  const int begin = std::max(line_begin, position - shown_before);
  int end = std::min(line_end, position + shown_after);
  while (end < line_end && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;  // Whole characters only.
  const std::string lead = begin > line_begin ? "  ..." : "  ";
  const std::string tail = end < line_end ? "..." : "";
  const std::string caret_indent(lead.size() + static_cast<std::size_t>(position - begin), ' ');
  return "\n" + lead + printable(text.substr(begin, end - begin)) + tail + "\n" + caret_indent + "^";
}

std::string problem(const SyntaxError& error, std::string_view text) {
  if (error.position < count(text)) {
    return "unexpected " + quoted(text.substr(error.position)) + " at " + place(text, error.position);
  }
  switch (error.mistake) {
    case Mistake::no_program:
      return "the program is empty";
    case Mistake::unfinished_op:
      return "the program ends in the middle of an operation";
    case Mistake::no_open_brace:
      return "the program ends where a loop should begin";
    default:
      return "the program ends inside a loop";
  }
}

std::string why(const SyntaxError& error, std::string_view text) {
  switch (error.mistake) {
    case Mistake::no_program:
      return "it has no block";
    case Mistake::unfinished_op:
      return R"(an operation is "op" directly followed by a number)";
    case Mistake::no_open_brace:
      return R"(W and R are followed by "{")";
    case Mistake::empty_body:
      return "the loop opened at " + place(text, error.opened) + " has no block yet";
    case Mistake::stray_close:
      return "no loop is open here";
    case Mistake::unclosed_loop:
      return "the loop opened at " + place(text, error.opened) + " is not closed";
    default:
      return "no operation or loop starts with it";
  }
}

// The last character before `position` that is not white space, or NUL.
char last_before(std::string_view text, int position) {
  while (position > 0 && is_space(text[position - 1])) --position;
  return position > 0 ? text[position - 1] : '\0';
}

std::string suggestion_for_no_block(const SyntaxError& error, std::string_view text) {
  const char found = text[error.position];
  if (found == 'w' || found == 'r') return "write loops with a capital letter, W{...} or R{...}";
  if (found == '{') return "write W or R before the brace";
  if (found >= '0' && found <= '9') return "write operations as op1, op2, ...";
  // At the very beginning of a program or body nothing may close or end yet.
  const char before = last_before(text, error.position);
  if (before == '\0' || before == '{') return "expected op1, W{ or R{";
  return std::string("expected op1, W{, R{ or ") + (error.opened >= 0 ? "}" : "the end of the program");
}

std::string suggestion(const SyntaxError& error, std::string_view text) {
  switch (error.mistake) {
    case Mistake::no_program:
      return "write at least one operation, such as op1";
    case Mistake::unfinished_op:
      return "expected for example op1";
    case Mistake::no_open_brace:
      return "expected { and a body, as in W{op1}";
    case Mistake::empty_body:
      return "expected at least one operation or loop, as in W{op1}";
    case Mistake::stray_close:
      return "remove it, or open a loop before it with W{ or R{";
    case Mistake::unclosed_loop:
      return "expected }, or more blocks";
    default:
      return suggestion_for_no_block(error, text);
  }
}

}  // namespace

void refuse_text(const SyntaxError& error, std::string_view text) {
  const std::string shown = error.mistake == Mistake::no_program ? "" : picture(text, error.position);
  throw Error(problem(error, text), why(error, text), suggestion(error, text) + shown);
}

std::vector<std::string> block_names(const ParseTree& tree, std::string_view text) {
  std::vector<std::string> names;
  Symbol before = Symbol::blocks;
  for (const ParseNode& node : tree.nodes) {
    if (node.symbol == Symbol::block && before == Symbol::simple_block) {
      std::string name(text.substr(node.begin, node.end - node.begin));
      name.erase(std::remove_if(name.begin(), name.end(), is_space), name.end());
      names.push_back(std::move(name));
    }
    before = node.symbol;
  }
  return names;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
