// The beta distribution and its inverse, for the Monte Carlo error of quantiles.
#pragma once

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// The probability that a beta variable of shapes a, b ≥ 1 is at most x; relative error about 1e-13 unless the result
/// is tiny. Takes of the order of √(a + b) operations.
double beta_distribution(double x, double a, double b);

/// The x with beta_distribution(x, a, b) = p, for a, b ≥ 1 and p in (0, 1), to within 2e-15 x + 1e-16. NaN gives NaN.
double beta_quantile(double p, double a, double b);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
