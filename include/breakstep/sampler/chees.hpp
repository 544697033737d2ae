// HMC with the trajectories of ChEES (Hoffman, Radul and Sountsov 2021): in every draw all chains take the same number
// of leapfrog steps, up to a trajectory length that a warm-up learns from all of them (runtime/chees.hpp).
//
//     init ──► integrate ⟲ ──► done
#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "breakstep/fsm/program.hpp"
#include "breakstep/lanes/halton.hpp"
#include "breakstep/sampler/hmc.hpp"

namespace breakstep::inline BREAKSTEP_ABI::sampler {

/// Draw t takes ⌈h·trajectory/step_size⌉ steps, where h is element t + 1 of the Halton sequence: lengths are as good as
/// uniform, and chains never wait for each other.
struct Chees {
  double step_size = 0.1;
  double trajectory = 1.0;
  int max_steps = 1000;
  double max_energy_error = 1000.0;
  double price = 0;             ///< of a trajectory's length, for a warm-up that learns it
  bool keep_proposals = false;  ///< in the chains' records, for a warm-up that learns from them

  static constexpr auto asks = target::Asks::gradient;

  /// Rows of what is kept of proposals.
  [[nodiscard]] int rows() const { return keep_proposals ? 1 : 0; }

  struct KeptLength {
    template <class Shape>
    constexpr int operator()(const Shape& shape) const {
      return shape.rows * shape.dimension;
    }
  };

  template <class Real, int W, Storage S>
  struct State : Hmc::State<Real, W, S> {
    using V = lanes::Vector<Real, W, S>;
    V proposal, end_momentum;        ///< of the last draw, accepted or not; empty unless they are kept
    Pack<Real, W> trajectory_given;  ///< from outside, instead of the sampler's own, if above 0

    static constexpr auto fields() {
      using lanes::durable;
      return std::tuple_cat(Hmc::State<Real, W, S>::fields(),
                            lanes::fields(durable("trajectory", &State::trajectory_given),
                                          durable("proposal", &State::proposal, KeptLength{}),
                                          durable("end_momentum", &State::end_momentum, KeptLength{})));
    }
  };

  static constexpr auto fact_names = Hmc::fact_names;
  static constexpr auto facts = Hmc::facts;

  /// Steps of draw number `draw`; at least one, whatever the numbers are.
  [[nodiscard]] static std::uint32_t steps_of(std::uint32_t draw, double trajectory, double step_size, int max_steps) {
    const double steps = std::ceil(lanes::halton(draw + 1) * trajectory / step_size);
    if (steps < max_steps) return steps >= 1 ? static_cast<std::uint32_t>(steps) : 1U;
    return static_cast<std::uint32_t>(max_steps);
  }

  static constexpr auto init = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    using U = typename std::remove_cvref_t<decltype(s.steps_left)>::Element;
    fill_normal(where, s.momentum, chains.stream(), 0U, Hmc::momentum_purpose);
    assign(where, s.request, s.x);
    assign(where, s.answer_gradient, s.gradient);
    assign(where, s.answer, s.log_density);
    assign(where, s.first_energy, fma(dot(where, s.momentum, s.momentum), Real(0.5), -s.log_density));
    assign(where, s.step_size, chains.step_size(where));
    lanes::for_each_lane(where, [&](int lane) {
      const double given = s.trajectory_given[lane], size = s.step_size[lane];
      s.steps_left.set(lane, static_cast<U>(steps_of(static_cast<std::uint32_t>(chains.draw[lane]),
                                                     given > 0 ? given : chains.sampler.trajectory, size,
                                                     chains.sampler.max_steps)));
    });
    assign(where, s.steps_made, 0U);
    s.divergent &= ~where;
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    Hmc::done(chains, where);
    if (s.proposal.length() == 0) return;
    assign(where, s.proposal, s.request);
    assign(where, s.end_momentum, s.momentum);
  };

  static constexpr auto program = fsm::program(
      fsm::block("init", init),
      fsm::repeat(fsm::block("integrate", Hmc::integrate, fsm::density, Hmc::finish_step), Hmc::unfinished),
      fsm::block("done", done));
};

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
