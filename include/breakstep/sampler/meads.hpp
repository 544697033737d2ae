// Generalized HMC as MEADS runs it (Hoffman and Sountsov 2022): one leapfrog step per draw from a momentum that is only
// partly renewed, accepted by a slice variable that is not renewed at all (Neal 2020). Step size, damping and scales
// come from outside, from other folds of chains (runtime/meads.hpp), or are fixed.
//
//     refresh ──► move ──► done      (a chain that is held goes straight from refresh to done)
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

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

/// Of a trajectory that never ends, every draw is one step; rejection turns it round.
struct Meads {
  double step_size = 0.1;
  double damping = 0.5;  ///< share of the momentum's variance that a draw renews
  /// Groups of chains that follow each other (runtime/meads.hpp); 0 if step size and damping are those above.
  int folds = 0;
  double draws_before = 0.0;  ///< of a warm-up: the damping's lower bound falls with the number of draws
  double max_energy_error = 1000.0;

  static constexpr auto asks = target::Asks::gradient;

  /// Rows of the scales that come from outside.
  [[nodiscard]] int rows() const { return folds > 0 ? 1 : 0; }

  struct GivenLength {
    template <class Shape>
    constexpr int operator()(const Shape& shape) const {
      return shape.rows * shape.dimension;
    }
  };

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    using V = lanes::Vector<Real, W, S>;
    V x;
    V gradient;
    Pack<Real, W> log_density;
    Pack<U, W> events;              ///< divergent draws
    V kept_momentum;                ///< in units of the scales: standard normal
    Pack<Real, W> kept_slice;       ///< between −1 and 1; its size is the slice's height under the density
    V scale;                        ///< of each coordinate, from outside; empty if fixed
    Pack<Real, W> given_step_size;  ///< from outside; 0 holds the chain where it is
    Pack<Real, W> given_damping;

