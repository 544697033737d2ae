// Programs written as text in the paper's toy language: its grammar, parse tree and errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "breakstep/fsm/convert.hpp"
#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

// The grammar; white space may stand between any two words.
//   op ::= "op" digits              an operation
//   SB ::= op | op SB               simple block; takes as many operations as there are
//   WB ::= "W" "{" Bs "}"           while block
//   RB ::= "R" "{" Bs "}"           repeat block (do-while), which the paper's language does not have
//   B  ::= SB | WB | RB
//   Bs ::= B | Bs B                 a program, or the body of a loop
enum class Symbol : unsigned char {
  blocks,
  block,
  simple_block,
  while_block,
  repeat_block,
  op,
  while_word,
  repeat_word,
  open_brace,
  close_brace
};

/// A node of the parse tree and the stretch [begin, end) of the text it derives.
struct ParseNode {
  Symbol symbol;
  int size;  ///< Nodes in the subtree, itself included.
  int begin;
  int end;
};

/// The parse tree with every node after its children, the order in which a left-to-right parser finds them. The last
/// node is the root; the last child of node i is i - 1, the one before it is i - 1 - nodes[i - 1].size, and so on.
struct ParseTree {
  std::vector<ParseNode> nodes;
};

enum class Mistake : unsigned char {
  none,
  no_program,     ///< Nothing but white space.
  no_block,       ///< Something that cannot start a block.
  unfinished_op,  ///< An "o" or "op" without the rest of it.
  no_open_brace,  ///< W or R without its brace.
  empty_body,     ///< A loop closed before its first block.
  stray_close,    ///< A closing brace too many.
  unclosed_loop   ///< The text ends inside a loop.
};

/// White space as the grammar means it: blank, tab and the line ends.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct SyntaxError {
  Mistake mistake = Mistake::none;
  int position = 0;  ///< Of the first character that cannot be right; the length of the text if it ends too early.
  int opened = -1;   ///< Where the innermost open loop started, if any.
};

/// The tree, or why there is none.
struct Parse {
  ParseTree tree;
  SyntaxError error;
};

/// Finds blocks and loops in one pass from left to right, in linear time and without recursion; use try_parse().
class Parser {
 public:
  constexpr explicit Parser(std::string_view text) : text_(text) {}

  constexpr Parse run() {
    open_.push_back({-1, -1});
    while (error_.mistake == Mistake::none && skip_space()) step();
    if (error_.mistake == Mistake::none) check_end();
    return {static_cast<ParseTree&&>(tree_), error_};
  }

 private:
  // A sequence of blocks that is being read: the program itself, or the body of a loop that starts at `loop`.
  struct Sequence {
    int loop;   // First node of the loop; -1 for the program.
    int first;  // First node of the sequence; -1 as long as it has no block.
  };

  constexpr void step() {
    const char here = text_[at_];
    if (here == 'o') {
      simple_block();
    } else if (here == 'W' || here == 'R') {
      open_loop(here == 'W' ? Symbol::while_word : Symbol::repeat_word);
    } else if (here == '}' && open_.size() > 1) {
      close_loop();
    } else {
      fail(here == '}' ? Mistake::stray_close : Mistake::no_block);
    }
  }

  constexpr void simple_block() {
    const int first = next_node();
    do {
      const int begin = at_++;
      if (peek() != 'p') return fail(Mistake::unfinished_op);
      ++at_;
      if (!is_digit(peek())) return fail(Mistake::unfinished_op);
      while (is_digit(peek())) ++at_;
      add(Symbol::op, next_node(), begin, at_);
    } while (skip_space() && text_[at_] == 'o');
    // SB ::= op SB nests to the right: the innermost block is the last operation.
    const int operations = next_node() - first;
    const int end = tree_.nodes.back().end;
    for (int i = operations - 1; i >= 0; --i) {
      const int begin = tree_.nodes[first + i].begin;
      tree_.nodes.push_back({Symbol::simple_block, 2 * (operations - i), begin, end});
    }
    append_block(first);
  }

