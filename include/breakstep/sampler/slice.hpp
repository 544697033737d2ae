// Slice sampling (Neal 2003) along a line: stepping out with a randomised limit, then shrinkage.
//
//     init_e ──► expand ⟲ ──► init_s ──► shrink ⟲ ──► done       SliceTwoLoops has a loop for each end, with the
//        └──────────────────────►  └────────────────────► done   same draws
#pragma once

#include <type_traits>

#include "breakstep/fsm/program.hpp"
#include "breakstep/lanes/fields.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::sampler {

using lanes::Mask;
using lanes::Pack;
using lanes::Storage;
using lanes::Unsigned;

/// Which line through x is searched: a uniformly random direction, or a random coordinate.
enum class Line { direction, coordinate };

/// How the bracket is expanded; the draws are the same. `one_loop` takes the lower end and then the upper; with
/// `two_loops` each end has a loop of its own (the paper's footnote).
enum class SliceForm { one_loop, two_loops };

template <SliceForm form>
struct SliceIn {
  double width = 2.0;     ///< first guess of the slice's size, and the step of the expansion
  int max_steps = 100;    ///< widths that the bracket grows to at most, randomly divided between the two ends
  int max_shrinks = 200;  ///< a bracket this small has collapsed in floating point: the chain stays at x
  Line line = Line::direction;

  static constexpr auto asks = target::Asks::density;

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    lanes::Vector<Real, W, S> x;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< draws whose bracket collapsed

