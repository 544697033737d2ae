// Work: chains to bring to a given draw, where their draws go, and the queue from which lanes take them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <queue>
#include <utility>

#include "breakstep/lanes/records.hpp"
#include "breakstep/runtime/lane_pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One segment of a run: every chain is to have `goal` draws. Chains may run ahead to `ahead` draws while others still
/// work, rather than leave their lanes idle.
///
/// Lanes take chains in pieces, at first whole ones, towards the end ever smaller ones, and those first that have most
/// before them: so where there are more chains than lanes, all of them, dear or cheap, and whether or not they divide
/// evenly among the lanes, come to their end together. (A lane that kept its chain left up to a tenth of the
/// evaluations of a few hundred chains to idle lanes.)
template <class Real>
struct Work {
  Work(lanes::ChainRecords& all, const DrawWindow<Real>& draws, std::uint32_t goal_draws, std::uint32_t ahead_draws)
      : records(all), window(draws), goal(goal_draws), ahead(ahead_draws), unfinished(0), draws_left_(0) {
    window.narrow = all.chains() * std::size_t{draws.count} <= std::size_t{1} << 32;
    window.holds_all = ahead <= std::uint64_t{draws.first} + draws.count;
    for (std::size_t c = 0; c < all.chains(); ++c) {
      unfinished += all.draws(c) < goal ? 1 : 0;
      draws_left_ += goal - std::min(all.draws(c), goal);
      window.holds_all = window.holds_all && all.draws(c) >= draws.first;
    }
  }

  /// Chains that a thread has taken from the queue and not yet worked on.
  struct Share {
    std::size_t next = 0, end = 0;
  };
  /// What a lane is to do: bring the chain to so many draws.
  struct Piece {
    std::size_t chain;
    std::uint32_t until;
  };

  /// A piece of a chain that nobody has worked on, or else of the one that has most before it, of `least` draws or more
  /// unless so many are not left. Its chain is records.chains() if no chain waits. Any thread, with a share of its own;
  /// `lanes` are those of all threads.
  Piece take(Share& share, std::size_t lanes, std::uint32_t least) {
    std::size_t chain = next_chain(share, lanes);
    if (chain == records.chains()) chain = take_returned();
    if (chain == records.chains()) return {chain, 0};
    const std::uint32_t whole = goal - records.draws(chain);
    const std::uint64_t share_of_rest = draws_left_.load(std::memory_order_relaxed) / (4 * lanes);
    const auto wanted =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, std::max<std::uint64_t>(share_of_rest, least)));
    const std::uint32_t size = whole - wanted < least ? whole : std::max(wanted, 1U);
    draws_left_.fetch_sub(size, std::memory_order_relaxed);
    return {chain, records.draws(chain) + size};
  }

  /// A chain that has come to the end of a piece, but not to its goal, waits for a lane again; its record must be up to
  /// date.
  void put_back(std::size_t chain) {
    const std::lock_guard lock(returned_mutex_);
    returned_.emplace(goal - records.draws(chain), chain);
  }

  lanes::ChainRecords& records;
  DrawWindow<Real> window;
  std::uint32_t goal;
  std::uint32_t ahead;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> unfinished;  ///< chains that have not reached the goal

 private:
  /// The next chain that nobody has worked on and that has not reached the goal, or records.chains() if there is none.
  /// Neighbours' records and draws lie in the same lines of the cache, which two threads at once would fight for; so
  /// threads take several chains at a time while there are many left.
  std::size_t next_chain(Share& share, std::size_t lanes) {
    for (;;) {
      if (share.next == share.end) {
        constexpr std::size_t most = 64, turns = 8;
        const std::size_t taken = std::min(next.load(std::memory_order_relaxed), records.chains());
        const std::size_t left = records.chains() - taken;
        const std::size_t size = std::clamp<std::size_t>(left / (turns * lanes), 1, most);
        share.next = std::min(next.fetch_add(size, std::memory_order_relaxed), records.chains());
        share.end = std::min(share.next + size, records.chains());
        if (share.next == share.end) return records.chains();
      }
      const std::size_t c = share.next++;
      if (records.draws(c) < goal) return c;
    }
  }

  std::size_t take_returned() {
    const std::lock_guard lock(returned_mutex_);
    if (returned_.empty()) return records.chains();
    const std::size_t chain = returned_.top().second;
    returned_.pop();
    return chain;
  }

  std::atomic<std::uint64_t> draws_left_;  ///< that no lane has been given yet
  std::mutex returned_mutex_;
  std::priority_queue<std::pair<std::uint32_t, std::size_t>> returned_;  ///< (draws left, chain)
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
