// The draws of one parameter, wherever they lie.
#pragma once

#include <cstddef>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// The draws of one parameter, float or double: draw d of chain c is data[c * chain_stride + d * draw_stride]. Strides
/// count elements; those left out mean one chain after the other without gaps.
template <class Real>
struct DrawsView {
  const Real* data = nullptr;
  std::size_t chains = 0;
  std::size_t draws = 0;  ///< of each chain
  std::ptrdiff_t chain_stride = static_cast<std::ptrdiff_t>(draws);
  std::ptrdiff_t draw_stride = 1;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
