// What Hamiltonian samplers share: the two halves of a leapfrog step.
#pragma once

#include <type_traits>

#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::sampler {

/// p += step/2·∇, q += step·p: half of a leapfrog step, up to the question for the gradient at the new position, from
/// the momentum and position given. The state's vectors are momentum, request (the position) and answer_gradient.
inline constexpr auto kick_and_drift_from = []<class State, int W, class Reals, class Momentum, class Position>(
                                                lanes::Mask<W> where, State& s, const Reals& step,
                                                const Momentum& momentum, const Position& position) {
  using Real = typename Reals::Element;
  const Reals half = step * Reals(Real(0.5));
  lanes::sweep<0>(
      where,
      [](auto&, auto h, auto e, auto p_before, auto q_before, auto g, auto& p, auto& q) {
        p = fma(h, g, p_before);
        q = fma(e, p, q_before);
      },
      half, step, momentum, position, s.answer_gradient, changing(s.momentum), changing(s.request));
};

/// The same from where the state is.
inline constexpr auto kick_and_drift = []<class State, int W, class Reals>(lanes::Mask<W> where, State& s,
                                                                           const Reals& step) {
  kick_and_drift_from(where, s, step, s.momentum, s.request);
};

/// p += half·∇: the other half; returns p·p.
inline constexpr auto kick = []<class State, int W, class Reals>(lanes::Mask<W> where, State& s, const Reals& half) {
  return lanes::sweep<1>(
      where,
      [](auto& sums, auto h, auto& p, auto g) {
        p = fma(h, g, p);
        sums[0] = fma(p, p, sums[0]);
      },
      half, changing(s.momentum), s.answer_gradient)[0];
};

/// Counts below 2³¹ as real numbers.
template <class Real, class Counts>
auto as_reals(const Counts& counts) {
  return lanes::convert<Real>(lanes::bit_cast<lanes::Signed<sizeof(Real)>>(counts));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
