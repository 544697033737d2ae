// LanePack: W lanes that work on chains of one sampler, seen by the runtime through a table of functions.
//
// The runtime's steps and schedules know a sampler only by this table, so they are compiled once per precision and
// width and not once per sampler. SamplerPack fills the table from a sampler's program.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "breakstep/fsm/program.hpp"
#include "breakstep/lanes/fields.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/lanes/vector.hpp"
#include "breakstep/runtime/counters.hpp"
#include "breakstep/runtime/draw_log.hpp"
#include "breakstep/runtime/draw_window.hpp"
#include "breakstep/runtime/step_sizes.hpp"
#include "breakstep/target/density.hpp"
#include "breakstep/target/map.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

using lanes::InterleavedVector;
using lanes::Mask;
using lanes::Pack;
using lanes::Storage;
using lanes::Unsigned;

/// The most states a sampler's machine may have.
inline constexpr int max_states = 32;

/// What a pack needs to go through its machine by itself.
template <class Real, int W>
struct Laps {
  const target::Density<Real, W>& density;
  Real* workspace;
  const DrawWindow<Real>& window;
  int parking;  ///< a block that asks nothing waits for so many lanes, unless nobody stands at a question
  int most;     ///< laps
};

template <class Real, int W>
class LanePack {
 public:
  using U = Unsigned<sizeof(Real)>;
  using Lanes = Mask<W>;

  /// One state of the machine. `arrivals[k]` collects the lanes that go to state k next.
  struct StateCode {
    bool asks;
    void (*before)(LanePack&, Lanes);          ///< the block up to its question
    void (*after)(LanePack&, Lanes);           ///< the rest, once the answer is there
    void (*run)(LanePack&, Lanes, Lanes*);     ///< before, then on to the next states (of a block that asks nothing)
    void (*answer)(LanePack&, Lanes, Lanes*);  ///< after, then on to the next states
  };
  /// A pack on its laps, `at[k]` being the lanes that stand at state k. Those that come out of work then stand nowhere.
  struct Runner {
    LanePack* pack;
    Lanes* at;
    Lanes out_of_work;
  };
  static constexpr std::size_t most_runners = 4;
  /// A sampler's program as data: the machine for free running, the tree of marks and conditions for lock-step.
  struct Code {
    std::span<const StateCode> states;
    std::span<const std::string_view> names;  ///< of the states; empty states have none
    std::span<const fsm::Mark> tree;
    std::span<const int> state_of_block;
    std::span<Lanes (*const)(LanePack&)> conditions;
    int initial;
    int final;
    int loops;
    /// Bundled steps with the density inline, as FreeRunning makes them, compiled in one piece: a lap goes through all
    /// states in order, and at each state from pack to pack (at most most_runners). Ends after the most laps, or with
    /// the lap in which lanes come out of work. Null where calls cost little beside what they call.
    void (*laps)(std::span<Runner>, const Laps<Real, W>&, Counters&);
  };

  explicit LanePack(const Code& code) : code_(&code) {}
  virtual ~LanePack() = default;
  LanePack(const LanePack&) = delete;
  LanePack& operator=(const LanePack&) = delete;

  [[nodiscard]] const Code& code() const { return *code_; }

  /// What the lanes of `where`, which have asked, want to know, in lanes; and where the answer goes.
  [[nodiscard]] const InterleavedVector<Real, W>& request(Lanes where) {
    if (keeps_rows_) {
      publish(where);
      gradient_is_in_rows_ = false;
    }
    return request_;
  }
  BREAKSTEP_INLINE void give(Lanes where, Pack<Real, W> value) { assign(where, *answer_, value); }
  /// Where the gradients of a sampler that asks for them are to be written, else null. Blocks see only those of lanes
  /// that asked.
  [[nodiscard]] const InterleavedVector<Real, W>* gradient_answer() const {
    return gradient_answer_.data() != nullptr ? &gradient_answer_ : nullptr;
  }
  [[nodiscard]] Real answer(int lane) const { return (*answer_)[lane]; }

