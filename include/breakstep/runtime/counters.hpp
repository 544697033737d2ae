// What a run has counted: steps, how full the lanes were, and evaluations asked for and executed.
#pragma once

#include <cstdint>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Executions of one block. `occupied / (runs · W)` is how full its lanes were.
struct BlockCounter {
  std::uint64_t runs = 0;
  std::uint64_t occupied = 0;  ///< lanes that meant it
};

struct Counters {
  std::uint64_t draws = 0;
  std::uint64_t steps = 0;
  std::uint64_t evaluations_asked = 0;
  std::uint64_t evaluations_executed = 0;
  /// Lock-step only: rounds of all loops that all chains sat through, and rounds that chains wanted.
  std::uint64_t rounds_executed = 0;
  std::uint64_t rounds_wanted = 0;
  std::vector<BlockCounter> blocks;  ///< by state of the machine

  /// The share of evaluated lanes that somebody waited for.
  [[nodiscard]] double occupancy() const {
    return evaluations_executed == 0
               ? 1.0
               : static_cast<double>(evaluations_asked) / static_cast<double>(evaluations_executed);
  }

  void add(const Counters& other) {
    draws += other.draws;
    steps += other.steps;
    evaluations_asked += other.evaluations_asked;
    evaluations_executed += other.evaluations_executed;
    rounds_executed += other.rounds_executed;
    rounds_wanted += other.rounds_wanted;
    if (blocks.size() < other.blocks.size()) blocks.resize(other.blocks.size());
    for (std::size_t i = 0; i < other.blocks.size(); ++i) {
      blocks[i].runs += other.blocks[i].runs;
      blocks[i].occupied += other.blocks[i].occupied;
    }
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
