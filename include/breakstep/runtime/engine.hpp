// Engine: runs the chains of one sampler on one target at one precision and width, segment by segment, on any threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/records.hpp"
#include "breakstep/runtime/free_running.hpp"
#include "breakstep/runtime/lockstep.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Where chains begin. `given` holds positions in the target's coordinates, one for each chain or one for all.
struct Starts {
  enum class Kind { normal, uniform, given } kind = Kind::normal;
  double scale = 1.0;  ///< sd of the normal, or half-width of the uniform
  std::vector<double> positions = {};
  std::size_t superchains =
      0;             ///< so many groups of consecutive chains share a random start; 0 means every chain its own
  int attempts = 1;  ///< at a random start whose density is finite and not so small that rounding drowns all else
};

/// What was noticed about chains that the draws do not show.
struct Facts {
  std::uint64_t bad_starts = 0;         ///< chains whose first density or gradient is NaN or infinite
  std::uint64_t retried_starts = 0;     ///< chains that needed more than one attempt at a random start
  std::vector<double> first_bad_start;  ///< the position of the first of them
  std::uint64_t events = 0;             ///< what the sampler counts: loops cut short
  /// False if the target's value for a chain may depend on which others are evaluated with it: then draws may differ
  /// between schedules, threads and interruptions.
  bool bits_promised = true;
};

/// A run with the sampler's and target's types erased, at one precision.
template <class Real>
class Run {
 public:
  Run() = default;
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] virtual lanes::ChainRecords& records() = 0;
  [[nodiscard]] virtual int dimension() const = 0;
  /// Places every chain and evaluates its first density.
  virtual void start(const Starts& starts) = 0;
  /// Brings every chain to `goal` draws; chains may run ahead to `ahead`. Returns what this segment counted.
  virtual Counters advance(std::uint32_t goal, std::uint32_t ahead, const DrawWindow<Real>& window,
                           const Execution& execution) = 0;
  /// Where the chains are, in the target's coordinates, one after the other.
  [[nodiscard]] virtual std::vector<double> positions() = 0;
  /// Runs as `other`, a run of the same sampler that has ended, had found fastest, rather than find out anew.
  virtual void keep_plans_of(Run& /*other*/) {}
  /// Takes effect with the next draw of every chain. Only for samplers that make steps.
  virtual void set_step_sizes(const StepSizes& sizes) = 0;
  [[nodiscard]] virtual Facts facts() = 0;
  [[nodiscard]] virtual std::vector<std::string> state_names() const = 0;
  /// What the sampler reports beside each draw.
  [[nodiscard]] virtual std::vector<std::string> fact_names() const = 0;
  [[nodiscard]] virtual int loop_count() const = 0;
  /// Chains that a thread works on at a time when running free.
  [[nodiscard]] virtual int lane_count() const = 0;
  [[nodiscard]] virtual std::size_t bytes_per_lane() const = 0;
};

template <class Real, int W>
class Engine final : public Run<Real> {
 public:
  using MakePack = std::function<std::unique_ptr<LanePack<Real, W>>()>;
  using MakeEvaluator = std::function<std::unique_ptr<Evaluator<Real, W>>()>;

  Engine(MakePack make_pack, MakeEvaluator make_evaluator, int dimension, std::size_t chains, bool bits_promised = true)
      : make_pack_(std::move(make_pack)),
        make_evaluator_(std::move(make_evaluator)),
        dimension_(dimension),
        bits_promised_(bits_promised),
        model_(make_pack_()),
        step_sizes_(model_->step_sizes),
        records_(model_->record_description(), model_->record_bytes(), chains) {}

  [[nodiscard]] lanes::ChainRecords& records() override { return records_; }
  [[nodiscard]] int dimension() const override { return dimension_; }
  [[nodiscard]] int loop_count() const override { return model_->code().loops; }
  [[nodiscard]] int lane_count() const override { return W; }
  [[nodiscard]] std::size_t bytes_per_lane() const override { return model_->bytes_per_lane(); }
  [[nodiscard]] std::vector<std::string> state_names() const override {
    std::vector<std::string> names;
    for (const auto name : model_->code().names) names.emplace_back(name);
    return names;
  }

