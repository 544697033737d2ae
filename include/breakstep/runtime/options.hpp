// How a run is executed. None of these choices ever changes a draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/vector.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// How one move is made. switched: each lane runs one block per step (the paper's `step`). bundled: a lane that leaves
/// a block may run the following ones in the same step (`bundled_step`). inline: the density is evaluated inside each
/// block that asks. amortized: once per step for all blocks that ask (`amortized_step`). gathered: only blocks at which
/// enough lanes stand are run, for as long as they do, with the density inline; for cheap densities. `automatic`
/// measures while running whether bundled (amortized too, where more than one block asks) or gathered is faster.
enum class Step { automatic, switched_inline, switched_amortized, bundled_inline, bundled_amortized, gathered };

/// Who moves now. lockstep: masked loops with a barrier over all chains, every pack executed until the last chain
/// leaves (vmap). lockstep_skip: packs in which no lane is active are skipped. lockstep_pack: the barrier spans one
/// pack only. free_running: no barrier; every chain moves through its own states.
enum class Schedule { lockstep, lockstep_skip, lockstep_pack, free_running };

/// In which order a bundled step tries the blocks: as written, or those that ran most often first.
enum class Order { chronological, by_frequency };

struct Execution {
  Step step = Step::automatic;
  Schedule schedule = Schedule::free_running;
  Order order = Order::chronological;
  int threads = 1;     ///< 0 means one per core
  bool skip = true;    ///< free_running: leave out a block that no lane wants
  bool refill = true;  ///< free_running: a lane whose piece of a chain is done takes another piece
  int parking = 0;  ///< free_running: a block that asks nothing (if gathered, any) waits for so many lanes; 0 tunes it
};

/// The storage that proved faster for vectors of this length: samplers that ask for gradients keep many of them and
/// gain from contiguous ones as soon as a few registers are full; others never did. Measured with NUTS (bench/nuts).
lanes::Storage preferred_storage(target::Asks asks, int dimension, std::size_t bytes_per_number);

/// Names as the command line and messages write them; parse_* throw Error with the known names.
std::string_view name_of(Step step);
std::string_view name_of(Schedule schedule);
std::string_view name_of(lanes::Storage storage);
Step parse_step(std::string_view name);
Schedule parse_schedule(std::string_view name);
lanes::Storage parse_storage(std::string_view name);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