    lanes::Vector<Real, W, S> request;
    Pack<Real, W> answer;
    lanes::Vector<Real, W, S> direction;
    Pack<Real, W> threshold;
    Pack<Real, W> lower, upper;  ///< the bracket along the line, x being at 0
    Pack<Real, W> at;            ///< the proposal's place on the line
    Pack<U, W> steps_below, steps_above;
    Pack<U, W> shrinks;
    Mask<W> lower_open, upper_open;  ///< ends that may still have to move

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(durable("x", &State::x), durable("log_density", &State::log_density),
                           durable("events", &State::events), scratch("request", &State::request),
                           scratch("answer", &State::answer), scratch("direction", &State::direction),
                           scratch("threshold", &State::threshold), scratch("lower", &State::lower),
                           scratch("upper", &State::upper), scratch("at", &State::at),
                           scratch("steps_below", &State::steps_below), scratch("steps_above", &State::steps_above),
                           scratch("shrinks", &State::shrinks), scratch("lower_open", &State::lower_open),
                           scratch("upper_open", &State::upper_open));
    }
  };

  enum Purpose : unsigned { direction, level, shrinking, coordinate };

  /// Asks about the point at `place` on the line.
  static constexpr auto ask_at = [](auto& chains, auto where, const auto& place) {
    auto& s = chains.state;
    add_scaled(where, s.request, s.x, place, s.direction);
  };

  static constexpr auto choose_line = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    if (chains.sampler.line == Line::coordinate) {
      const auto pick = chains.stream().uniforms(0U, coordinate)[0] * static_cast<Real>(s.x.length());
      fill(where, s.direction, Real(0));
      lanes::for_each_lane(where, [&](int lane) { s.direction.set(lane, static_cast<int>(pick[lane]), Real(1)); });
      return;
    }
    fill_normal(where, s.direction, chains.stream(), 0U, direction);
    scale(where, s.direction, Real(1) / sqrt(dot(where, s.direction, s.direction)));
  };

  static constexpr auto init_expansion = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using U = Unsigned<sizeof(Real)>;
    using Reals = std::remove_cvref_t<decltype(s.lower)>;
    using Counts = std::remove_cvref_t<decltype(s.steps_below)>;
    choose_line(chains, where);
    const auto first = chains.stream().uniforms(0U, level);
    const auto second = chains.stream().uniforms(1U, level);
    const Reals bracket(static_cast<Real>(chains.sampler.width));
    assign(where, s.threshold, s.log_density + log_of_positive(first[0]));
    assign(where, s.lower, -bracket * first[1]);
    assign(where, s.upper, s.lower + bracket);
    const Counts below = lanes::convert<U>(
        lanes::convert<lanes::Signed<sizeof(Real)>>(second[0] * Reals(static_cast<Real>(chains.sampler.max_steps))));
    assign(where, s.steps_below, below);
    assign(where, s.steps_above, Counts(static_cast<U>(chains.sampler.max_steps - 1)) - below);
    s.lower_open = (s.lower_open & ~where) | (where & (s.steps_below != Counts(0U)).mask());
    s.upper_open = (s.upper_open & ~where) | (where & (s.steps_above != Counts(0U)).mask());
  };

  /// The end that was asked about moves out if it still lies inside the slice and has steps left.
  static constexpr auto step_lower = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Counts = std::remove_cvref_t<decltype(s.steps_below)>;
    const auto inside = where & (s.answer > s.threshold).mask();
    assign(inside, s.lower, s.lower - static_cast<Real>(chains.sampler.width));
    assign(inside, s.steps_below, s.steps_below - Counts(1U));
    s.lower_open = (s.lower_open & ~where) | (inside & (s.steps_below != Counts(0U)).mask());
  };
  static constexpr auto step_upper = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Counts = std::remove_cvref_t<decltype(s.steps_above)>;
    const auto inside = where & (s.answer > s.threshold).mask();
    assign(inside, s.upper, s.upper + static_cast<Real>(chains.sampler.width));
    assign(inside, s.steps_above, s.steps_above - Counts(1U));
    s.upper_open = (s.upper_open & ~where) | (inside & (s.steps_above != Counts(0U)).mask());
  };

  static constexpr auto propose = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto uniform = chains.stream().uniforms(s.shrinks, shrinking)[0];
    assign(where, s.at, fma(uniform, s.upper - s.lower, s.lower));
    assign(where, s.shrinks, s.shrinks + 1U);
    ask_at(chains, where, s.at);
  };

  static constexpr auto init_shrinkage = [](auto& chains, auto where) {
    assign(where, chains.state.shrinks, 0U);
    propose(chains, where);
  };

  static constexpr auto shrink = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    const auto below = s.at < std::remove_cvref_t<decltype(s.at)>(Real(0));
    assign(where, s.lower, select(below, s.at, s.lower));
    assign(where, s.upper, select(below, s.upper, s.at));
    propose(chains, where);
  };

  /// Written so that NaN rejects.
  static constexpr auto rejected = [](auto& chains) {
    auto& s = chains.state;
    using Shrinks = std::remove_cvref_t<decltype(s.shrinks)>;
    const Shrinks limit(static_cast<typename Shrinks::Element>(chains.sampler.max_shrinks + 1));
    return ~(s.answer > s.threshold) & (s.shrinks != limit);
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto accepted = (s.answer > s.threshold).mask();
    assign(where & accepted, s.x, s.request);
    assign(where & accepted, s.log_density, s.answer);
    assign(where & ~accepted, s.events, s.events + 1U);
  };

  static constexpr auto ask_lower = [](auto& chains, auto where) { ask_at(chains, where, chains.state.lower); };
  static constexpr auto ask_upper = [](auto& chains, auto where) { ask_at(chains, where, chains.state.upper); };
  static constexpr auto lower_is_open = [](auto& chains) { return chains.state.lower_open; };
  static constexpr auto upper_is_open = [](auto& chains) { return chains.state.upper_open; };

  // With one loop, a lane works on its lower end as long as that is open.
  static constexpr auto ask_open_end = [](auto& chains, auto where) {
    auto& s = chains.state;
    ask_at(chains, where, select(s.lower_open, s.lower, s.upper));
  };
  static constexpr auto step_open_end = [](auto& chains, auto where) {
    const auto at_lower = chains.state.lower_open;
    step_lower(chains, where & at_lower);
    step_upper(chains, where & ~at_lower);
  };
  static constexpr auto one_is_open = [](auto& chains) { return chains.state.lower_open | chains.state.upper_open; };

  static constexpr auto program = [] {
    using fsm::block;
    const auto first = block("init_e", init_expansion);
    const auto second = block("init_s", init_shrinkage, fsm::density);
    const auto shrinkage = fsm::loop(rejected, block("shrink", shrink, fsm::density));
    const auto last = block("done", done);
    if constexpr (form == SliceForm::two_loops) {
      return fsm::program(first, fsm::loop(lower_is_open, block("expand_lower", ask_lower, fsm::density, step_lower)),
                          fsm::loop(upper_is_open, block("expand_upper", ask_upper, fsm::density, step_upper)), second,
                          shrinkage, last);
    } else {
      return fsm::program(first, fsm::loop(one_is_open, block("expand", ask_open_end, fsm::density, step_open_end)),
                          second, shrinkage, last);
    }
  }();
};

using Slice = SliceIn<SliceForm::one_loop>;
using SliceTwoLoops = SliceIn<SliceForm::two_loops>;

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