  /// Contiguous storage of a sampler that asks for gradients: the same question without a copy. Whoever takes it writes
  /// the gradients of the lanes that asked into `gradient`, and those of no other lane.
  struct RowQuestion {
    target::Rows<Real, W> x, gradient;
  };
  [[nodiscard]] bool keeps_rows() const { return keeps_rows_ && gradient_answer_.data() != nullptr; }
  [[nodiscard]] RowQuestion take_rows() {
    gradient_is_in_rows_ = true;
    return rows();
  }
  [[nodiscard]] virtual bool gradient_is_finite(int lane) const = 0;

  /// Which chain a lane works on, which draw it is making, and at how many draws it is out of work.
  Pack<U, W> chain{U(0)};
  Pack<U, W> draw{U(0)};
  Pack<U, W> until{U(0)};
  /// Those of `done`, which have just made a draw, that are out of work.
  [[nodiscard]] BREAKSTEP_INLINE Lanes out_of_work(Lanes done) const { return done & where_equal(draw, until); }

  /// Of a sampler that makes steps.
  StepSizes step_sizes;

  /// Record ↔ lane, at a draw boundary. Storing is allowed in the middle of a draw too: durable fields change only in
  /// the final block, so what is stored is the chain at its last boundary.
  virtual void load(int lane, const std::byte* record) = 0;
  virtual void store(int lane, std::byte* record) const = 0;
  [[nodiscard]] virtual std::size_t record_bytes() const = 0;
  [[nodiscard]] virtual std::string record_description() const = 0;

  /// The lane's position in the target's coordinates.
  virtual void emit(int lane, Real* position) = 0;
  /// The lanes of `where` have made a draw: writes it where the window has room for it and counts it.
  virtual void finish_draws(Lanes where, const DrawWindow<Real>& window) = 0;

  /// What the sampler reports beside each draw; empty if nothing.
  [[nodiscard]] virtual std::span<const std::string_view> fact_names() const = 0;

  /// First positions: standard normal times `scale`, or uniform in (−scale, scale), in the target's coordinates for
  /// samplers with gradients, else in the sampler's. Every attempt gives others.
  virtual void place_at_random(Lanes where, bool uniform, Real scale, std::uint32_t attempt) = 0;
  /// A first position in the target's coordinates.
  virtual void place(int lane, const double* position) = 0;
  /// Makes the placed positions, whose density has been given, the chains' state.
  virtual void begin(Lanes where) = 0;

  /// Events the sampler counts in a chain (a loop cut short, say), from a record.
  [[nodiscard]] virtual std::uint64_t events(const std::byte* record) = 0;

  /// Bytes that one lane's scratch and durable fields take.
  [[nodiscard]] virtual std::size_t bytes_per_lane() const = 0;

 protected:
  InterleavedVector<Real, W> request_;
  InterleavedVector<Real, W> gradient_answer_;
  Pack<Real, W>* answer_ = nullptr;
  bool keeps_rows_ = false;           ///< contiguous storage
  bool gradient_is_in_rows_ = false;  ///< whoever answers has written it there

 private:
  /// Makes what contiguous storage has asked readable in lanes.
  virtual void publish(Lanes where) = 0;
  [[nodiscard]] virtual RowQuestion rows() const = 0;

  const Code* code_;
};

/// Sizes of a state's vectors. Samplers with tables say through `rows()` how many rows they have (a tree depth, say),
/// and through `extra_rows()` how many those have that only some of their options need.
struct Shape {
  int dimension = 0;
  int rows = 1;
  int extra_rows = 0;
};

