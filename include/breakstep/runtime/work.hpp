// Work: chains to bring to a given draw, where their draws go, and the queue from which lanes take them.
#pragma once

#include <algorithm>
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
    window.holds_all = ahead <= std::uint64_t{draws.first} + draws.count;
    for (std::size_t c = 0; c < all.chains(); ++c) {
      unfinished += all.draws(c) < goal ? 1 : 0;
      window.holds_all = window.holds_all && all.draws(c) >= draws.first;
    }
  }

  /// Chains that a thread has taken from the queue and not yet worked on.
  struct Share {
    std::size_t next = 0, end = 0;
  };
  /// The next chain that has not reached the goal, or records.chains() if there is none. Any thread, with a share of
  /// its own. Neighbours' records and draws lie in the same lines of the cache, which two threads at once would fight
  /// for; so threads take several chains at a time while there are many left.
  std::size_t next_chain(Share& share, std::size_t threads_and_lanes) {
    for (;;) {
      if (share.next == share.end) {
        constexpr std::size_t most = 64, turns = 8;
        const std::size_t taken = std::min(next.load(std::memory_order_relaxed), records.chains());
        const std::size_t left = records.chains() - taken;
        const std::size_t size = std::clamp<std::size_t>(left / (turns * threads_and_lanes), 1, most);
        share.next = std::min(next.fetch_add(size, std::memory_order_relaxed), records.chains());
        share.end = std::min(share.next + size, records.chains());
        if (share.next == share.end) return records.chains();
      }
      const std::size_t c = share.next++;
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
