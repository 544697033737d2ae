// Engines at every width, compiled once for all tests of this folder, and a plain way to make runs of any sampler.
#pragma once

#include <memory>
#include <vector>

#include "breakstep/runtime/sample.hpp"

namespace runtime_test {

using namespace breakstep;
using lanes::Storage;
using runtime::Execution;
using runtime::name_of;
using runtime::Order;
using runtime::Run;
using runtime::Schedule;
using runtime::Step;

/// Makes a run of one sampler on one target, at a width and storage chosen at run time.
template <class Real, class Sampler, class Target>
std::unique_ptr<Run<Real>> make_run(const Sampler& sampler, const Target& target, int width, Storage storage,
                                    std::size_t chains, std::uint64_t seed) {
  const auto shared = std::make_shared<const Target>(target);
  const auto at = [&]<int W>(std::integral_constant<int, W>) {
    return storage == Storage::interleaved
               ? runtime::make_run<Real, W, Storage::interleaved>(sampler, shared, seed, chains)
               : runtime::make_run<Real, W, Storage::contiguous>(sampler, shared, seed, chains);
  };
  switch (width) {
    case 1:
      return at(std::integral_constant<int, 1>{});
#ifndef BREAKSTEP_FEW_WIDTHS
    case 2:
      return at(std::integral_constant<int, 2>{});
    case 4:
      return at(std::integral_constant<int, 4>{});
    case 16:
      return at(std::integral_constant<int, 16>{});
#endif
    default:
      return at(std::integral_constant<int, 8>{});
  }
}

// Sanitizer builds take minutes per width and look for other mistakes, so they make do with two.
#ifdef BREAKSTEP_FEW_WIDTHS
inline constexpr int widths[] = {1, 8};
#else
inline constexpr int widths[] = {1, 2, 4, 8, 16};
#endif

}  // namespace runtime_test

namespace breakstep::inline BREAKSTEP_ABI::runtime {
// NOLINTBEGIN(bugprone-macro-parentheses): `extern` or nothing stands here, and no parentheses can.
#define BREAKSTEP_TEST_ENGINES(prefix)     \
  prefix template class Engine<float, 1>;  \
  prefix template class Engine<float, 2>;  \
  prefix template class Engine<float, 4>;  \
  prefix template class Engine<float, 8>;  \
  prefix template class Engine<float, 16>; \
  prefix template class Engine<double, 1>; \
  prefix template class Engine<double, 2>; \
  prefix template class Engine<double, 4>; \
  prefix template class Engine<double, 8>; \
  prefix template class Engine<double, 16>;
// NOLINTEND(bugprone-macro-parentheses)
#ifndef BREAKSTEP_TEST_ENGINES_HERE
BREAKSTEP_TEST_ENGINES(extern)
#endif
}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
