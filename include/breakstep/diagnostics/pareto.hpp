// The tail of importance ratios: Pareto k̂ (Vehtari, Simpson, Gelman, Yao and Gabry 2024).
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Above this, averages over so weighted draws cannot be trusted.
inline constexpr double largest_good_pareto_k = 0.7;

/// Shape and scale of a generalised Pareto distribution fitted to positive numbers in ascending order, by the estimate
/// of Zhang and Stephens (2009): a mean over a profile posterior, without iteration. At least 5 numbers.
struct ParetoFit {
  double shape, scale;
};
ParetoFit fit_pareto(const std::vector<double>& ascending);

/// The shape of the upper tail of ratios given as logarithms, drawn a little towards 0.5 as ArviZ and loo do. NaN
/// counts as a ratio of zero. Minus infinity if the large ratios are all equal, so that there is no tail; infinity if
/// none can be fitted: too few ratios, one that is infinite, or nearly all zero.
double pareto_k(std::vector<double> log_ratios);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