/// The lanes of one sampler type. Blocks receive this object as `chains` and use `chains.state`, `chains.sampler` and
/// `chains.stream()`.
///
/// A sampler has parameters, `static constexpr target::Asks asks`, `template <class Real, int W, Storage S> struct
/// State` with at least the fields x, log_density and events (durable), request and answer (scratch), and a `static
/// constexpr auto program`. One that asks for gradients also has the vectors gradient (durable, at x) and
/// answer_gradient (scratch). One whose first block looks at scratch fields has `forget(state, lane)`, too, for a lane
/// that takes a chain: its last one may have been dropped in the middle of a draw.
template <class Sampler, class Real, int W, Storage S>
class SamplerPack final : public LanePack<Real, W> {
 public:
  using Base = LanePack<Real, W>;
  using Lanes = Mask<W>;
  using State = typename Sampler::template State<Real, W, S>;
  using Position = decltype(State::x);
  using U = typename Base::U;
  using RealType = Real;
  static constexpr int width = W;
  static constexpr bool with_gradient = Sampler::asks == target::Asks::gradient;

  SamplerPack(const Sampler& own_sampler, std::uint64_t seed, target::AffineMap<Real> map)
      : Base(code()),
        sampler(own_sampler),
        seed_(seed),
        map_(std::move(map)),
        shape_(shape_of(own_sampler, map_.dimension())),
        memory_(shape_),
        state(memory_.state()),
        request_memory_(lanes::aligned_zeros<Real>(2 * InterleavedVector<Real, W>::elements(shape_.dimension))),
        position_memory_(lanes::aligned_zeros<Real>(2 * static_cast<std::size_t>(shape_.dimension))) {
    if constexpr (requires { own_sampler.step_size; }) {
      this->step_sizes = {.change = 0, .before = own_sampler.step_size, .after = own_sampler.step_size};
    }
    if constexpr (S == Storage::interleaved) {
      this->request_ = state.request;
    } else {
      this->request_ = InterleavedVector<Real, W>(request_memory_.get(), shape_.dimension);
      this->keeps_rows_ = true;
    }
    this->answer_ = &state.answer;
    if constexpr (with_gradient) {
      this->gradient_answer_ = InterleavedVector<Real, W>(
          request_memory_.get() + InterleavedVector<Real, W>::elements(shape_.dimension), shape_.dimension);
    }
  }

  [[nodiscard]] lanes::Stream<Real, W> stream() const { return {seed_, this->chain, this->draw}; }

  /// Of the draw that each lane of `where` is making.
  [[nodiscard]] Pack<Real, W> step_size(Lanes where) const {
    const StepSizes& sizes = this->step_sizes;
    const auto is_before = this->draw < Pack<U, W>(static_cast<U>(sizes.change));
    Pack<Real, W> size = select(is_before, Pack<Real, W>(static_cast<Real>(sizes.before)),
                                Pack<Real, W>(static_cast<Real>(sizes.after)));
    if (sizes.of_chain != nullptr) {  // other lanes' chains may be in other threads' hands
      lanes::for_each_lane(where, [&](int lane) {
        size.set(lane, static_cast<Real>(sizes.of_chain[static_cast<std::size_t>(this->chain[lane])]));
      });
    }
    return size;
  }

  void load(int lane, const std::byte* record) override {
    lanes::gather(state, lane, record, shape_);
    if constexpr (requires { Sampler::forget(state, lane); }) Sampler::forget(state, lane);
  }
  void store(int lane, std::byte* record) const override { lanes::scatter(state, lane, record, shape_); }
  [[nodiscard]] std::size_t record_bytes() const override { return lanes::record_bytes<State>(shape_); }
  [[nodiscard]] std::string record_description() const override { return lanes::describe_record<State>(shape_); }
  [[nodiscard]] std::size_t bytes_per_lane() const override { return (memory_.bytes() + sizeof(State)) / W; }

  void emit(int lane, Real* position) override {
    if (map_.is_identity()) {
      if constexpr (S == Storage::contiguous) {
        std::copy_n(state.x.lane_data(lane), shape_.dimension, position);
      } else {
        for (int i = 0; i < shape_.dimension; ++i) position[i] = state.x.at(lane, i);
      }
      return;
    }
    const InterleavedVector<Real, 1> u(position_memory_.get(), shape_.dimension), x(position, shape_.dimension);
    for (int i = 0; i < shape_.dimension; ++i) u.set(0, i, state.x.at(lane, i));
    map_.apply(u, x);
  }

