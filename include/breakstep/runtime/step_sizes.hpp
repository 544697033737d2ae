// StepSizes: how large the steps of a run are while it is being tuned.
#pragma once

#include <cstdint>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Draws before number `change` take steps of size `before`, later ones of size `after`. Two sizes at a time are
/// enough for chains that run ahead of others into the next block of a warm-up.
struct StepSizes {
  std::uint32_t change = 0;
  double before = 0;
  double after = 0;
  /// If not null, every chain has a size of its own here instead, which follows what the chain does: after each draw it
  /// grows or shrinks as the acceptance is above or below the target.
  double* of_chain = nullptr;
  double target_accept = 0.8;
};

/// The step size of a chain that tunes its own, after a draw of this acceptance.
double next_own_step_size(double step_size, double acceptance, double target_accept);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