    V request, answer_gradient, momentum, first_momentum;
    Pack<Real, W> answer, first_energy, energy, step_size, slice;
    Mask<W> unmoved, moved, divergent;

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(
          durable("x", &State::x), durable("gradient", &State::gradient), durable("log_density", &State::log_density),
          durable("events", &State::events), durable("kept_momentum", &State::kept_momentum),
          durable("kept_slice", &State::kept_slice), durable("scale", &State::scale, GivenLength{}),
          durable("given_step_size", &State::given_step_size), durable("given_damping", &State::given_damping),
          scratch("request", &State::request), scratch("answer_gradient", &State::answer_gradient),
          scratch("momentum", &State::momentum), scratch("first_momentum", &State::first_momentum),
          scratch("answer", &State::answer), scratch("first_energy", &State::first_energy),
          scratch("energy", &State::energy), scratch("step_size", &State::step_size), scratch("slice", &State::slice),
          scratch("unmoved", &State::unmoved), scratch("moved", &State::moved),
          scratch("divergent", &State::divergent));
    }
  };

  /// A draw of a chain that is held has no leapfrog step and an acceptance of 0.
  static constexpr std::array<std::string_view, 5> fact_names = {"lp", "leapfrogs", "divergent", "accept_stat",
                                                                 "step_size"};
  static constexpr auto facts = [](auto& chains) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const Reals zero(Real(0)), one(Real(1));
    return std::array<Reals, 5>{s.log_density, select(s.moved, one, zero), select(s.divergent, one, zero),
                                select(s.moved & ~s.divergent, exp(min(s.first_energy - s.energy, Real(0))), zero),
                                s.step_size};
  };

  enum Purpose : unsigned { momentum_purpose, slice_purpose };

  /// Turns u by δ around the circle −1 … 1: every value is reached, and none more often than another.
  static constexpr auto turned = [](auto slice, auto by) {
    using Reals = std::remove_cvref_t<decltype(slice)>;
    using Real = typename Reals::Element;
    const Reals next = slice + by;
    return select(next >= Reals(Real(1)), next - Real(2), next);
  };

  static constexpr auto refresh = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    using Counts = std::remove_cvref_t<decltype(s.events)>;
    const bool is_given = s.scale.length() > 0;
    assign(where, s.step_size, is_given ? s.given_step_size : chains.step_size(where));
    const auto going = where & (s.step_size > Reals(Real(0))).mask();
    s.unmoved = (s.unmoved & ~where) | going;
    s.moved = (s.moved & ~where) | going;
    s.divergent &= ~where;
    // Before the first draw there is no momentum to keep: even chains that are held get one.
    const auto is_first = chains.draw == Counts(typename Counts::Element(0));
    const auto renewing = going | (where & is_first.mask());
    const Reals fixed(static_cast<Real>(chains.sampler.damping));
    const Reals renewed = select(is_first, Reals(Real(1)), is_given ? s.given_damping : fixed);
    fill_normal(renewing, s.momentum, chains.stream(), 0U, momentum_purpose);
    combine(renewing, s.momentum, sqrt(renewed), s.momentum, sqrt(max(Reals(Real(1)) - renewed, Reals(Real(0)))),
            s.kept_momentum);
    const Reals anywhere = fma(chains.stream().uniforms(0U, slice_purpose)[0], Reals(Real(2)), Reals(Real(-1)));
    assign(renewing, s.slice, select(is_first, anywhere, turned(s.kept_slice, renewed * Real(0.5))));
    assign(renewing, s.first_momentum, s.momentum);
    assign(going, s.request, s.x);
    assign(going, s.answer_gradient, s.gradient);
    assign(going, s.first_energy, fma(dot(going, s.momentum, s.momentum), Real(0.5), -s.log_density));
  };

  static constexpr auto drift = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    if (s.scale.length() == 0) return kick_and_drift(where, s, s.step_size);
    lanes::sweep<0>(
        where,
        [](auto&, auto half, auto step, auto& p, auto& q, auto g, auto scale) {
          p = fma(half * scale, g, p);
          q = fma(step * scale, p, q);
        },
        s.step_size * Real(0.5), s.step_size, changing(s.momentum), changing(s.request), s.answer_gradient, s.scale);
  };

  static constexpr auto finish = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const Reals half = s.step_size * Real(0.5);
    const auto kinetic = s.scale.length() == 0 ? kick(where, s, half)
                                               : lanes::sweep<1>(
                                                     where,
                                                     [](auto& sums, auto h, auto& p, auto g, auto scale) {
                                                       p = fma(h * scale, g, p);
                                                       sums[0] = fma(p, p, sums[0]);
                                                     },
                                                     half, changing(s.momentum), s.answer_gradient, s.scale)[0];
    assign(where, s.energy, fma(kinetic, Real(0.5), -s.answer));
    const auto sound = s.first_energy - s.energy > Reals(static_cast<Real>(-chains.sampler.max_energy_error));
    s.divergent |= where & ~sound.mask();
    s.unmoved &= ~where;
  };

  static constexpr auto has_to_move = [](auto& chains) { return chains.state.unmoved; };

  /// Written so that NaN rejects.
  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Counts = std::remove_cvref_t<decltype(s.events)>;
    const auto judged = where & s.moved;
    const auto begun = where & ~s.moved & (chains.draw == Counts(typename Counts::Element(0))).mask();
    assign(begun, s.kept_momentum, s.first_momentum);
    assign(begun, s.kept_slice, s.slice);
    const auto gained = s.first_energy - s.energy;
    const auto accepted = judged & ~s.divergent & (abs(s.slice) < exp(gained)).mask();
    assign(judged, s.kept_slice, s.slice);
    assign(accepted, s.kept_slice, s.slice * exp(-gained));
    assign(accepted, s.x, s.request);
    assign(accepted, s.gradient, s.answer_gradient);
    assign(accepted, s.log_density, s.answer);
    assign(accepted, s.kept_momentum, s.momentum);
    const auto rejected = judged & ~accepted;
    assign(rejected, s.kept_momentum, s.first_momentum);
    scale(rejected, s.kept_momentum, std::remove_cvref_t<decltype(s.answer)>(Real(-1)));
    assign(judged & s.divergent, s.events, s.events + 1U);
  };

  static constexpr auto program =
      fsm::program(fsm::block("refresh", refresh),
                   fsm::loop(has_to_move, fsm::block("move", drift, fsm::density, finish)), fsm::block("done", done));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