  void finish_draws(Lanes where, const DrawWindow<Real>& window) override {
    if (window.data != nullptr) write(where, window);
    count_draws(where, window);
  }

  [[nodiscard]] std::span<const std::string_view> fact_names() const override {
    if constexpr (requires { Sampler::fact_names; }) {
      return Sampler::fact_names;
    } else {
      return {};
    }
  }

  void place_at_random(Lanes where, bool uniform, Real scale, std::uint32_t attempt) override {
    // No draw has these numbers.
    const lanes::Stream<Real, W> starts(seed_, this->chain, static_cast<U>(~std::uint32_t{0} - attempt));
    fill_normal(where, state.request, starts, U(0), 0);
    if (uniform) {
      // Through uniforms of the same index layout: one coordinate per index keeps it simple where speed does not
      // matter.
      for (int i = 0; i < shape_.dimension; ++i) {
        const auto u = starts.uniforms(static_cast<U>(i), 1)[0];
        lanes::for_each_lane(where,
                             [&](int lane) { state.request.set(lane, i, (Real(2) * u[lane] - Real(1)) * scale); });
      }
    } else {
      lanes::scale(where, state.request, Pack<Real, W>(scale));
    }
    // A metric must not move the starts: they are meant in the target's coordinates.
    if (with_gradient && !map_.is_identity()) lanes::for_each_lane(where, [&](int lane) { invert_request(lane); });
  }

  void place(int lane, const double* position) override {
    for (int i = 0; i < shape_.dimension; ++i) state.request.set(lane, i, static_cast<Real>(position[i]));
    invert_request(lane);
  }

  void begin(Lanes where) override {
    receive(where);
    if constexpr (with_gradient) assign(where, state.gradient, state.answer_gradient);
    assign(where, state.x, state.request);
    assign(where, state.log_density, state.answer);
    assign(where, state.events, U(0));
  }

