// FlushToZero: treats subnormal numbers as zero while it lives, so that no input can slow the arithmetic down tenfold.
#pragma once

#include <xmmintrin.h>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Sets round-to-nearest, flush-to-zero and denormals-are-zero for this thread with all exceptions masked; the
/// destructor restores what the caller had. Every library call that computes with packs holds one; the functions of
/// math/ and the promise of equal bits are stated for this mode.
class FlushToZero {
 public:
  FlushToZero() : callers_(_mm_getcsr()) { _mm_setcsr(mode); }
  ~FlushToZero() { _mm_setcsr(callers_); }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

  /// All exceptions masked (0x1F80), flush-to-zero (bit 15), denormals-are-zero (bit 6), round to nearest.
  static constexpr unsigned mode = 0x1F80U | 0x8000U | 0x0040U;

 private:
  unsigned callers_;
};

/// The opposite for code that is not ours (a BatchTarget inside a run): gives back the mode of whoever called the
/// library.
class CallersFloatMode {
 public:
  explicit CallersFloatMode(unsigned callers_mode) : ours_(_mm_getcsr()) { _mm_setcsr(callers_mode); }
  ~CallersFloatMode() { _mm_setcsr(ours_); }
  CallersFloatMode(const CallersFloatMode&) = delete;
  CallersFloatMode& operator=(const CallersFloatMode&) = delete;

 private:
  unsigned ours_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