  [[nodiscard]] std::vector<std::string> fact_names() const override {
    std::vector<std::string> names;
    for (const auto name : model_->fact_names()) names.emplace_back(name);
    return names;
  }

  void start(const Starts& starts) override {
    const lanes::FlushToZero scope;
    facts_ = {};
    const auto pack = make_pack_();
    const auto evaluator = make_evaluator_();
    Counters ignored;
    for (std::size_t first = 0; first < records_.chains(); first += W) {
      const int count = static_cast<int>(std::min<std::size_t>(W, records_.chains() - first));
      const auto where = Mask<W>::first_lanes(count);
      for (int lane = 0; lane < count; ++lane) load_chain(*pack, lane, records_, first + lane);
      auto unplaced = where;
      const int attempts = starts.kind == Starts::Kind::given ? 1 : std::max(1, starts.attempts);
      for (int attempt = 0; unplaced.any() && attempt < attempts; ++attempt) {
        if (attempt == 1) facts_.retried_starts += static_cast<std::uint64_t>(unplaced.count());
        if (starts.superchains > 0) share_starts(*pack, unplaced, first, starts.superchains);
        place(*pack, unplaced, first, starts, static_cast<std::uint32_t>(attempt));
        lanes::for_each_lane(unplaced, [&](int lane) { load_number(*pack, lane, first + lane); });
        evaluator->answer(*pack, where, ignored);
        lanes::for_each_lane(where, [&](int lane) { unplaced.set(lane, !is_usable(*pack, lane)); });
      }
      pack->begin(where);
      note_bad_starts(*pack, where);
      for (int lane = 0; lane < count; ++lane) {
        pack->draw.set(lane, 0);
        store_chain(*pack, lane, records_);
      }
    }
  }

  [[nodiscard]] std::vector<double> positions() override {
    const auto d = static_cast<std::size_t>(dimension_);
    std::vector<double> all(records_.chains() * d);
    std::vector<Real> one(d);
    for (std::size_t c = 0; c < records_.chains(); ++c) {
      model_->load(0, records_.record(c));
      model_->emit(0, one.data());
      std::copy(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(c * d));
    }
    return all;
  }

  void set_step_sizes(const StepSizes& sizes) override { step_sizes_ = sizes; }

  void keep_plans_of(Run<Real>& other) override {
    auto* const same = dynamic_cast<Engine*>(&other);
    if (same == nullptr) return;
    for (const auto& worker : same->workers_) {
      workers_.push_back(
          std::make_unique<Worker>(Worker{make_evaluator_(), {}, worker->step, worker->parking, worker->tuner}));
    }
  }

  Counters advance(std::uint32_t goal, std::uint32_t ahead, const DrawWindow<Real>& window,
                   const Execution& execution) override {
    Work<Real> work(records_, window, goal, std::max(goal, ahead));
    const int threads = thread_count(execution.threads, work.unfinished);
    switch (execution.schedule) {
      case Schedule::lockstep:
        return lockstep_all(work, threads, false);
      case Schedule::lockstep_skip:
        return lockstep_all(work, threads, true);
      case Schedule::lockstep_pack:
        return on_threads(threads, [&](int) { return lockstep_packs(work); });
      default:
        return on_threads(threads, [&, chains = work.unfinished.load()](int) {
          return free_running(work, chains, execution, threads);
        });
    }
  }

  [[nodiscard]] Facts facts() override {
    facts_.bits_promised = bits_promised_;
    facts_.events = 0;
    for (std::size_t c = 0; c < records_.chains(); ++c) facts_.events += model_->events(records_.record(c));
    return facts_;
  }

 private:
  static int thread_count(int asked, std::size_t chains) {
    const int wanted = asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return std::max(1, static_cast<int>(std::min<std::size_t>(wanted, (chains + W - 1) / W)));
  }

  using Number = typename LanePack<Real, W>::U;
  static void load_number(LanePack<Real, W>& pack, int lane, std::size_t chain) {
    pack.chain.set(lane, static_cast<Number>(chain));
  }
  /// Random starts depend on the chain's number: while they are drawn, chains go by that of their superchain.
  void share_starts(LanePack<Real, W>& pack, Mask<W> where, std::size_t first, std::size_t superchains) {
    const std::size_t size = std::max<std::size_t>(1, records_.chains() / superchains);
    lanes::for_each_lane(where, [&](int lane) { load_number(pack, lane, (first + lane) / size); });
  }

