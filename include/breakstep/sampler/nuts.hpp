// The no-U-turn sampler (Hoffman and Gelman 2014) with multinomial choice of the draw (Betancourt 2017), iterative.
//
//     init ──► double ──► integrate ⟲ ──► check ──► done
//       │        ▲                          │
//       │        └──────────────────────────┘
//       └───────────────────────────────────────────► done     (only with max_depth 0)
//
// The trajectory doubles in a random direction of time until its ends turn back on each other or a half, quarter, … of
// the doubling does. Instead of recursing into sub-trees, `integrate` keeps the momentum at those leaves that begin a
// sub-tree still open (at most max_depth of them) and checks every sub-tree that a leaf completes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "breakstep/error.hpp"
#include "breakstep/fsm/program.hpp"
#include "breakstep/lanes/fields.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/sampler/leapfrog.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::sampler {

using lanes::Mask;
using lanes::Pack;
using lanes::Storage;
using lanes::Unsigned;

/// Works with the unit metric; another metric is a map of the target's coordinates. A trajectory ends when a point has
/// (p₋·(ρ − (p₋+p₊)/2) ≤ 0 or p₊·(…) ≤ 0), ρ the sum of its momenta, for the whole of it or for any sub-tree.
///
/// Stan's criterion leaves ρ as it is, and wherever two halves meet also judges each half with the nearest point of the
/// other. Without that, two halves that each turn by a whole number of half circles pass for one that does not turn;
/// for nearly independent normal coordinates trajectories of hundreds of steps are then made for nothing.
struct Nuts {
  double step_size = 0.1;
  int max_depth = 10;                ///< doublings; a trajectory has at most 2^max_depth − 1 steps
  double max_energy_error = 1000.0;  ///< a step that gains this much energy is divergent and ends the trajectory
  bool stan_criterion = false;       ///< turns are judged as Stan does, see above

  static constexpr auto asks = target::Asks::gradient;
  static constexpr int most_doublings = 30;  ///< a trajectory's steps and a shelf's rows are told by 32 bits

  /// Of the tables of open sub-trees. Throws Error if max_depth is more than most_doublings.
  [[nodiscard]] int rows() const {
    if (max_depth > most_doublings) {
      throw Error("NUTS cannot double a trajectory " + std::to_string(max_depth) + " times",
                  "its steps are counted in 32 bits", "set max_depth to at most " + std::to_string(most_doublings));
    }
    return max_depth > 0 ? max_depth : 1;
  }
  [[nodiscard]] int extra_rows() const { return stan_criterion ? rows() : 0; }

  template <class Real, int W, Storage S>
  struct State {
    static constexpr Storage storage = S;
    using U = Unsigned<sizeof(Real)>;
    using V = lanes::Vector<Real, W, S>;
    // Ends, leaves and choices hand on their values; in contiguous storage without copying.
    enum Shelf { positions, gradients, momenta, sums };
    using Position = lanes::SharedVector<Real, W, S, positions>;
    using Gradient = lanes::SharedVector<Real, W, S, gradients>;
    using Momentum = lanes::SharedVector<Real, W, S, momenta>;
    Position x;
    Gradient gradient;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< divergent draws

    // The end of the trajectory that moves, where the density is asked for, and the end that rests.
    Position request;
    Gradient answer_gradient;
    Momentum momentum;
    Pack<Real, W> answer;
    Position other_x;
    Gradient other_gradient;
    Momentum other_momentum;
    Pack<Real, W> other_log_density;
    Pack<Real, W> direction;  ///< of time at the moving end, ±1
    Pack<Real, W> step_size;

    // A leaf of the doubling under way, and a leaf of the whole trajectory, each chosen by weight.
    Position leaf_x;
    Gradient leaf_gradient;
    Pack<Real, W> leaf_log_density, leaf_energy, leaf_weight;  ///< weight: log of the sum over the doubling
    Position new_x;
    Gradient new_gradient;
    Pack<Real, W> new_log_density, new_energy, weight;
    Mask<W> moved;  ///< new_x has been chosen; until then x is the choice

