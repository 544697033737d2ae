// The free-running schedule: every chain moves through its own states; nobody waits except, on request, at a parked
// block.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "breakstep/runtime/evaluator.hpp"
#include "breakstep/runtime/options.hpp"
#include "breakstep/runtime/tuner.hpp"
#include "breakstep/runtime/work.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One thread's free-running packs.
template <class Real, int W>
class FreeRunning {
 public:
  using Lanes = Mask<W>;

  /// `packs` share a program; several make sense when the evaluator collects questions, or for gathered steps.
  FreeRunning(std::span<const std::unique_ptr<LanePack<Real, W>>> packs, Evaluator<Real, W>& evaluator,
              Work<Real>& work, const Execution& execution, int threads, Tuner& tuner)
      : code_(packs.front()->code()),
        evaluator_(evaluator),
        work_(work),
        lanes_in_all_(static_cast<std::size_t>(threads) * packs.size() * W),
        execution_(execution),
        tuner_(tuner),
        bare_(evaluator.bare()),
        may_lap_(code_.laps != nullptr && bare_.density != nullptr && execution.skip &&
                 execution.order == Order::chronological && packs.size() <= LanePack<Real, W>::most_runners) {
    for (const auto& pack : packs) crews_.push_back(Crew{pack.get(), {}, {}, {}, false});
    counters_.blocks.resize(code_.states.size());
    order_.resize(code_.states.size());
    std::iota(order_.begin(), order_.end(), 0);
  }

  Counters run() {
    tuner_.resume(crews_.size() * W);
    for (Crew& crew : crews_) fill(crew, Lanes::all_lanes());
    std::uint64_t next_sort = 1024;
    while (anyone_alive()) {
      if (may_lap_ && tuner_.plan().step == Step::bundled_inline) {
        several_steps();
      } else {
        one_step();
      }
      tuner_.step(counters_.evaluations_asked);
      if (execution_.order == Order::by_frequency && counters_.steps == next_sort) {
        sort_by_frequency();
        next_sort *= 2;
      }
      if (running_ahead_ && work_.unfinished.load(std::memory_order_relaxed) == 0) stop_everyone();
    }
    tuner_.pause(counters_.evaluations_asked);
    return counters_;
  }

 private:
  void one_step() {
    ++counters_.steps;
    switch (tuner_.plan().step) {
      case Step::switched_inline:
        return switched_inline();
      case Step::switched_amortized:
        return switched_amortized();
      case Step::bundled_inline:
        return bundled_inline();
      case Step::gathered:
        return gathered();
      default:
        return bundled_amortized();
    }
  }

  static constexpr unsigned rounds_of_patience = 8;  ///< with 32 lanes fell four times as far behind, for no more speed
  static constexpr int turns_of_step = 16;
  using Standing = std::array<Lanes, max_states>;
  using DrawNumber = typename LanePack<Real, W>::U;
  using Draw = Pack<DrawNumber, W>;

  /// A pack with, for each state, the lanes that stand there (and that stood there when the step began).
  struct Crew {
    LanePack<Real, W>* pack;
    Standing at;
    Standing before_step;
    Lanes alive;
    bool has_moved;  ///< gathered: in this round
  };

  [[nodiscard]] int state_count() const { return static_cast<int>(code_.states.size()); }

  [[nodiscard]] bool anyone_alive() const {
    for (const Crew& crew : crews_) {
      if (crew.alive.any()) return true;
    }
    return false;
  }

  void count(int state, Lanes where) {
    BlockCounter& counter = counters_.blocks[state];
    ++counter.runs;
    counter.occupied += static_cast<std::uint64_t>(where.count());
  }

  /// Whether a block is executed for the lanes that stand at it.
  [[nodiscard]] bool wanted(Lanes where) const { return where.any() || !execution_.skip; }

  /// Runs a whole block, question included, and sends its lanes on.
  void execute(Crew& crew, int state, Lanes where, Lanes* arrivals) {
    const auto& code = code_.states[state];
    count(state, where);
    if (code.asks) {
      code.before(*crew.pack, where);
      evaluator_.answer(*crew.pack, where, counters_);
      code.answer(*crew.pack, where, arrivals);
    } else {
      code.run(*crew.pack, where, arrivals);
    }
  }

