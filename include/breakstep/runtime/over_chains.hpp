// Sums over chains whose order depends on the number of chains alone: neither threads nor schedules can show in them.
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Adds up what add(c, sums) adds to `size` sums for each chain c of [first, last): sixteen neighbours one after the
/// other, then neighbouring groups in pairs, and so on.
template <class Add>
std::vector<double> sums_over_chains(std::size_t first, std::size_t last, std::size_t size, const Add& add) {
  constexpr std::size_t leaf = 16;
  std::size_t half = leaf;
  if (last - first <= leaf) {
    std::vector<double> sums(size);
    for (std::size_t c = first; c < last; ++c) add(c, sums.data());
    return sums;
  }
  while (2 * half < last - first) half *= 2;
  auto left = sums_over_chains(first, first + half, size, add);
  const auto right = sums_over_chains(first + half, last, size, add);
  for (std::size_t i = 0; i < size; ++i) left[i] += right[i];
  return left;
}

/// The sum of f(c) over chains [0, count).
template <class F>
double sum_over_chains(std::size_t count, const F& f) {
  return sums_over_chains(0, count, 1, [&](std::size_t c, double* sum) { *sum += f(c); })[0];
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
