// Random programs with random blocks and conditions, and what they do when run by their own loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace breakstep::fsm::test {

/// A generator whose numbers are the same on every machine (the distributions of <random> are not).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  /// A number from 0 to `sides` - 1.
  int roll(int sides) { return static_cast<int>(bits_() % static_cast<std::uint64_t>(sides)); }

 private:
  std::mt19937_64 bits_;
};

/// A part of a program: a simple block, or a loop around other parts.
struct Item {
  enum Kind { block, while_loop, repeat_loop } kind = block;
  int number = 0;  ///< Of the block, from 0 in source order; of the loop, from 1, inner before outer.
  std::vector<Item> body;
};

struct RandomProgram {
  std::vector<Item> items;
  std::string text;  ///< The same program in the toy language, with random operations and white space.
  int blocks = 0;
  int loops = 0;
  int depth = 0;
};

/// What the blocks and conditions do: the program's variable is one small number, everything else is a table.
struct World {
  static constexpr int values = 6;
  std::vector<std::vector<int>> after_block;  ///< [block][value]
  std::vector<std::vector<bool>> condition;   ///< [loop - 1][value]
};

inline World random_world(Dice& dice, const RandomProgram& program) {
  World world;
  world.after_block.resize(static_cast<std::size_t>(program.blocks));
  world.condition.resize(static_cast<std::size_t>(program.loops));
  for (auto& table : world.after_block) {
    for (int i = 0; i < World::values; ++i) table.push_back(dice.roll(World::values));
  }
  for (auto& table : world.condition) {
    for (int i = 0; i < World::values; ++i) table.push_back(dice.roll(2) == 0);
  }
  return world;
}

/// Writes a random program: any nesting up to four loops deep, loops in sequence, at most `most_loops` loops.
class ProgramWriter {
 public:
  ProgramWriter(Dice& dice, int most_loops) : dice_(dice), most_loops_(most_loops) {}

  RandomProgram write() {
    program_.items = sequence(0);
    return std::move(program_);
  }

 private:
  std::vector<Item> sequence(int depth) {
    std::vector<Item> items;
    const int length = 1 + dice_.roll(depth == 0 ? 5 : 3);
    bool after_block = false;
    for (int i = 0; i < length; ++i) {
      // Two neighbouring simple blocks would be one.
      const bool can_loop = depth < 4 && program_.loops + open_ < most_loops_;
      const bool can_block = !after_block;
      if (!can_loop && !can_block) break;
      after_block = can_block && (!can_loop || dice_.roll(2) == 0);
      items.push_back(after_block ? simple_block() : loop(depth));
    }
    return items;
  }

  Item simple_block() {
    for (int i = dice_.roll(3); i >= 0; --i) {
      program_.text.append("op").append(std::to_string(dice_.roll(20))).append(space());
    }
    return {Item::block, program_.blocks++, {}};
  }

  Item loop(int depth) {
    Item item;
    item.kind = dice_.roll(3) == 0 ? Item::repeat_loop : Item::while_loop;
    program_.text.append(item.kind == Item::while_loop ? "W" : "R").append(space()).append("{").append(space());
    program_.depth = std::max(program_.depth, depth + 1);
    ++open_;
    item.body = sequence(depth + 1);
    --open_;
    program_.text.append("}").append(space());
    item.number = ++program_.loops;
    return item;
  }

  std::string space() { return dice_.roll(8) == 0 ? " " : dice_.roll(12) == 0 ? "\n\t" : ""; }

  Dice& dice_;
  int most_loops_;
  int open_ = 0;
  RandomProgram program_;
};

/// How a run ended: by itself, cut off after many blocks, or going round for ever without running a block.
enum class Ending { halted, cut, spins };

/// The blocks a run visited.
struct Walk {
  std::vector<int> blocks;
  Ending ending = Ending::halted;
  bool operator==(const Walk&) const = default;
};

/// Watches a run: keeps the program's variable, records blocks, and says when to stop.
class Walker {
 public:
  static constexpr std::size_t most_blocks = 60;
  /// More tests than this in a row, without a block between them, must repeat: the programs are much smaller.
  static constexpr int most_tests = 1000;

  Walker(const World& world, int value) : world_(world), value_(value) {}

  /// Runs a block; false if the run is to be cut here.
  bool visit(int block) {
    if (walk_.blocks.size() == most_blocks) {
      walk_.ending = Ending::cut;
      return false;
    }
    walk_.blocks.push_back(block);
    value_ = world_.after_block[static_cast<std::size_t>(block)][static_cast<std::size_t>(value_)];
    moves_ = 0;
    return true;
  }

  /// Counts a move that ran no block; false if the run spins.
  bool move() {
    if (++moves_ <= most_tests) return true;
    walk_.ending = Ending::spins;
    return false;
  }

  bool test(int loop) const {
    return world_.condition[static_cast<std::size_t>(loop - 1)][static_cast<std::size_t>(value_)];
  }

  Walk walk() const { return walk_; }

 private:
  const World& world_;
  int value_;
  int moves_ = 0;
  Walk walk_;
};

/// Runs items as the loops they are; false if the run was stopped.
inline bool run_loops(const std::vector<Item>& items, Walker& walker) {
  for (const Item& item : items) {
    if (item.kind == Item::block) {
      if (!walker.visit(item.number)) return false;
      continue;
    }
    bool first = item.kind == Item::repeat_loop;
    while (first || walker.test(item.number)) {
      if (!walker.move() || !run_loops(item.body, walker)) return false;
      first = false;
    }
  }
  return true;
}

}  // namespace breakstep::fsm::test
