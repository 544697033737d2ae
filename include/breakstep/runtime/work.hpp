// Work: chains to bring to a given draw, where their draws go, and the queue from which lanes take them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "breakstep/lanes/records.hpp"
#include "breakstep/runtime/lane_pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One segment of a run: every chain is to have `goal` draws. Chains may run ahead to `ahead` draws while others still
/// work, rather than leave their lanes idle.
template <class Real>
struct Work {
  Work(lanes::ChainRecords& all, const DrawWindow<Real>& draws, std::uint32_t goal_draws, std::uint32_t ahead_draws)
      : records(all), window(draws), goal(goal_draws), ahead(ahead_draws), unfinished(0) {
    window.narrow = all.chains() * std::size_t{draws.count} <= std::size_t{1} << 32;
    for (std::size_t c = 0; c < all.chains(); ++c) unfinished += all.draws(c) < goal ? 1 : 0;
  }

  /// The next chain that has not reached the goal, or records.chains() if there is none. Any thread.
  std::size_t next_chain() {
    for (;;) {
      const std::size_t c = next.fetch_add(1, std::memory_order_relaxed);
      if (c >= records.chains()) return records.chains();
      if (records.draws(c) < goal) return c;
    }
  }

  lanes::ChainRecords& records;
  DrawWindow<Real> window;
  std::uint32_t goal;
  std::uint32_t ahead;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> unfinished;  ///< chains that have not reached the goal
};

/// Loads a chain into a lane.
template <class Real, int W>
void load_chain(LanePack<Real, W>& pack, int lane, const lanes::ChainRecords& records, std::size_t chain) {
  using U = typename LanePack<Real, W>::U;
  pack.load(lane, records.record(chain));
  pack.chain.set(lane, static_cast<U>(chain));
  pack.draw.set(lane, static_cast<U>(records.draws(chain)));
}

/// Stores a lane's chain at its last draw boundary.
template <class Real, int W>
void store_chain(const LanePack<Real, W>& pack, int lane, lanes::ChainRecords& records) {
  const auto chain = static_cast<std::size_t>(pack.chain[lane]);
  pack.store(lane, records.record(chain));
  records.draws(chain) = static_cast<std::uint32_t>(pack.draw[lane]);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
