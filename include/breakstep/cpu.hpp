// Tells whether this machine can run what was compiled; safe to include and call from code built for any x86-64.
#pragma once

namespace breakstep_cpu {

/// What the processor and operating system offer. Plain so that tests can describe machines we do not have.
struct Features {
  bool avx2 = false;
  bool fma = false;
  bool avx512 = false;  ///< F, VL, DQ and BW together.
};

/// The features of the machine at hand.
Features detect() noexcept;

/// Why a build for `isa` ("avx2" or "avx512") cannot run on a machine with `features`, or nullptr if it can.
const char* refusal(const char* isa, Features features) noexcept;

/// Why this build cannot run on this machine, or nullptr if it can. Call before anything else of breakstep.
const char* refusal() noexcept;

}  // namespace breakstep_cpu
