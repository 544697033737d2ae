// Names the instruction set and ABI of this build, and refuses flags under which draws could not be reproduced bit for
// bit.
#pragma once

#if !defined(__AVX2__) || !defined(__FMA__)
#error \
    "breakstep needs AVX2 and FMA: compile with -march=x86-64-v3 or better (linking breakstep::breakstep in CMake does it for you)."
#endif
#if defined(__FAST_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error \
    "breakstep cannot be compiled with -ffast-math or -ffinite-math-only: NaN must reject and sums must keep their order."
#endif

// Every name of the library lives in this inline namespace, so that the linker can never merge a function compiled for
// one instruction set with its namesake compiled for another.
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define BREAKSTEP_ISA_AVX512 1
#define BREAKSTEP_ABI v0_avx512
#else
#define BREAKSTEP_ISA_AVX512 0
#define BREAKSTEP_ABI v0_avx2
#endif

#define BREAKSTEP_INLINE __attribute__((always_inline)) inline
#define BREAKSTEP_INLINE_LAMBDA __attribute__((always_inline))
