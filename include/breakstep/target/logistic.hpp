// The logistic function with its complement and both logarithms, none of which loses digits in a tail.
#pragma once

#include "breakstep/lanes/math.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// ½·log(2π), the constant of a normal density.
inline constexpr double half_log_two_pi = 0.91893853320467274178;

template <class Real, int W>
struct Logistic {
  lanes::Pack<Real, W> value, complement;          // p = 1/(1 + e⁻ᵘ) and 1 − p
  lanes::Pack<Real, W> log_value, log_complement;  // log p and log(1 − p)
};

template <class Real, int W>
BREAKSTEP_INLINE Logistic<Real, W> logistic_and_logs(lanes::Pack<Real, W> u) {
  using P = lanes::Pack<Real, W>;
  const P size = abs(u), small = exp(-size), larger = P(Real(1)) / (P(Real(1)) + small), smaller = small * larger;
  const P log_larger = -log1p(small), log_smaller = log_larger - size;
  const auto positive = u > P(Real(0));
  return {select(positive, larger, smaller), select(positive, smaller, larger),
          select(positive, log_larger, log_smaller), select(positive, log_smaller, log_larger)};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
