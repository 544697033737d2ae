// The inverse of the standard normal distribution function, for normal scores of ranks.
#pragma once

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// The x with Φ(x) = p, to a relative error of 1e-15 (Wichura 1988, algorithm AS 241). Infinite at 0 and 1, NaN
/// outside.
double normal_quantile(double p);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
