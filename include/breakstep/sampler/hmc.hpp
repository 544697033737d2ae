// Hamiltonian Monte Carlo (Duane et al. 1987; Neal 2011) with a fixed or jittered number of leapfrog steps.
//
//     init ──► integrate ⟲ ──► done
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

/// Works with the unit metric; another metric is a map of the target's coordinates. A trajectory that loses its energy
/// (NaN, or more than max_energy_error above the first) ends at once and is rejected.
struct Hmc {
  double step_size = 0.1;
  int steps = 10;
  double jitter = 0.0;  ///< steps of a draw: steps − ⌊u·jitter·steps⌋, u uniform in (0, 1); at least 1
  double max_energy_error = 1000.0;

  static constexpr auto asks = target::Asks::gradient;

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    using V = lanes::Vector<Real, W, S>;
    V x;
    V gradient;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< divergent draws

    V request, answer_gradient, momentum;
    Pack<Real, W> answer;
    Pack<Real, W> first_energy, energy, step_size;
    Pack<U, W> steps_left, steps_made;
    Mask<W> divergent, accepted;

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(durable("x", &State::x), durable("gradient", &State::gradient),
                           durable("log_density", &State::log_density), durable("events", &State::events),
                           scratch("request", &State::request), scratch("answer_gradient", &State::answer_gradient),
                           scratch("momentum", &State::momentum), scratch("answer", &State::answer),
                           scratch("first_energy", &State::first_energy), scratch("energy", &State::energy),
                           scratch("step_size", &State::step_size), scratch("steps_left", &State::steps_left),
                           scratch("steps_made", &State::steps_made), scratch("divergent", &State::divergent),
                           scratch("accepted", &State::accepted));
    }
  };

  /// What is reported beside each draw; the energy is that of the draw kept.
  static constexpr std::array<std::string_view, 6> fact_names = {"lp",        "energy",      "leapfrogs",
                                                                 "divergent", "accept_stat", "step_size"};
  static constexpr auto facts = [](auto& chains) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    return std::array<Reals, 6>{s.log_density,
                                select(s.accepted, s.energy, s.first_energy),
                                as_reals<Real>(s.steps_made),
                                select(s.divergent, Reals(Real(1)), Reals(Real(0))),
                                select(s.divergent, Reals(Real(0)), exp(min(s.first_energy - s.energy, Real(0)))),
                                s.step_size};
  };

  enum Purpose : unsigned { momentum_purpose, choices };

  static constexpr auto init = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    using Counts = std::remove_cvref_t<decltype(s.steps_left)>;
    using U = typename Counts::Element;
    fill_normal(where, s.momentum, chains.stream(), 0U, momentum_purpose);
    assign(where, s.request, s.x);
    assign(where, s.answer_gradient, s.gradient);
    assign(where, s.answer, s.log_density);
    assign(where, s.first_energy, fma(dot(where, s.momentum, s.momentum), Real(0.5), -s.log_density));
    const auto uniform = chains.stream().uniforms(0U, choices);
    const auto limit = static_cast<Real>(chains.sampler.steps);
    const auto spread = static_cast<Real>(chains.sampler.jitter * chains.sampler.steps);
    const auto fewer = lanes::convert<U>(lanes::convert<lanes::Signed<sizeof(Real)>>(uniform[1] * Reals(spread)));
    const Counts all(static_cast<U>(limit));
    assign(where, s.steps_left, select(fewer == all, Counts(U(1)), all - fewer));
    assign(where, s.steps_made, 0U);
    assign(where, s.step_size, chains.step_size(where));
    s.divergent &= ~where;
  };

  static constexpr auto integrate = [](auto& chains, auto where) {
    auto& s = chains.state;
    kick_and_drift(where, s, s.step_size);
  };

  static constexpr auto finish_step = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const auto kinetic = kick(where, s, s.step_size * Real(0.5));
    assign(where, s.energy, fma(kinetic, Real(0.5), -s.answer));
    const auto sound = s.first_energy - s.energy > Reals(static_cast<Real>(-chains.sampler.max_energy_error));
    s.divergent |= where & ~sound.mask();
    assign(where, s.steps_left, s.steps_left - 1U);
    assign(where, s.steps_made, s.steps_made + 1U);
  };

  static constexpr auto unfinished = [](auto& chains) {
    auto& s = chains.state;
    return ~s.divergent & (s.steps_left != std::remove_cvref_t<decltype(s.steps_left)>(0U)).mask();
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto uniform = chains.stream().uniforms(0U, choices)[0];
    s.accepted =
        (s.accepted & ~where) | (where & ~s.divergent & (log_of_positive(uniform) < s.first_energy - s.energy).mask());
    const auto moving = where & s.accepted;
    assign(moving, s.x, s.request);
    assign(moving, s.gradient, s.answer_gradient);
    assign(moving, s.log_density, s.answer);
    assign(where & s.divergent, s.events, s.events + 1U);
  };

  static constexpr auto program = fsm::program(
      fsm::block("init", init), fsm::repeat(fsm::block("integrate", integrate, fsm::density, finish_step), unfinished),
      fsm::block("done", done));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
