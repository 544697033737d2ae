// FlushToZero: sets the mode, flushes, and gives the caller's mode back, also when an exception passes.
#include "breakstep/lanes/float_mode.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

using breakstep::lanes::CallersFloatMode;
using breakstep::lanes::FlushToZero;

namespace {

// Volatile, so that the compiler cannot do the arithmetic at compile time in its own mode.
float halve(float x) {
  volatile float a = x, half = 0.5F;
  return a * half;
}

TEST(FloatMode, SubnormalsAreZeroInsideAndRestoredOutside) {
  const unsigned before = _mm_getcsr();
  const float smallest = std::numeric_limits<float>::min();
  EXPECT_GT(halve(smallest), 0.0F);
  {
    const FlushToZero scope;
    EXPECT_EQ(halve(smallest), 0.0F);                                      // result flushed
    EXPECT_EQ(halve(std::numeric_limits<float>::denorm_min() * 4), 0.0F);  // operand read as zero
    EXPECT_TRUE(__builtin_signbit(halve(-smallest)));                      // the sign survives
  }
  EXPECT_GT(halve(smallest), 0.0F);
  EXPECT_EQ(_mm_getcsr() & ~0x3FU, before & ~0x3FU);  // the low six bits are sticky exception flags
}

TEST(FloatMode, AnUnusualModeOfTheCallerComesBack) {
  const unsigned before = _mm_getcsr();
  const unsigned towards_zero = before | 0x6000U;
  _mm_setcsr(towards_zero);
  {
    const FlushToZero scope;
    EXPECT_EQ(_mm_getcsr() & 0x6000U, 0U);  // ours always rounds to nearest
  }
  EXPECT_EQ(_mm_getcsr() & 0x6000U, 0x6000U);
  _mm_setcsr(before);
}

TEST(FloatMode, RestoredWhenAnExceptionPasses) {
  const unsigned before = _mm_getcsr();
  try {
    const FlushToZero scope;
    throw std::runtime_error("passes through");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(_mm_getcsr() & ~0x3FU, before & ~0x3FU);
}

TEST(FloatMode, ForeignCodeSeesItsOwnMode) {
  const unsigned callers = _mm_getcsr();
  const FlushToZero scope;
  {
    const CallersFloatMode foreign(callers);
    EXPECT_GT(halve(std::numeric_limits<float>::min()), 0.0F);
  }
  EXPECT_EQ(halve(std::numeric_limits<float>::min()), 0.0F);
}

}  // namespace
