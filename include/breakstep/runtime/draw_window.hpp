// DrawWindow: where draws go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Memory for draws [first, first + count) of every chain: chain c's draw t lies at ((c·count) + t − first)·dimension.
/// Without memory (data null) draws are made and forgotten.
template <class Real>
struct DrawWindow {
  Real* data = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  int dimension = 0;
  /// Memory for what the sampler reports beside each draw, in the same order; none if null.
  Real* facts = nullptr;
  int fact_count = 0;
  /// Whether all slots have numbers below 2³², so that lanes of 32 bits can compute them. Whoever knows how many chains
  /// there are may say so.
  bool narrow = false;
  /// Whether there is room for every draw that will be made. Whoever knows how far chains are and will go may say so.
  bool holds_all = false;

  /// Whether the window has room for the present draw of every lane of `where`.
  template <class U, int W>
  [[nodiscard]] BREAKSTEP_INLINE bool holds(const lanes::Pack<U, W>& draw, lanes::Mask<W> where) const {
    const lanes::Pack<U, W> begin(static_cast<U>(first)), end(static_cast<U>(first + count));
    return (where & ((draw < begin) | (draw >= end)).mask()).none();
  }

  [[nodiscard]] Real* fact_slot(std::size_t chain, std::uint32_t draw) const {
    if (facts == nullptr || draw < first || draw - first >= count) return nullptr;
    return facts + (chain * count + (draw - first)) * static_cast<std::size_t>(fact_count);
  }
  [[nodiscard]] Real* slot(std::size_t chain, std::uint32_t draw) const {
    if (data == nullptr || draw < first || draw - first >= count) return nullptr;
    return data + (chain * count + (draw - first)) * static_cast<std::size_t>(dimension);
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
