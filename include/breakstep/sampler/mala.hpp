// The Metropolis-adjusted Langevin algorithm (Roberts and Tweedie 1996): one gradient per draw, no loop, one state.
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

/// y = x + h·∇/2 + √h·z with h = step_size²: one leapfrog step of that size from a fresh momentum, and accepted as one.
struct Mala {
  double step_size = 0.1;

  static constexpr auto asks = target::Asks::gradient;

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    using V = lanes::Vector<Real, W, S>;
    V x;
    V gradient;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< proposals whose density was not a number

    V request, answer_gradient, momentum;
    Pack<Real, W> answer, first_energy, energy, step_size;

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(durable("x", &State::x), durable("gradient", &State::gradient),
                           durable("log_density", &State::log_density), durable("events", &State::events),
                           scratch("request", &State::request), scratch("answer_gradient", &State::answer_gradient),
                           scratch("momentum", &State::momentum), scratch("answer", &State::answer),
                           scratch("first_energy", &State::first_energy), scratch("energy", &State::energy),
                           scratch("step_size", &State::step_size));
    }
  };

  static constexpr std::array<std::string_view, 3> fact_names = {"lp", "accept_stat", "step_size"};
  static constexpr auto facts = [](auto& chains) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using Reals = std::remove_cvref_t<decltype(s.answer)>;
    const Reals gained = s.first_energy - s.energy;
    return std::array<Reals, 3>{s.log_density, select(gained == gained, exp(min(gained, Real(0))), Reals(Real(0))),
                                s.step_size};
  };

  enum Purpose : unsigned { momentum_purpose, choice };

  static constexpr auto propose = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    fill_normal(where, s.momentum, chains.stream(), 0U, momentum_purpose);
    assign(where, s.first_energy, fma(dot(where, s.momentum, s.momentum), Real(0.5), -s.log_density));
    assign(where, s.request, s.x);
    assign(where, s.answer_gradient, s.gradient);
    assign(where, s.step_size, chains.step_size(where));
    kick_and_drift(where, s, s.step_size);
  };

  /// Written so that NaN rejects.
  static constexpr auto judge = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    const auto kinetic = kick(where, s, s.step_size * Real(0.5));
    assign(where, s.energy, fma(kinetic, Real(0.5), -s.answer));
    const auto uniform = chains.stream().uniforms(0U, choice)[0];
    const auto moving = where & (log_of_positive(uniform) < s.first_energy - s.energy).mask();
    assign(moving, s.x, s.request);
    assign(moving, s.gradient, s.answer_gradient);
    assign(moving, s.log_density, s.answer);
    assign(where & (s.energy != s.energy).mask(), s.events, s.events + 1U);
  };

  static constexpr auto program = fsm::program(fsm::block("propose", propose, fsm::density, judge));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