  void place(LanePack<Real, W>& pack, Mask<W> where, std::size_t first, const Starts& starts, std::uint32_t attempt) {
    if (starts.kind != Starts::Kind::given) {
      pack.place_at_random(where, starts.kind == Starts::Kind::uniform, static_cast<Real>(starts.scale), attempt);
      return;
    }
    const std::size_t given = starts.positions.size() / static_cast<std::size_t>(dimension_);
    lanes::for_each_lane(where, [&](int lane) {
      const std::size_t which = given == 1 ? 0 : first + static_cast<std::size_t>(lane);
      pack.place(lane, starts.positions.data() + which * static_cast<std::size_t>(dimension_));
    });
  }

  /// Whether the lane has been answered with numbers that a chain can start from.
  [[nodiscard]] bool is_finite(const LanePack<Real, W>& pack, int lane) const {
    return std::isfinite(pack.answer(lane)) && pack.gradient_is_finite(lane);
  }

  /// Whether, besides, rounding leaves something to tell densities apart by.
  [[nodiscard]] bool is_usable(const LanePack<Real, W>& pack, int lane) const {
    constexpr Real coarsest = Real(0.1);
    return is_finite(pack, lane) && std::abs(pack.answer(lane)) * std::numeric_limits<Real>::epsilon() < coarsest;
  }

  void note_bad_starts(LanePack<Real, W>& pack, Mask<W> where) {
    lanes::for_each_lane(where, [&](int lane) {
      if (is_finite(pack, lane)) return;
      if (facts_.bad_starts++ > 0) return;
      std::vector<Real> position(static_cast<std::size_t>(dimension_));
      pack.emit(lane, position.data());
      facts_.first_bad_start.assign(position.begin(), position.end());
    });
  }

  using Collects = typename Evaluator<Real, W>::Collects;

  /// With one asking block both bundled steps evaluate equally full packs, and inline is the simpler one; with several
  /// it depends on the price of the density, so both are tried. Where several blocks could wait for lanes, gathering
  /// them may pay. Only amortized steps collect questions.
  [[nodiscard]] std::vector<Step> steps_to_try(Step asked, Collects collects) const {
    if (asked != Step::automatic) return {asked};
    if (collects != Collects::one) return {Step::bundled_amortized};
    const auto& states = model_->code().states;
    const auto asking = std::count_if(states.begin(), states.end(), [](const auto& state) { return state.asks; });
    if (states.size() == 1) return {Step::bundled_inline};
    if (asking <= 1) return {Step::bundled_inline, Step::gathered};
    return {Step::bundled_amortized, Step::bundled_inline, Step::gathered};
  }

  /// What a thread needs to run freely. Kept from one segment to the next, with what the tuner has found out.
  struct Worker {
    std::unique_ptr<Evaluator<Real, W>> evaluator;
    std::vector<std::unique_ptr<LanePack<Real, W>>> packs;
    Step step;
    int parking;
    Tuner tuner;
  };

  std::unique_ptr<Worker> take_worker(const Execution& execution) {
    {
      const std::lock_guard lock(workers_mutex_);
      while (!workers_.empty()) {
        auto worker = std::move(workers_.back());
        workers_.pop_back();
        if (worker->step == execution.step && worker->parking == execution.parking) return worker;
      }
    }
    auto evaluator = make_evaluator_();
    const Collects collects = evaluator->collects();
    auto tuner = Tuner::over(steps_to_try(execution.step, collects), execution.parking, W,
                             collects == Collects::all ? Tuner::time_of_world : Tuner::time_of_thread);
    return std::make_unique<Worker>(
        Worker{std::move(evaluator), {}, execution.step, execution.parking, std::move(tuner)});
  }

  void give_back(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(workers_mutex_);
    workers_.push_back(std::move(worker));
  }

  std::unique_ptr<LanePack<Real, W>> new_pack() const {
    auto pack = make_pack_();
    pack->step_sizes = step_sizes_;
    return pack;
  }