    V momentum_sum;                                         ///< ρ of the trajectory
    lanes::SharedVector<Real, W, S, sums> doubling_sum;     ///< ρ of the doubling under way
    lanes::SharedTable<Real, W, S, momenta> open_momentum;  ///< at the first leaf of each open sub-tree
    lanes::SharedTable<Real, W, S, sums> open_sum;          ///< ρ of the doubling up to it
    // With Stan's criterion: the momentum before the first leaf of an open sub-tree, and at the trajectory's end from
    // which the doubling goes on.
    lanes::Table<Real, W, S> before_momentum;
    V near_momentum;
    Pack<Real, W> first_energy, acceptance, choice;
    Pack<U, W> depth, leaves, leaves_wanted, steps;
    Mask<W> stopped, divergent;

    static constexpr auto rows_of_shape = [](const auto& shape) { return shape.rows; };
    static constexpr auto extra_rows_of_shape = [](const auto& shape) { return shape.extra_rows; };
    static constexpr auto extra_length = [](const auto& shape) { return shape.extra_rows > 0 ? shape.dimension : 0; };
    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      constexpr lanes::DimensionOfShape length;
      return lanes::fields(
          durable("x", &State::x), durable("gradient", &State::gradient), durable("log_density", &State::log_density),
          durable("events", &State::events), scratch("request", &State::request),
          scratch("answer_gradient", &State::answer_gradient), scratch("momentum", &State::momentum),
          scratch("answer", &State::answer), scratch("other_x", &State::other_x),
          scratch("other_gradient", &State::other_gradient), scratch("other_momentum", &State::other_momentum),
          scratch("other_log_density", &State::other_log_density), scratch("direction", &State::direction),
          scratch("step_size", &State::step_size), scratch("leaf_x", &State::leaf_x),
          scratch("leaf_gradient", &State::leaf_gradient), scratch("leaf_log_density", &State::leaf_log_density),
          scratch("leaf_energy", &State::leaf_energy), scratch("leaf_weight", &State::leaf_weight),
          scratch("new_x", &State::new_x), scratch("new_gradient", &State::new_gradient),
          scratch("new_log_density", &State::new_log_density), scratch("new_energy", &State::new_energy),
          scratch("weight", &State::weight), scratch("moved", &State::moved),
          scratch("momentum_sum", &State::momentum_sum), scratch("doubling_sum", &State::doubling_sum),
          scratch("open_momentum", &State::open_momentum, length, rows_of_shape),
          scratch("open_sum", &State::open_sum, length, rows_of_shape),
          scratch("before_momentum", &State::before_momentum, length, extra_rows_of_shape),
          scratch("near_momentum", &State::near_momentum, extra_length), scratch("first_energy", &State::first_energy),
          scratch("acceptance", &State::acceptance), scratch("choice", &State::choice), scratch("depth", &State::depth),
          scratch("leaves", &State::leaves), scratch("leaves_wanted", &State::leaves_wanted),
          scratch("steps", &State::steps), scratch("stopped", &State::stopped),
          scratch("divergent", &State::divergent));
    }
  };

  /// What is reported beside each draw.
  static constexpr std::array<std::string_view, 7> fact_names = {"lp",        "energy",      "tree_depth", "leapfrogs",
                                                                 "divergent", "accept_stat", "step_size"};
  static constexpr auto facts = [](auto& chains) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const Reals steps = as_reals<Real>(s.steps);
    return std::array<Reals, 7>{
        s.log_density, select(s.moved, s.new_energy, s.first_energy),       as_reals<Real>(s.depth),
        steps,         select(s.divergent, Reals(Real(1)), Reals(Real(0))), s.acceptance / max(steps, Real(1)),
        s.step_size};
  };

  enum Purpose : unsigned { momentum_purpose, doubling_purpose, leaf_purpose };

  static constexpr auto init = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    fill_normal(where, s.momentum, chains.stream(), 0U, momentum_purpose);
    const auto kinetic = lanes::sweep<1>(
        where,
        [](auto& sums, auto& p, auto& sum) {
          sum = p;
          sums[0] = fma(p, p, sums[0]);
        },
        s.momentum, changing(s.momentum_sum));
    share(where, s.other_momentum, s.momentum);
    share(where, s.request, s.x);
    share(where, s.other_x, s.x);
    share(where, s.answer_gradient, s.gradient);
    share(where, s.other_gradient, s.gradient);
    assign(where, s.answer, s.log_density);
    assign(where, s.other_log_density, s.log_density);
    assign(where, s.first_energy, fma(kinetic[0], Real(0.5), -s.log_density));
    assign(where, s.weight, Real(0));
    assign(where, s.direction, Real(1));
    assign(where, s.step_size, chains.step_size(where));
    assign(where, s.acceptance, Real(0));
    assign(where, s.depth, 0U);
    assign(where, s.leaves_wanted, 1U);
    assign(where, s.steps, 0U);
    s.moved &= ~where;
    s.stopped &= ~where;
    s.divergent &= ~where;
  };

  static constexpr auto expanding = [](auto& chains) {
    auto& s = chains.state;
    using Counts = std::remove_cvref_t<decltype(s.depth)>;
    const Counts limit(static_cast<typename Counts::Element>(chains.sampler.max_depth));
    return ~s.stopped & (s.depth != limit).mask();
  };

  /// Chooses a direction of time; if it is that of the resting end, the ends change places.
  static constexpr auto begin_doubling = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.direction)>;
    const auto uniform = chains.stream().uniforms(s.depth, doubling_purpose);
    assign(where, s.choice, uniform[1]);
    const auto forward = uniform[0] < Reals(Real(0.5));
    const auto turning = where & ((forward.mask()) ^ (s.direction > Reals(Real(0))).mask());
    if (turning.any()) {
      exchange(turning, s.request, s.other_x);
      exchange(turning, s.momentum, s.other_momentum);
      exchange(turning, s.answer_gradient, s.other_gradient);
      const Reals moving = s.answer;
      assign(turning, s.answer, s.other_log_density);
      assign(turning, s.other_log_density, moving);
      assign(turning, s.direction, -s.direction);
    }
    if (chains.sampler.stan_criterion) assign(where, s.near_momentum, s.momentum);
    fill(where, s.doubling_sum, Real(0));
    assign(where, s.leaves, 0U);
    assign(where, s.leaf_weight, -std::numeric_limits<Real>::infinity());
  };

  static constexpr auto integrate = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto momentum = s.momentum;
    const auto position = s.request;
    separate(where, s.momentum, s.other_momentum, s.open_momentum);
    separate(where, s.request, s.x, s.other_x, s.leaf_x, s.new_x);
    kick_and_drift_from(where, s, s.direction * s.step_size, momentum, position);
    separate(where, s.answer_gradient, s.gradient, s.other_gradient, s.leaf_gradient, s.new_gradient);
  };

  static constexpr auto both_positive = [](const auto& ends) {
    using Reals = std::remove_cvref_t<decltype(ends[0])>;
    const Reals zero(typename Reals::Element(0));
    return ((ends[0] > zero) & (ends[1] > zero)).mask();
  };

  /// Whether neither the first half with the second's first leaf turns, nor the second with the first's last.
  static constexpr auto halves_go_on = []<class State, int W, class Row>(State& s, Mask<W> where, const Row& row) {
    const auto first = row_of(s.open_momentum, row);
    const auto open_sum = row_of(s.open_sum, row);
    const Row next = row.next();
    const auto middle = row_of(s.open_momentum, next);
    const auto middle_sum = row_of(s.open_sum, next);
    const auto first_half = lanes::sweep<2>(
        where,
        [](auto& sums, auto& first_p, auto& sum_before, auto& middle_p, auto& sum_of_half) {
          const auto inner = (sum_of_half - sum_before) + first_p;
          sums[0] = fma(first_p, inner, sums[0]);
          sums[1] = fma(middle_p, inner, sums[1]);
        },
        first, open_sum, middle, middle_sum);
    const auto second_half = lanes::sweep<2>(
        where,
        [](auto& sums, auto& before, auto& middle_p, auto& sum_of_half, auto& last, auto& sum) {
          const auto inner = ((sum - sum_of_half) + middle_p) + before;
          sums[0] = fma(before, inner, sums[0]);
          sums[1] = fma(last, inner, sums[1]);
        },
        row_of(s.before_momentum, next), middle, middle_sum, s.momentum, s.doubling_sum);
    return both_positive(first_half) & both_positive(second_half);
  };

  /// The row of the sub-tree that a leaf opens or, if it is odd, of the innermost that it completes: the ones in n/2.
  template <int W>
  static constexpr auto rows_of_leaves = [](const auto& leaves) {
    lanes::RowOfLane<W> rows;
    for (int lane = 0; lane < W; ++lane) {
      rows.number[lane] = std::popcount(static_cast<std::uint32_t>(leaves[lane]) >> 1);
    }
    return rows;
  };

  /// The next leaf after an odd one opens a sub-tree, in the row of that leaf: keeps the momentum that precedes it.
  static constexpr auto keep_before_next = []<class State, int W>(State& s, Mask<W> odd) {
    const auto goes_on = odd & (s.leaves + 1U != s.leaves_wanted).mask();
    const auto row = rows_of_leaves<W>(s.leaves + 1U);
    lanes::visit_rows<State::storage>(goes_on, row, [&](auto here, const auto& own_row) {
      assign(here, row_of(s.before_momentum, own_row), s.momentum);
    });
  };

  /// Leaves are numbered from 0 within a doubling. An even leaf opens a sub-tree: its momentum is kept. An odd leaf n
  /// completes as many sub-trees as n has trailing ones, in the rows from that of leaf n downwards. The row of an open
  /// sub-tree is the number of ones in n/2 at its first leaf, so that at most one sub-tree is open per row.
  static constexpr auto turned_back = []<class State, int W>(State& s, Mask<W> where, bool as_stan) {
    using Counts = std::remove_cvref_t<decltype(s.leaves)>;
    using U = typename Counts::Element;
    auto row = rows_of_leaves<W>(s.leaves);
    const auto odd = where & ((s.leaves & Counts(U(1))) != Counts(U(0))).mask();
    share(where & ~odd, row, s.open_momentum, s.momentum, s.open_sum, s.doubling_sum);
    const float ends_left_out = as_stan ? 0.0F : -0.5F;
    Mask<W> turned;
    const auto completes = [&](int more) {
      const Counts ones((U(2) << more) - 1U);
      return ((s.leaves & ones) == ones).mask();
    };
    lanes::visit_rows_down<State::storage>(odd, row, completes, [&](auto here, const auto& at) {
      const auto ends = lanes::sweep<2>(
          here,
          [ends_left_out](auto& sums, auto& first, auto& open_sum, auto& last, auto& sum) {
            const auto inner = fma(first + last, decltype(first + last)(ends_left_out), (sum - open_sum) + first);
            sums[0] = fma(first, inner, sums[0]);
            sums[1] = fma(last, inner, sums[1]);
          },
          row_of(s.open_momentum, at), row_of(s.open_sum, at), beside(s.momentum, at), beside(s.doubling_sum, at));
      turned |= lanes_of(here & ~both_positive(ends), at);
    });
    if (!as_stan) return turned;
    // A sub-tree of two leaves has no halves that could turn.
    Mask<W> with_halves = odd & ~turned & completes(1);
    for (int more = 1; with_halves.any(); with_halves &= ~turned & completes(++more)) {
      for (int& number : row.number) --number;
      lanes::visit_rows<State::storage>(
          with_halves, row, [&](auto here, const auto& own_row) { turned |= here & ~halves_go_on(s, here, own_row); });
    }
    keep_before_next(s, odd & ~turned);
    return turned;
  };

  /// The second half of the step, then everything that a new leaf decides.
  static constexpr auto grow = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const Reals half = s.direction * s.step_size * Real(0.5);
    const auto sum_before = s.doubling_sum;
    separate(where, s.doubling_sum, s.open_sum);
    const auto kinetic = lanes::sweep<1>(
        where,
        [](auto& sums, auto h, auto& p, auto before, auto& sum, auto g) {
          p = fma(h, g, p);
          sum = before + p;
          sums[0] = fma(p, p, sums[0]);
        },
        half, changing(s.momentum), sum_before, changing(s.doubling_sum), s.answer_gradient);
    const Reals energy = fma(kinetic[0], Real(0.5), -s.answer);
    const Reals lost = s.first_energy - energy;
    // NaN weighs nothing; so does a leaf beside which a start of density 0 weighs nothing: its chain stands still.
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Reals leaf = select(lost < Reals(infinity), lost, Reals(-infinity));
    const auto sound = leaf > Reals(static_cast<Real>(-chains.sampler.max_energy_error));
    const Reals total = logaddexp(s.leaf_weight, leaf);
    const Reals uniform = chains.stream().uniforms(s.steps, leaf_purpose)[0];
    const auto chosen = where & (log_of_positive(uniform) < leaf - total).mask();
    if (chosen.any()) {
      share(chosen, s.leaf_x, s.request);
      share(chosen, s.leaf_gradient, s.answer_gradient);
      assign(chosen, s.leaf_log_density, s.answer);
      assign(chosen, s.leaf_energy, energy);
    }
    assign(where, s.leaf_weight, total);
    assign(where, s.acceptance, s.acceptance + exp(min(leaf, Real(0))));
    const auto diverged = where & ~sound.mask();
    s.divergent |= diverged;
    s.stopped |= diverged;
    s.stopped |= turned_back(s, where & ~diverged, chains.sampler.stan_criterion);
    assign(where, s.leaves, s.leaves + 1U);
    assign(where, s.steps, s.steps + 1U);
  };

  static constexpr auto incomplete = [](auto& chains) {
    auto& s = chains.state;
    return ~s.stopped & (s.leaves != s.leaves_wanted).mask();
  };

  /// The same as `halves_go_on` for the trajectory and the doubling that joins it, whose first leaf is in row 0.
  static constexpr auto joined_parts_go_on = []<class State, int W>(State& s, Mask<W> where) {
    const auto first_part = lanes::sweep<2>(
        where,
        [](auto& sums, auto& other_p, auto& total, auto& first) {
          const auto inner = total + first;
          sums[0] = fma(other_p, inner, sums[0]);
          sums[1] = fma(first, inner, sums[1]);
        },
        s.other_momentum, s.momentum_sum, s.open_momentum[0]);
    const auto second_part = lanes::sweep<2>(
        where,
        [](auto& sums, auto& near_p, auto& sum, auto& p) {
          const auto inner = sum + near_p;
          sums[0] = fma(near_p, inner, sums[0]);
          sums[1] = fma(p, inner, sums[1]);
        },
        s.near_momentum, s.doubling_sum, s.momentum);
    return both_positive(first_part) & both_positive(second_part);
  };

  /// A complete doubling joins the trajectory; the draw moves into it with probability min(1, its weight / the rest's).
  static constexpr auto check = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto complete = where & ~s.stopped;
    const auto chosen = complete & (log_of_positive(s.choice) < s.leaf_weight - s.weight).mask();
    if (chosen.any()) {
      share(chosen, s.new_x, s.leaf_x);
      share(chosen, s.new_gradient, s.leaf_gradient);
      assign(chosen, s.new_log_density, s.leaf_log_density);
      assign(chosen, s.new_energy, s.leaf_energy);
      s.moved |= chosen;
    }
    assign(complete, s.weight, logaddexp(s.weight, s.leaf_weight));
    const bool as_stan = chains.sampler.stan_criterion;
    const float ends_left_out = as_stan ? 0.0F : -0.5F;
    const auto turning = as_stan ? complete & ~joined_parts_go_on(s, complete) : complete & ~complete;
    const auto ends = lanes::sweep<2>(
        complete,
        [ends_left_out](auto& sums, auto& total, auto& sum, auto& p, auto& other_p) {
          total = total + sum;
          const auto inner = fma(p + other_p, decltype(p + other_p)(ends_left_out), total);
          sums[0] = fma(p, inner, sums[0]);
          sums[1] = fma(other_p, inner, sums[1]);
        },
        changing(s.momentum_sum), s.doubling_sum, s.momentum, s.other_momentum);
    s.stopped |= turning | (complete & ~both_positive(ends));
    assign(complete, s.depth, s.depth + 1U);
    assign(complete, s.leaves_wanted, s.leaves_wanted + s.leaves_wanted);
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    share(where & s.moved, s.x, s.new_x);
    share(where & s.moved, s.gradient, s.new_gradient);
    assign(where & s.moved, s.log_density, s.new_log_density);
    assign(where & s.divergent, s.events, s.events + 1U);
  };

  static constexpr auto program =
      fsm::program(fsm::block("init", init),
                   fsm::loop(expanding, fsm::block("double", begin_doubling),
                             fsm::repeat(fsm::block("integrate", integrate, fsm::density, grow), incomplete),
                             fsm::block("check", check)),
                   fsm::block("done", done));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
