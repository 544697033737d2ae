// The logistic function, its integral and the logarithm of the normal distribution function, of packs.
//
// Stated for FlushToZero, as all of math/. A lane's result depends on nothing but that lane.
#pragma once

#include <numbers>
#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/normal.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

template <class T, int W>
struct LogisticParts {
  Pack<T, W> softplus;    ///< log(1 + e^x)
  Pack<T, W> logistic;    ///< 1/(1 + e^−x)
  Pack<T, W> complement;  ///< 1/(1 + e^x)
};

/// All three from one exponential; a few ulp each, with relative accuracy in both tails. NaN stays NaN.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE LogisticParts<T, W> logistic_parts(Pack<T, W> x) {
  using P = Pack<T, W>;
  const P t = exp(-abs(x));
  const P larger = P(T(1)) / (P(T(1)) + t);
  const P smaller = t * larger;
  const auto is_negative = x < P(T(0));
  return {select(is_negative, P(T(0)), x) + log1p(t), select(is_negative, smaller, larger),
          select(is_negative, larger, smaller)};
}
/// 1/(1 + e^−x).
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> logistic(Pack<T, W> x) {
  return logistic_parts(x).logistic;
}
/// log(1 + e^x) without overflow; the logarithm of logistic(x) is −softplus(−x).
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> softplus(Pack<T, W> x) {
  return logistic_parts(x).softplus;
}

template <class T, int W>
struct LogNormalCdf {
  Pack<T, W> value;
  Pack<T, W> slope;
};

/// log Φ(x) and its derivative φ(x)/Φ(x), accurate also where Φ(x) underflows; 6 ulp.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE LogNormalCdf<T, W> log_normal_cdf_and_slope(Pack<T, W> x) {
  using P = Pack<T, W>;
  const P root_two_pi(static_cast<T>(std::numbers::sqrt2 / std::numbers::inv_sqrtpi));
  const P half_square = P(T(0.5)) * (x * x);
  // Below −1 the ratio of tail to density stays exact long after both are zero.
  const auto in_tail = x < P(T(-1));
  const P mills = detail::mills_ratio(select(in_tail, -x, P(T(0))));
  const P inside = select(in_tail, P(T(0)), x);
  return {select(in_tail, log(mills) - half_square, log1p(-normal_cdf(-inside))),
          select(in_tail, P(T(1)) / (root_two_pi * mills), exp(-half_square) / (root_two_pi * normal_cdf(inside)))};
}
/// log Φ(x), accurate also where Φ(x) underflows.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> log_normal_cdf(Pack<T, W> x) {
  return log_normal_cdf_and_slope(x).value;
}

/// x².
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> square(Pack<T, W> x) {
  return x * x;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
