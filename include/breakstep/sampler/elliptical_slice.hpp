// Elliptical slice sampling (Murray, Adams and MacKay 2010): a random ellipse through x and a prior draw, searched by
// shrinking a bracket of angles.
//
//     init ──► shrink ⟲ ──► done
//       └───────────────────► done
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

/// Needs a target with a Gaussian prior. Works in coordinates in which the prior is N(0, I) and asks for the likelihood
/// alone, so that no prior is counted twice. Angles are in turns.
struct EllipticalSlice {
  int max_shrinks = 200;  ///< a bracket this small has collapsed in floating point: the chain stays at x

  static constexpr auto asks = target::Asks::likelihood;

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    lanes::Vector<Real, W, S> x;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< draws whose bracket collapsed

    lanes::Vector<Real, W, S> request;  ///< the proposal
    Pack<Real, W> answer;
    lanes::Vector<Real, W, S> other;  ///< the prior draw that spans the ellipse with x
    Pack<Real, W> threshold;
    Pack<Real, W> angle, lowest, highest;
    Pack<U, W> shrinks;

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(
          durable("x", &State::x), durable("log_density", &State::log_density), durable("events", &State::events),
          scratch("request", &State::request), scratch("answer", &State::answer), scratch("other", &State::other),
          scratch("threshold", &State::threshold), scratch("angle", &State::angle), scratch("lowest", &State::lowest),
          scratch("highest", &State::highest), scratch("shrinks", &State::shrinks));
    }
  };

  enum Purpose : unsigned { ellipse, level, shrinking };

  static constexpr auto turn = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto [sine, cosine] = sincos_turns(s.angle);
    combine(where, s.request, cosine, s.x, sine, s.other);
  };

  static constexpr auto init = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    fill_normal(where, s.other, chains.stream(), 0U, ellipse);
    const auto uniform = chains.stream().uniforms(0U, level);
    assign(where, s.threshold, s.log_density + log_of_positive(uniform[0]));
    assign(where, s.angle, uniform[1]);
    assign(where, s.highest, uniform[1]);
    assign(where, s.lowest, uniform[1] - Real(1));
    assign(where, s.shrinks, 0U);
    turn(chains, where);
  };

  static constexpr auto shrink = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    const auto below = s.angle < std::remove_cvref_t<decltype(s.angle)>(Real(0));
    assign(where, s.lowest, select(below, s.angle, s.lowest));
    assign(where, s.highest, select(below, s.highest, s.angle));
    const auto uniform = chains.stream().uniforms(s.shrinks, shrinking)[0];
    assign(where, s.angle, fma(uniform, s.highest - s.lowest, s.lowest));
    assign(where, s.shrinks, s.shrinks + 1U);
    turn(chains, where);
  };

  /// Written so that NaN rejects.
  static constexpr auto rejected = [](auto& chains) {
    auto& s = chains.state;
    using Shrinks = std::remove_cvref_t<decltype(s.shrinks)>;
    const Shrinks limit(static_cast<typename Shrinks::Element>(chains.sampler.max_shrinks));
    return ~(s.answer > s.threshold) & (s.shrinks != limit);
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto accepted = (s.answer > s.threshold).mask();
    assign(where & accepted, s.x, s.request);
    assign(where & accepted, s.log_density, s.answer);
    assign(where & ~accepted, s.events, s.events + 1U);
  };

  static constexpr auto program =
      fsm::program(fsm::block("init", init, fsm::density),
                   fsm::loop(rejected, fsm::block("shrink", shrink, fsm::density)), fsm::block("done", done));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