  void switched_inline() {
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      const Standing now = std::exchange(crew.at, {});
      for (int k = 0; k < state_count(); ++k) {
        if (wanted(now[k])) execute(crew, k, now[k], crew.at.data());
      }
      finish(crew, now[code_.final]);
    }
  }

  /// What bundled_inline does, step after step until lanes are out of work or the tuner wants to know, by code that
  /// knows the sampler.
  void several_steps() {
    constexpr std::uint64_t most = 16;
    const std::uint64_t turns = tuner_.room(counters_.evaluations_asked) / (crews_.size() * W);
    const auto laps = running_ahead_ ? 1 : std::clamp<std::uint64_t>(turns, 1, most);
    const Laps<Real, W> how{.density = *bare_.density,
                            .workspace = bare_.workspace,
                            .window = work_.window,
                            .parking = tuner_.plan().parking,
                            .most = static_cast<int>(laps)};
    runners_.clear();
    for (Crew& crew : crews_) {
      if (crew.alive.any()) runners_.push_back({crew.pack, crew.at.data(), {}});
    }
    code_.laps(runners_, how, counters_);
    auto runner = runners_.begin();
    for (Crew& crew : crews_) {
      if (runner == runners_.end() || runner->pack != crew.pack) continue;
      if (runner->out_of_work.any()) relieve(crew, runner->out_of_work);
      ++runner;
    }
  }

  void bundled_inline() {
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      for (const int k : order_) {
        const Lanes here = crew.at[k];
        if (wanted(here) && !parked(crew, k)) run_block(crew, k);
      }
    }
  }

  /// A round goes through the blocks in order and stays at each as long as enough lanes of some pack stand there:
  /// waiting for one lane it is lock-step within a pack, for half of them lanes part and meet again further on. At its
  /// end each pack in which no block had enough runs its fullest. A step is a round, or part of a long one: its blocks
  /// are what the tuner's trials are measured in, and may be expensive.
  ///
  /// Nobody starves. No living pack gets through a round unmoved. A round ends: while it stays at a block only that
  /// block's own loop brings lanes back, which samplers end, and it never stays at the final one. And in every so many
  /// rounds each block runs once, whoever stands there, so that a lane at a rare block cannot fall behind for long.
  void gathered() {
    const bool for_anyone = round_ % rounds_of_patience == 0;
    const int enough = for_anyone ? 1 : tuner_.plan().parking;
    for (int turns = 0; turns < turns_of_step; ++turns) {
      if (at_block_ == state_count()) return end_round();
      const int state = order_[at_block_];
      if (!run_where(state, enough) || for_anyone || state == code_.final) ++at_block_;
    }
  }

  /// Runs a block for the packs in which enough lanes stand at it; returns whether there was one.
  BREAKSTEP_INLINE bool run_where(int state, int enough) {
    bool is_run = false;
    for (Crew& crew : crews_) {
      if (crew.at[state].count() < enough) continue;
      run_block(crew, state);
      is_run = crew.has_moved = true;
    }
    return is_run;
  }

  void end_round() {
    at_block_ = 0;
    ++round_;
    for (Crew& crew : crews_) {
      if (std::exchange(crew.has_moved, false) || crew.alive.none()) continue;
      const auto fullest = std::max_element(crew.at.begin(), crew.at.begin() + state_count(),
                                            [](Lanes a, Lanes b) { return a.count() < b.count(); });
      run_block(crew, static_cast<int>(fullest - crew.at.begin()));
    }
  }

  void run_block(Crew& crew, int state) {
    const Lanes here = std::exchange(crew.at[state], {});
    execute(crew, state, here, crew.at.data());
    if (state == code_.final) finish(crew, here);
  }

  void switched_amortized() {
    questions_.clear();
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      crew.before_step = std::exchange(crew.at, {});
      ask(crew, crew.before_step);
    }
    if (!questions_.empty()) evaluator_.answer(questions_, counters_);
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      const Standing& now = crew.before_step;
      for (int k = 0; k < state_count(); ++k) {
        if (!wanted(now[k])) continue;
        if (code_.states[k].asks) {
          code_.states[k].answer(*crew.pack, now[k], crew.at.data());
        } else {
          count(k, now[k]);
          code_.states[k].run(*crew.pack, now[k], crew.at.data());
        }
      }
      finish(crew, now[code_.final]);
    }
  }

  /// Brings all lanes that stand at a question to the point of asking it.
  void ask(Crew& crew, const Standing& standing) {
    Lanes asking;
    for (int k = 0; k < state_count(); ++k) {
      if (!code_.states[k].asks || !wanted(standing[k])) continue;
      count(k, standing[k]);
      code_.states[k].before(*crew.pack, standing[k]);
      asking |= standing[k];
    }
    if (wanted(asking)) questions_.push_back({crew.pack, asking});
  }

  /// Cheap blocks until every lane stands at a question (or is parked), then one evaluation for all.
  void bundled_amortized() {
    questions_.clear();
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      run_cheap_blocks(crew);
      ask(crew, crew.at);
    }
    if (questions_.empty()) return;
    evaluator_.answer(questions_, counters_);
    for (Crew& crew : crews_) {
      if (crew.alive.none()) continue;
      Standing arrivals{};
      Lanes done;
      for (int k = 0; k < state_count(); ++k) {
        if (!code_.states[k].asks || !wanted(crew.at[k])) continue;
        const Lanes here = std::exchange(crew.at[k], {});
        code_.states[k].answer(*crew.pack, here, arrivals.data());
        if (k == code_.final) done = here;
      }
      for (int k = 0; k < state_count(); ++k) crew.at[k] |= arrivals[k];
      finish(crew, done);
    }
  }

  void run_cheap_blocks(Crew& crew) {
    while (someone_moves_cheaply(crew)) {
      for (const int k : order_) {
        const Lanes here = crew.at[k];
        if (code_.states[k].asks || !wanted(here) || parked(crew, k)) continue;
        crew.at[k] = Lanes();
        count(k, here);
        code_.states[k].run(*crew.pack, here, crew.at.data());
        if (k == code_.final) finish(crew, here);
      }
    }
  }

  [[nodiscard]] bool someone_moves_cheaply(const Crew& crew) const {
    for (int k = 0; k < state_count(); ++k) {
      if (!code_.states[k].asks && crew.at[k].any() && !parked(crew, k)) return true;
    }
    return false;
  }

  /// Whether the lanes at a cheap block should wait for more company. Never when nobody stands at a question: somebody
  /// must move.
  [[nodiscard]] bool parked(const Crew& crew, int state) const {
    if (code_.states[state].asks || crew.at[state].count() >= tuner_.plan().parking) return false;
    for (int k = 0; k < state_count(); ++k) {
      if (code_.states[k].asks && crew.at[k].any()) return true;
    }
    return false;
  }

  /// The lanes of `done` have just run the final block: write their draws and send them on, or give them other chains.
  void finish(Crew& crew, Lanes done) {
    if (done.none()) return;
    write(crew, done);
    const Lanes out_of_work = crew.pack->out_of_work(done);
    crew.at[code_.initial] |= done & ~out_of_work;
    if (out_of_work.any()) relieve(crew, out_of_work);
  }

  /// Lanes that have come to the end of their piece, of which some have reached the goal, or gone ahead as far as they
  /// may.
  void relieve(Crew& crew, Lanes out_of_work) {
    const Lanes arrived = out_of_work & where_equal(crew.pack->draw, Draw(static_cast<DrawNumber>(work_.goal)));
    if (arrived.any()) work_.unfinished.fetch_sub(static_cast<std::size_t>(arrived.count()), std::memory_order_relaxed);
    replace(crew, out_of_work);
  }

  void write(Crew& crew, Lanes done) {
    crew.pack->finish_draws(done, work_.window);
    counters_.draws += static_cast<std::uint64_t>(done.count());
  }

  /// Lanes that are out of work take other chains, run ahead, or rest.
  void replace(Crew& crew, Lanes out_of_work) {
    lanes::for_each_lane(out_of_work, [&](int lane) {
      store_chain(*crew.pack, lane, work_.records);
      if (draws_of(crew, lane) < work_.goal) work_.put_back(static_cast<std::size_t>(crew.pack->chain[lane]));
    });
    const Lanes resting = execution_.refill ? fill(crew, out_of_work) : out_of_work;
    Lanes ahead;
    lanes::for_each_lane(resting, [&](int lane) {
      const std::uint32_t draws = draws_of(crew, lane);  // fewer than the goal: another lane takes the chain on
      const bool may_go = draws >= work_.goal && draws < work_.ahead;
      if (!may_go || work_.unfinished.load(std::memory_order_relaxed) == 0) return;
      ahead.set(lane);
      crew.pack->until.set(lane, static_cast<DrawNumber>(work_.ahead));
    });
    if (ahead.any()) running_ahead_ = true;
    crew.at[code_.initial] |= ahead;
    crew.alive = crew.alive & ~(resting & ~ahead);
    if (!execution_.refill && crew.alive.none()) fill(crew, Lanes::all_lanes());
  }

  [[nodiscard]] static std::uint32_t draws_of(const Crew& crew, int lane) {
    return static_cast<std::uint32_t>(crew.pack->draw[lane]);
  }

  /// Gives each lane of `empty` the next piece; returns those that got none.
  Lanes fill(Crew& crew, Lanes empty) {
    const std::uint32_t least = execution_.refill ? least_draws() : work_.goal;
    Lanes without;
    lanes::for_each_lane(empty, [&](int lane) {
      const auto [chain, until] = work_.take(share_, lanes_in_all_, least);
      if (chain == work_.records.chains()) {
        without.set(lane);
        return;
      }
      load_chain(*crew.pack, lane, work_.records, chain);
      crew.pack->until.set(lane, static_cast<DrawNumber>(until));
      crew.alive.set(lane);
      crew.at[code_.initial].set(lane);
    });
    return without;
  }

  /// In smaller pieces than these, changing chains would take more than a tenth of the time.
  [[nodiscard]] std::uint32_t least_draws() const {
    constexpr double change = 0.2e-6, change_of_byte = 0.6e-9, most = 1e9;
    const auto bytes = static_cast<double>(crews_.front().pack->record_bytes());
    const double answers = 10 * (change + change_of_byte * bytes) * tuner_.rate();
    const double draws =
        answers * static_cast<double>(counters_.draws + 1) / static_cast<double>(counters_.evaluations_asked + 1);
    return static_cast<std::uint32_t>(std::clamp(draws, 1.0, most));
  }

  /// Everybody has reached the goal: lanes that ran ahead keep what they have drawn and drop the draw they are in. A
  /// lane that stands at an empty final state has already run the block that changed its durable fields: its draw
  /// counts.
  void stop_everyone() {
    for (Crew& crew : crews_) {
      const Lanes just_done = code_.names[code_.final].empty() ? crew.at[code_.final] : Lanes();
      write(crew, just_done);
      lanes::for_each_lane(crew.alive, [&](int lane) { store_chain(*crew.pack, lane, work_.records); });
      crew.alive = Lanes();
    }
  }

  void sort_by_frequency() {
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return counters_.blocks[a].occupied > counters_.blocks[b].occupied; });
  }

  const typename LanePack<Real, W>::Code& code_;
  Evaluator<Real, W>& evaluator_;
  Work<Real>& work_;
  typename Work<Real>::Share share_;
  std::size_t lanes_in_all_;  ///< of all threads
  Execution execution_;
  Tuner& tuner_;
  typename Evaluator<Real, W>::Bare bare_;
  bool may_lap_;  ///< packs can make bundled steps by themselves
  std::vector<Crew> crews_;
  std::vector<typename LanePack<Real, W>::Runner> runners_;  ///< in laps, those of the living crews
  std::vector<int> order_;
  int at_block_ = 0;  ///< of the round that gathered steps go
  unsigned round_ = 1;
  std::vector<Question<Real, W>> questions_;
  Counters counters_;
  bool running_ahead_ = false;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
