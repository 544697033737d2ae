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
  /// One for each chain instead, if not null.
  const double* before_of_chain = nullptr;
  const double* after_of_chain = nullptr;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