  constexpr void open_loop(Symbol word) {
    const int first = next_node();
    add(word, first, at_, at_ + 1);
    ++at_;
    skip_space();
    if (peek() != '{') return fail(Mistake::no_open_brace);
    add(Symbol::open_brace, next_node(), at_, at_ + 1);
    ++at_;
    open_.push_back({first, -1});
  }

  constexpr void close_loop() {
    if (open_.back().first < 0) return fail(Mistake::empty_body);
    const int first = open_.back().loop;
    add(Symbol::close_brace, next_node(), at_, at_ + 1);
    ++at_;
    open_.pop_back();
    const bool is_while = tree_.nodes[first].symbol == Symbol::while_word;
    add(is_while ? Symbol::while_block : Symbol::repeat_block, first, tree_.nodes[first].begin, at_);
    append_block(first);
  }

  // Turns the block that starts at node `first` into a B, and joins it with what precedes it: Bs ::= Bs B.
  constexpr void append_block(int first) {
    Sequence& sequence = open_.back();
    if (sequence.first < 0) sequence.first = first;
    const int end = tree_.nodes.back().end;
    add(Symbol::block, first, tree_.nodes[first].begin, end);
    add(Symbol::blocks, sequence.first, tree_.nodes[sequence.first].begin, end);
  }

  constexpr void check_end() {
    if (open_.size() > 1) {
      fail(Mistake::unclosed_loop);
    } else if (open_.back().first < 0) {
      fail(Mistake::no_program);
    }
  }

  constexpr void fail(Mistake mistake) {
    const int loop = open_.back().loop;
    error_ = {mistake, at_, loop < 0 ? -1 : tree_.nodes[loop].begin};
  }

  constexpr void add(Symbol symbol, int first, int begin, int end) {
    tree_.nodes.push_back({symbol, next_node() - first + 1, begin, end});
  }

  constexpr int next_node() const { return count(tree_.nodes); }

  constexpr bool skip_space() {
    while (at_ < count(text_) && is_space(text_[at_])) ++at_;
    return at_ < count(text_);
  }

  // The end of the text reads as a NUL, which no rule accepts.
  constexpr char peek() const { return at_ < count(text_) ? text_[at_] : '\0'; }

  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view text_;
  int at_ = 0;
  ParseTree tree_;
  SyntaxError error_;
  std::vector<Sequence> open_;
};

constexpr Parse try_parse(std::string_view text) { return Parser(text).run(); }

/// Throws the Error that explains a mistake: problem (why): suggestion, and below it the text with a caret.
[[noreturn]] void refuse_text(const SyntaxError& error, std::string_view text);

/// The parse tree of a program text. Throws (in a constant expression: does not compile) if the text is wrong.
constexpr ParseTree parse(std::string_view text) {
  Parse result = try_parse(text);
  if (result.error.mistake != Mistake::none) refuse_text(result.error, text);
  return static_cast<ParseTree&&>(result.tree);
}

/// Drops operations, words and braces, and the B and Bs nodes: what is left are the blocks and the loops around them.
constexpr Tree coarsen(const ParseTree& parse_tree, Numbering numbering = Numbering::paper) {
  TreeBuilder tree(numbering);
  Symbol before = Symbol::blocks;
  for (const ParseNode& node : parse_tree.nodes) {
    if (node.symbol == Symbol::while_word) tree.open(MarkKind::open_while);
    if (node.symbol == Symbol::repeat_word) tree.open(MarkKind::open_repeat);
    if (node.symbol == Symbol::close_brace) tree.close();
    // Only the outermost SB of a simple block is the child of a B.
    if (node.symbol == Symbol::block && before == Symbol::simple_block) tree.block();
    before = node.symbol;
  }
  return tree.finish();
}

/// All four steps: the collapsed machine of a program text.
constexpr Graph graph_of(std::string_view text, Numbering numbering = Numbering::paper) {
  return collapse(connect(coarsen(parse(text), numbering)));
}

/// The names of the simple blocks, in source order: their text without white space.
std::vector<std::string> block_names(const ParseTree& tree, std::string_view text);

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
