// The CPU check: which machines are refused, in which words, and that this one is not.
#include "breakstep/cpu.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using breakstep_cpu::Features;
using breakstep_cpu::refusal;

TEST(Cpu, MachinesWithoutAvx2OrFmaAreRefusedInWords) {
  const std::string none = refusal("avx2", Features{});
  EXPECT_NE(none.find("no AVX2 or no FMA"), std::string::npos);
  EXPECT_NE(refusal("avx2", Features{.avx2 = true, .fma = false}), nullptr);
  EXPECT_NE(refusal("avx2", Features{.avx2 = false, .fma = true}), nullptr);
}

TEST(Cpu, AnAvx512BuildNeedsAvx512) {
  const std::string words = refusal("avx512", Features{.avx2 = true, .fma = true});
  EXPECT_NE(words.find("built for AVX-512"), std::string::npos);
  EXPECT_NE(words.find("BREAKSTEP_ISA=avx2"), std::string::npos);
}

TEST(Cpu, FitMachinesAreAccepted) {
  EXPECT_EQ(refusal("avx2", Features{.avx2 = true, .fma = true}), nullptr);
  EXPECT_EQ(refusal("avx512", Features{.avx2 = true, .fma = true, .avx512 = true}), nullptr);
  EXPECT_EQ(refusal(), nullptr) << "the tests themselves run here";
}

}  // namespace
