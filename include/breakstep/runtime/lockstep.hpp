// The lock-step schedules: the program's loops run as loops, with a barrier per loop over a group of packs.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "breakstep/runtime/evaluator.hpp"
#include "breakstep/runtime/options.hpp"
#include "breakstep/runtime/work.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Lets the threads of a lock-step run agree, at every turn of every loop, on whether anybody is still in it.
class Agreement {
 public:
  explicit Agreement(int threads) : barrier_(threads) {}

  /// Whether any thread's `own` is true. All threads call it equally often.
  bool any(bool own) {
    // Three flags in turn: the one for the next question can be cleared while this one is still being read.
    const int turn = static_cast<int>(turn_of_thread_++ % 3);
    if (own) flags_[turn].store(true, std::memory_order_relaxed);
    flags_[(turn + 1) % 3].store(false, std::memory_order_relaxed);
    barrier_.arrive_and_wait();
    return flags_[turn].load(std::memory_order_relaxed);
  }
  /// To be called by each thread before its first question.
  static void join() { turn_of_thread_ = 0; }
  /// To be called by a thread that gives up (an exception passes), so that the others do not wait for it for ever.
  void leave() { barrier_.arrive_and_drop(); }

 private:
  std::barrier<> barrier_;
  std::atomic<bool> flags_[3] = {false, false, false};
  static inline thread_local std::uint64_t turn_of_thread_ = 0;
};

/// One thread's share of a group of chains that move together.
template <class Real, int W>
class Lockstep {
 public:
  using Lanes = Mask<W>;

  /// `skip` leaves out packs in which no lane is active. `agreement` joins the threads of one group; null if alone.
  Lockstep(std::vector<std::unique_ptr<LanePack<Real, W>>>& packs, Evaluator<Real, W>& evaluator, Work<Real>& work,
           bool skip, Agreement* agreement)
      : packs_(packs),
        code_(packs.front()->code()),
        evaluator_(evaluator),
        work_(work),
        skip_(skip),
        agreement_(agreement) {
    counters_.blocks.resize(code_.states.size());
  }

  /// Brings the chains [first, last) to the goal, W to a pack in order.
  Counters run(std::size_t first, std::size_t last) {
    occupied_.assign(packs_.size(), Lanes());
    std::uint32_t draw = work_.goal;
    for (std::size_t c = first; c < last; ++c) {
      const int lane = static_cast<int>((c - first) % W);
      load_chain(*packs_[(c - first) / W], lane, work_.records, c);
      occupied_[(c - first) / W].set(lane);
      draw = std::min(draw, work_.records.draws(c));
    }
    // Threads walk through the same draws even if their own chains begin later, so that barriers stay in step.
    draw = agreement_ != nullptr ? 0 : draw;
    for (; draw < work_.goal; ++draw) make_draw(draw);
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      lanes::for_each_lane(occupied_[p], [&](int lane) { store_chain(*packs_[p], lane, work_.records); });
    }
    return counters_;
  }

 private:
  using Active = std::vector<Lanes>;
  using Draw = Pack<typename LanePack<Real, W>::U, W>;

  void make_draw(std::uint32_t draw) {
    Active active(packs_.size());
    bool any = false;
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      active[p] = occupied_[p] & (packs_[p]->draw == Draw(static_cast<typename Draw::Element>(draw))).mask();
      any = any || active[p].any();
    }
    if (agreement_ != nullptr ? !agreement_->any(any) : !any) return;
    ++counters_.steps;
    walk(0, static_cast<int>(code_.tree.size()), active);
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      if (active[p].none()) continue;
      packs_[p]->finish_draws(active[p], work_.window);
      counters_.draws += static_cast<std::uint64_t>(active[p].count());
    }
  }

  /// Runs the marks [begin, end) of the program for the active lanes.
  void walk(int begin, int end, const Active& active) {
    for (int i = begin; i < end; ++i) {
      const fsm::Mark& mark = code_.tree[i];
      if (mark.kind == fsm::MarkKind::block) {
        run_block(code_.state_of_block[mark.number], active);
      } else {
        run_loop(i, mark, active);
        i = mark.partner;
      }
    }
  }

  void run_loop(int at, const fsm::Mark& mark, Active active) {
    bool tests = mark.kind == fsm::MarkKind::open_while;
    for (;;) {
      bool any = false;
      for (std::size_t p = 0; p < packs_.size(); ++p) {
        if (tests && active[p].any()) active[p] &= code_.conditions[mark.number - 1](*packs_[p]);
        any = any || active[p].any();
      }
      if (agreement_ != nullptr ? !agreement_->any(any) : !any) return;
      tests = true;
      for (std::size_t p = 0; p < packs_.size(); ++p) {
        counters_.rounds_executed += static_cast<std::uint64_t>(occupied_[p].count());
        counters_.rounds_wanted += static_cast<std::uint64_t>(active[p].count());
      }
      walk(at + 1, mark.partner, active);
    }
  }

  void run_block(int state, const Active& active) {
    const auto& code = code_.states[state];
    questions_.clear();
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      if (skip_ && active[p].none()) continue;
      BlockCounter& counter = counters_.blocks[state];
      ++counter.runs;
      counter.occupied += static_cast<std::uint64_t>(active[p].count());
      code.before(*packs_[p], active[p]);
      if (!code.asks) continue;
      if (evaluator_.collects() != Evaluator<Real, W>::Collects::one) {
        questions_.push_back({packs_[p].get(), active[p]});
      } else {
        evaluator_.answer(*packs_[p], active[p], counters_);
        code.after(*packs_[p], active[p]);
      }
    }
    if (questions_.empty()) return;
    evaluator_.answer(questions_, counters_);
    for (const auto& [pack, where] : questions_) code.after(*pack, where);
  }

  std::vector<std::unique_ptr<LanePack<Real, W>>>& packs_;
  const typename LanePack<Real, W>::Code& code_;
  Evaluator<Real, W>& evaluator_;
  Work<Real>& work_;
  bool skip_;
  Agreement* agreement_;
  Active occupied_;
  std::vector<Question<Real, W>> questions_;
  Counters counters_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
