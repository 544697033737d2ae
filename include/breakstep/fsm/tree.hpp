// The coarse tree of a program, which blocks it has and how its loops enclose them, written as balanced brackets.
#pragma once

#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// The size of a list as the signed number that states, edges and loops are counted with.
constexpr int count(const auto& list) { return static_cast<int>(list.size()); }

/// Which loop is number 1: `paper` numbers a loop when it closes (inner before outer), `source` when it opens.
enum class Numbering : unsigned char { paper, source };

enum class MarkKind : unsigned char { block, open_while, open_repeat, close };

/// A block, or one end of a loop.
struct Mark {
  MarkKind kind;
  int number;   ///< Blocks count from 0 in source order, loops from 1 as `Numbering` says.
  int partner;  ///< Where the loop's other end stands; a block is its own partner.

  constexpr bool opens() const { return kind == MarkKind::open_while || kind == MarkKind::open_repeat; }
  constexpr bool operator==(const Mark&) const = default;
};

/// A whole program. Brackets instead of pointers, so that a nest of any depth is walked without recursion, and so that
/// the position of a mark can serve as the number of its state (see connect in convert.hpp).
struct Tree {
  std::vector<Mark> marks;
  int block_count = 0;
  int loop_count = 0;

  constexpr bool operator==(const Tree&) const = default;
};

/// Writes a tree from left to right: block(), open(), close(), in source order, with every loop closed.
class TreeBuilder {
 public:
  constexpr explicit TreeBuilder(Numbering numbering = Numbering::paper) : numbering_(numbering) {}

  constexpr void block() { tree_.marks.push_back({MarkKind::block, tree_.block_count++, position()}); }

  constexpr void open(MarkKind kind) {
    open_.push_back(position());
    tree_.marks.push_back({kind, numbering_ == Numbering::source ? ++tree_.loop_count : 0, 0});
  }

  constexpr void close() {
    Mark& opening = tree_.marks[open_.back()];
    if (numbering_ == Numbering::paper) opening.number = ++tree_.loop_count;
    opening.partner = position();
    const Mark closing{MarkKind::close, opening.number, open_.back()};
    open_.pop_back();
    tree_.marks.push_back(closing);
  }

  constexpr Tree finish() { return static_cast<Tree&&>(tree_); }

 private:
  constexpr int position() const { return count(tree_.marks); }

  Numbering numbering_;
  Tree tree_;
  std::vector<int> open_;
};

/// Whether some loop can go round without running a block. Nothing changes on such a round, so it never ends. This is
/// so when a loop's body is made only of parts that can be walked through: while loops, which may be skipped.
constexpr bool may_never_halt(const Tree& tree) {
  enum class Body : unsigned char { can_be_walked_through, runs_a_block };
  std::vector<Body> open;  // The bodies of the open loops, as far as they have been read.
  for (const Mark& mark : tree.marks) {
    if (mark.opens()) {
      open.push_back(Body::can_be_walked_through);
      continue;
    }
    bool can_be_skipped = false;
    if (mark.kind == MarkKind::close) {
      if (open.back() == Body::can_be_walked_through) return true;
      open.pop_back();
      can_be_skipped = tree.marks[mark.partner].kind == MarkKind::open_while;
    }
    if (!open.empty() && !can_be_skipped) open.back() = Body::runs_a_block;
  }
  return false;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