  /// Of each thread. A batch wants as many questions at once as there are chains. Else packs take turns block by block,
  /// which gives the processor independent work, if there are chains for them and all stay in the nearest cache: two
  /// packs of one register, or four of several (AVX-512: slice and delayed rejection a quarter to a third faster than
  /// with one).
  [[nodiscard]] std::size_t pack_count(std::size_t chains, const Execution& execution, int threads,
                                       Collects collects) const {
    const std::size_t lanes = W * static_cast<std::size_t>(threads);
    const std::size_t in_turn = std::max<std::size_t>(1, (chains + lanes - 1) / lanes);
    if (collects == Collects::all) return in_turn;
    if (collects == Collects::two) return std::min<std::size_t>(2, in_turn);
    const Step step = execution.step;
    if (step != Step::automatic && step != Step::gathered && step != Step::bundled_inline) return 1;
    if (!execution.skip || !execution.refill) return 1;  // as in the paper, whose one pack holds all chains
    constexpr std::size_t most_bytes = 16 * 1024;
    constexpr std::size_t most = W > lanes::native_width<Real> ? LanePack<Real, W>::most_runners : 2;
    const std::size_t filled = chains / lanes, that_fit = most_bytes / (W * model_->bytes_per_lane());
    return std::max<std::size_t>(1, std::min({most, filled, that_fit}));
  }

  Counters free_running(Work<Real>& work, std::size_t chains, const Execution& execution, int threads) {
    auto worker = take_worker(execution);
    const std::size_t wanted = pack_count(chains, execution, threads, worker->evaluator->collects());
    while (worker->packs.size() < wanted) worker->packs.push_back(make_pack_());
    for (auto& pack : worker->packs) pack->step_sizes = step_sizes_;
    Counters counters = FreeRunning<Real, W>(std::span(worker->packs.data(), wanted), *worker->evaluator, work,
                                             execution, threads, worker->tuner)
                            .run();
    give_back(std::move(worker));
    return counters;
  }

  Counters lockstep_packs(Work<Real>& work) {
    const auto evaluator = make_evaluator_();
    std::vector<std::unique_ptr<LanePack<Real, W>>> packs;
    packs.push_back(new_pack());
    Counters counters;
    for (;;) {
      const std::size_t first = work.next.fetch_add(W, std::memory_order_relaxed);
      if (first >= records_.chains()) return counters;
      counters.add(Lockstep<Real, W>(packs, *evaluator, work, true, nullptr)
                       .run(first, std::min<std::size_t>(first + W, records_.chains())));
    }
  }

  Counters lockstep_all(Work<Real>& work, int threads, bool skip) {
    const std::size_t packs_in_all = (records_.chains() + W - 1) / W;
    Agreement agreement(threads);
    return on_threads(threads, [&](int thread) {
      Agreement::join();
      try {
        const auto evaluator = make_evaluator_();
        if (!skip) evaluator->evaluate_whole_packs();
        const std::size_t from = packs_in_all * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
        const std::size_t to = packs_in_all * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(threads);
        std::vector<std::unique_ptr<LanePack<Real, W>>> packs;
        for (std::size_t p = from; p < to; ++p) packs.push_back(new_pack());
        return Lockstep<Real, W>(packs, *evaluator, work, skip, threads > 1 ? &agreement : nullptr)
            .run(from * W, std::min(to * W, records_.chains()));
      } catch (...) {
        agreement.leave();
        throw;
      }
    });
  }

  /// Runs job(thread) on each thread and adds up what they counted. The first exception of any is passed on.
  template <class Job>
  Counters on_threads(int threads, Job job) {
    Counters total;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto guarded = [&](int thread) {
      try {
        const lanes::FlushToZero scope;
        const Counters own = job(thread);
        const std::lock_guard lock(mutex);
        total.add(own);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(guarded, t);
    guarded(0);
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
    return total;
  }

  MakePack make_pack_;
  MakeEvaluator make_evaluator_;
  int dimension_;
  bool bits_promised_;
  std::unique_ptr<LanePack<Real, W>> model_;
  StepSizes step_sizes_;
  lanes::ChainRecords records_;
  Facts facts_;
  std::mutex workers_mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< of segments that have ended
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
