// Detects the instruction sets we need; compiled for baseline x86-64, hence free of everything it tests for.
#include "breakstep/cpu.hpp"

namespace breakstep_cpu {

Features detect() noexcept {
  __builtin_cpu_init();
  Features found;
  found.avx2 = static_cast<bool>(__builtin_cpu_supports("avx2"));
  found.fma = static_cast<bool>(__builtin_cpu_supports("fma"));
  found.avx512 =
      static_cast<bool>(__builtin_cpu_supports("avx512f")) && static_cast<bool>(__builtin_cpu_supports("avx512vl")) &&
      static_cast<bool>(__builtin_cpu_supports("avx512dq")) && static_cast<bool>(__builtin_cpu_supports("avx512bw"));
  return found;
}

const char* refusal(const char* isa, Features features) noexcept {
  if (!features.avx2 || !features.fma) {
    return "this processor has no AVX2 or no FMA (breakstep promises the same bits everywhere and needs both for it): "
           "use an x86-64 machine made since about 2015, and check that a virtual machine passes the two features on";
  }
  if (isa[3] == '5' && !features.avx512) {
    return "this breakstep was built for AVX-512 and the processor has none (F, VL, DQ and BW are needed): "
           "build it again on this machine, or with -DBREAKSTEP_ISA=avx2; the draws are the same";
  }
  return nullptr;
}

const char* refusal() noexcept { return refusal(BREAKSTEP_BUILT_FOR, detect()); }

}  // namespace breakstep_cpu