  [[nodiscard]] bool gradient_is_finite([[maybe_unused]] int lane) const override {
    if constexpr (with_gradient) {
      for (int i = 0; i < shape_.dimension; ++i) {
        const Real slope =
            this->gradient_is_in_rows_ ? state.answer_gradient.at(lane, i) : this->gradient_answer_.at(lane, i);
        if (!std::isfinite(slope)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::uint64_t events(const std::byte* record) override {
    lanes::gather(state, 0, record, shape_);
    return static_cast<std::uint64_t>(state.events[0]);
  }

  const Sampler sampler;

 private:
  using Program = std::remove_cvref_t<decltype(Sampler::program)>;
  static constexpr auto& machine = Program::machine;
  static constexpr int state_count = static_cast<int>(machine.states.size());
  static_assert(state_count <= max_states);

  static Shape shape_of(const Sampler& sampler, int dimension) {
    Shape shape{.dimension = dimension};
    if constexpr (requires { sampler.rows(); }) shape.rows = sampler.rows();
    if constexpr (requires { sampler.extra_rows(); }) shape.extra_rows = sampler.extra_rows();
    return shape;
  }

  /// All that a draw leaves behind but the position.
  BREAKSTEP_INLINE void count_draws(Lanes where, const DrawWindow<Real>& window) {
    if (window.facts != nullptr) write_facts(where, window);
    if (this->step_sizes.of_chain != nullptr) tune_own_steps(where);
    assign(where, this->draw, this->draw + U(1));
  }

  void write_facts([[maybe_unused]] Lanes where, [[maybe_unused]] const DrawWindow<Real> window) {
    if constexpr (requires { Sampler::fact_names; }) {
      const auto packs = Sampler::facts(*this);
      lanes::for_each_lane(where, [&](int lane) {
        Real* slot =
            window.fact_slot(static_cast<std::size_t>(this->chain[lane]), static_cast<std::uint32_t>(this->draw[lane]));
        if (slot == nullptr) return;
        for (const auto& pack : packs) *slot++ = pack[lane];
      });
    }
  }

  void tune_own_steps([[maybe_unused]] Lanes where) {
    if constexpr (requires(Sampler own) { own.step_size; }) {
      constexpr auto names = Sampler::fact_names;
      constexpr auto which = std::find(names.begin(), names.end(), "accept_stat") - names.begin();
      const auto acceptance = Sampler::facts(*this)[which];
      const StepSizes& sizes = this->step_sizes;
      lanes::for_each_lane(where, [&](int lane) {
        double& own = sizes.of_chain[static_cast<std::size_t>(this->chain[lane])];
        own = next_own_step_size(own, static_cast<double>(acceptance[lane]), sizes.target_accept);
      });
    }
  }

  void write(Lanes where, const DrawWindow<Real> window) {
    const auto x = state.x;
    if (map_.is_identity() && window.narrow && (window.holds_all || window.holds(this->draw, where))) {
      switch (x.length()) {
        case 1:
          return write_short<1>(where, window, x);
        case 2:
          return write_short<2>(where, window, x);
        case 3:
          return write_short<3>(where, window, x);
        default:
          break;
      }
    }
    lanes::for_each_lane(where, [&](int lane) {
      Real* slot =
          window.slot(static_cast<std::size_t>(this->chain[lane]), static_cast<std::uint32_t>(this->draw[lane]));
      if (slot != nullptr) SamplerPack::emit(lane, slot);
    });
  }

  /// The places of the lanes' present draws in a narrow window.
  [[nodiscard]] BREAKSTEP_INLINE Pack<U, W> slots_in(const DrawWindow<Real>& window) const {
    const Pack<U, W> since_first = this->draw - Pack<U, W>(static_cast<U>(window.first));
    return this->chain * Pack<U, W>(static_cast<U>(window.count)) + since_first;
  }

  /// Short positions, all inside the window. Lanes are written in groups of a fixed size, the last group filled up with
  /// the last lane again: a loop that ended with the last lane would guess its end wrong nearly every time, which costs
  /// more than writing.
  template <int length>
  void write_short(Lanes where, const DrawWindow<Real> window, const Position x) {
    constexpr int group = std::max(W / 2, 1);
    U slots[W];
    slots_in(window).store(slots);
    auto left = where.bits();
    const auto last = std::bit_floor(left);
    while (left != 0) {
#pragma GCC unroll 16
      for (int k = 0; k < group; ++k) {
        const int lane = std::countr_zero(left | last);
        left &= left - 1;
        Real* slot = window.data + static_cast<std::size_t>(slots[lane]) * length;
        for (int i = 0; i < length; ++i) slot[i] = x.at(lane, i);
      }
    }
  }

  /// The lane's request, given in the target's coordinates, in the sampler's own.
  void invert_request(int lane) {
    const InterleavedVector<Real, 1> x(position_memory_.get(), shape_.dimension),
        u(position_memory_.get() + shape_.dimension, shape_.dimension);
    for (int i = 0; i < shape_.dimension; ++i) x.set(0, i, state.request.at(lane, i));
    map_.invert(x, u);
    for (int i = 0; i < shape_.dimension; ++i) state.request.set(lane, i, u.at(0, i));
  }

  void publish([[maybe_unused]] Lanes where) override {
    if constexpr (S == Storage::contiguous) transpose(where, this->request_, state.request);
  }

  [[nodiscard]] typename Base::RowQuestion rows() const override {
    typename Base::RowQuestion question{};
    if constexpr (with_gradient && S == Storage::contiguous) {
      question.x.size = question.gradient.size = shape_.dimension;
      for (int lane = 0; lane < W; ++lane) {
        question.x.lanes[lane] = state.request.lane_data(lane);
        question.gradient.lanes[lane] = state.answer_gradient.lane_data(lane);
      }
    }
    return question;
  }

  /// Hands the gradients of the lanes that asked to the blocks. A density in lanes writes every lane's, wanted or not.
  void receive([[maybe_unused]] Lanes where) {
    if constexpr (with_gradient && S == Storage::contiguous) {
      if (!this->gradient_is_in_rows_) transpose(where, state.answer_gradient, this->gradient_answer_);
    } else if constexpr (with_gradient) {
      assign(where, state.answer_gradient, this->gradient_answer_);
    }
  }

  template <int K>
  static constexpr bool asks() {
    if constexpr (machine.states[K].empty()) {
      return false;
    } else {
      return Program::asks_density[machine.states[K].number];
    }
  }

  // `Where` is a mask, or AllLanes.
  template <int K, class Where = Lanes>
  static void before(Base& base, Where where) {
    if constexpr (!machine.states[K].empty()) {
      auto& self = static_cast<SamplerPack&>(base);
      std::get<machine.states[K].number>(Sampler::program.blocks).before(self, where);
    }
  }

  template <int K, class Where = Lanes>
  static void after(Base& base, Where where) {
    if constexpr (!machine.states[K].empty()) {
      auto& self = static_cast<SamplerPack&>(base);
      if constexpr (asks<K>()) self.receive(where);
      std::get<machine.states[K].number>(Sampler::program.blocks).after(self, where);
    }
  }

  template <int N>
  static Lanes condition(Base& base) {
    return std::get<N>(Sampler::program.conditions)(static_cast<SamplerPack&>(base));
  }

  /// The loops whose conditions decide where state K goes.
  template <int K>
  static constexpr std::uint64_t tested() {
    std::uint64_t loops = 0;
    for (const auto& edge : machine.edges) {
      if (edge.from == K) loops |= edge.when_true | edge.when_false;
    }
    return loops;
  }

  template <int K>
  static BREAKSTEP_INLINE void move(Base& base, Lanes where, Lanes* arrivals) {
    std::array<Lanes, Program::loop_count + 1> truth;
    unroll<Program::loop_count>([&](auto n) {
      if constexpr (((tested<K>() >> n.value) & 1U) != 0) truth[n.value] = condition<n.value>(base);
    });
    unroll<static_cast<int>(machine.edges.size())>([&](auto e) {
      constexpr auto edge = machine.edges[e.value];
      if constexpr (edge.from == K) {
        Lanes going = where;
        unroll<Program::loop_count>([&](auto n) {
          if constexpr (((edge.when_true >> n.value) & 1U) != 0) going &= truth[n.value];
          if constexpr (((edge.when_false >> n.value) & 1U) != 0) going &= ~truth[n.value];
        });
        arrivals[edge.to] |= going;
      }
    });
  }

  template <int K>
  static void run(Base& base, Lanes where, Lanes* arrivals) {
    before<K>(base, where);
    move<K>(base, where, arrivals);
  }
  template <int K>
  static void answer(Base& base, Lanes where, Lanes* arrivals) {
    after<K>(base, where);
    move<K>(base, where, arrivals);
  }

  /// Samplers without gradients have small blocks: the calls in them would take as long as their arithmetic, and what
  /// one leaves for the next would go through memory.
  template <int K>
  __attribute__((flatten)) static void before_in_one(Base& base, Lanes where) {
    before<K>(base, where);
  }
  template <int K>
  __attribute__((flatten)) static void run_in_one(Base& base, Lanes where, Lanes* arrivals) {
    run<K>(base, where, arrivals);
  }
  template <int K>
  __attribute__((flatten)) static void answer_in_one(Base& base, Lanes where, Lanes* arrivals) {
    answer<K>(base, where, arrivals);
  }
  template <int K>
  static constexpr typename Base::StateCode state_code() {
    if constexpr (with_gradient || S == Storage::contiguous) {
      return {asks<K>(), before<K>, after<K>, run<K>, answer<K>};
    } else if constexpr (asks<K>()) {
      return {true, before_in_one<K>, after<K>, run<K>, answer_in_one<K>};
    } else {
      return {false, before<K>, after<K>, run_in_one<K>, answer<K>};
    }
  }

  /// Whether the lanes at state K should wait for more company. Never when nobody stands at a question: somebody must
  /// move.
  template <int K>
  static BREAKSTEP_INLINE bool is_parked(const Lanes* at, int parking) {
    if (asks<K>() || at[K].count() >= parking) return false;
    bool someone_asks = false;
    unroll<state_count>([&](auto state) {
      if constexpr (asks<state.value>()) someone_asks = someone_asks || at[state.value].any();
    });
    return someone_asks;
  }

  // In pieces of their own: as part of laps the whole draws' code came out a sixth slower, and lost what is known of
  // the lanes.
  template <int K>
  __attribute__((noinline, flatten)) static void before_for_all(SamplerPack& self) {
    before<K>(self, lanes::AllLanes<W>());
  }
  template <int K>
  __attribute__((noinline, flatten)) static void after_for_all(SamplerPack& self) {
    after<K>(self, lanes::AllLanes<W>());
  }

  /// The block of state K up to its question (or all of it) for the lanes that stand there. Where nothing else is in
  /// the block than a few fields, it pays to know that all lanes do.
  template <int K>
  static BREAKSTEP_INLINE void run_before(SamplerPack& self, Lanes here) {
    if (asks<K>() && !with_gradient && here.all()) {
      before_for_all<K>(self);
    } else {
      before<K>(self, here);
    }
  }
  static BREAKSTEP_INLINE void answer_by(const Laps<Real, W>& how, SamplerPack& self, Lanes here) {
    if constexpr (with_gradient) {
      self.give(here, how.density.evaluate(self.request_, self.gradient_answer_, how.workspace));
    } else {
      const auto value = how.density.evaluate(self.request_, how.workspace);
      here.all() ? self.give(lanes::AllLanes<W>(), value) : self.give(here, value);
    }
  }
  template <int K>
  static BREAKSTEP_INLINE void run_after(SamplerPack& self, Lanes here) {
    if (!with_gradient && here.all()) {
      after_for_all<K>(self);
    } else {
      after<K>(self, here);
    }
  }

  /// Draws are written at the end of the laps, several of a chain at a time, where that is possible and pays.
  [[nodiscard]] bool may_log(const Laps<Real, W>& how) const {
    constexpr int few = 4;
    const DrawWindow<Real>& window = how.window;
    return DrawLog<Real, W>::is_possible && how.most >= few && window.data != nullptr && window.narrow &&
           window.holds_all && map_.is_identity() && state.x.length() == 1;
  }

  /// A runner's own copies, which nothing that blocks write can change, and what it keeps during laps.
  struct Running {
    SamplerPack* self;
    std::array<Lanes, state_count> at;
    Lanes here;  ///< at the state whose turn it is
    Lanes out_of_work;
    Pack<U, W> slots;  ///< of the first draws in the log
    DrawLog<Real, W> log;
  };

  __attribute__((flatten)) static void laps(std::span<typename Base::Runner> runners, const Laps<Real, W>& how,
                                            Counters& counters) {
    std::array<Running, Base::most_runners> all;
    const std::span running(all.data(), std::min(runners.size(), all.size()));
    bool logs = false;
    for (std::size_t i = 0; i < running.size(); ++i) {
      Running& runner = running[i];
      runner.self = static_cast<SamplerPack*>(runners[i].pack);
      for (int k = 0; k < state_count; ++k) runner.at[k] = runners[i].at[k];
      logs = runner.self->may_log(how);
      if (logs) runner.slots = runner.self->slots_in(how.window);
    }
    std::array<BlockCounter, state_count> blocks{};
    bool all_have_work = true;
    int lap = 0;
    for (; lap < how.most && all_have_work; ++lap) {
      unroll<state_count>([&](auto state) {
        constexpr int K = state.value;
        for (Running& runner : running) {
          runner.here = runner.at[K];
          if (runner.here.none()) continue;
          if (is_parked<K>(runner.at.data(), how.parking)) {
            runner.here = Lanes();
            continue;
          }
          runner.at[K] = Lanes();
          ++blocks[K].runs;
          blocks[K].occupied += static_cast<std::uint64_t>(runner.here.count());
          run_before<K>(*runner.self, runner.here);
        }
        if constexpr (asks<K>()) {
          for (Running& runner : running) {
            if (runner.here.any()) answer_by(how, *runner.self, runner.here);
          }
        }
        for (Running& runner : running) {
          if (runner.here.none()) continue;
          if constexpr (asks<K>()) run_after<K>(*runner.self, runner.here);
          move<K>(*runner.self, runner.here, runner.at.data());
          if constexpr (K == machine.final) {
            keep_draws(runner, runner.here, how, logs);
            all_have_work = all_have_work && runner.out_of_work.none();
          }
        }
      });
    }
    for (std::size_t i = 0; i < running.size(); ++i) {
      Running& runner = running[i];
      if (logs && !runner.log.is_empty()) runner.log.write(how.window.data, runner.slots);
      for (int k = 0; k < state_count; ++k) runners[i].at[k] = runner.at[k];
      runners[i].out_of_work = runner.out_of_work;
    }
    unroll<state_count>([&](auto state) {
      const BlockCounter& block = blocks[state.value];
      counters.blocks[state.value].runs += block.runs;
      counters.blocks[state.value].occupied += block.occupied;
      if constexpr (asks<state.value>()) {
        counters.evaluations_asked += block.occupied;
        counters.evaluations_executed += block.runs * W;
      }
    });
    counters.draws += blocks[machine.final].occupied;
    counters.steps += static_cast<std::uint64_t>(lap);
  }

  /// The lanes of `done` have run the final block.
  static BREAKSTEP_INLINE void keep_draws(Running& runner, Lanes done, const Laps<Real, W>& how, bool logs) {
    SamplerPack& self = *runner.self;
    if (logs) {
      runner.log.add(done, self.state.x[0]);
      self.count_draws(done, how.window);
      if (runner.log.is_full()) {
        runner.log.write(how.window.data, runner.slots);
        runner.slots = self.slots_in(how.window);
      }
    } else {
      self.finish_draws(done, how.window);
    }
    runner.out_of_work = self.out_of_work(done);
    runner.at[machine.initial] |= done & ~runner.out_of_work;
  }

  /// One chain at a time is the oracle for all others and stays as plain as it can be; where each chain's coordinates
  /// lie together, blocks have long loops.
  static constexpr auto laps_if_they_pay() {
    if constexpr (S == Storage::interleaved && W > 1) {
      return laps;
    } else {
      return nullptr;
    }
  }

  template <int Count, class F>
  static BREAKSTEP_INLINE void unroll(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f(std::integral_constant<int, I>{}), ...); }
    (std::make_integer_sequence<int, Count>{});
  }

  static const typename Base::Code& code() {
    static constexpr auto states = []<int... K>(std::integer_sequence<int, K...>) {
      return std::array<typename Base::StateCode, state_count>{state_code<K>()...};
    }
    (std::make_integer_sequence<int, state_count>{});
    static constexpr auto conditions = []<int... N>(std::integer_sequence<int, N...>) {
      return std::array<Lanes (*)(Base&), Program::loop_count>{condition<N>...};
    }
    (std::make_integer_sequence<int, Program::loop_count>{});
    static const auto tree = Program::tree();
    static constexpr auto state_of_block = [] {
      std::array<int, Program::block_count> states_of{};
      for (int k = 0; k < state_count; ++k) {
        if (!machine.states[k].empty()) states_of[machine.states[k].number] = k;
      }
      return states_of;
    }();
    static constexpr auto names = [] {
      std::array<std::string_view, state_count> state_names{};
      for (int k = 0; k < state_count; ++k) {
        if (!machine.states[k].empty()) state_names[k] = Sampler::program.names()[machine.states[k].number];
      }
      return state_names;
    }();
    static const typename Base::Code table{
        states,          names,         tree.marks,          state_of_block,    conditions,
        machine.initial, machine.final, Program::loop_count, laps_if_they_pay()};
    return table;
  }

  std::uint64_t seed_;
  target::AffineMap<Real> map_;
  Shape shape_;
  lanes::StateMemory<State> memory_;

 public:
  State& state;

 private:
  lanes::AlignedArray<Real> request_memory_;
  lanes::AlignedArray<Real> position_memory_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
