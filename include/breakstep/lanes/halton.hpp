// The Halton sequence in base 2 (van der Corput's): numbers between 0 and 1 that fill the gaps between earlier ones.
#pragma once

#include <cstdint>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// The binary digits of n in reverse, behind the point: 0, 1/2, 1/4, 3/4, 1/8, 5/8, …
constexpr double halton(std::uint32_t n) {
  double value = 0, place = 0.5;
  for (; n != 0; n >>= 1U, place *= 0.5) value += (n & 1U) != 0 ? place : 0.0;
  return value;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
