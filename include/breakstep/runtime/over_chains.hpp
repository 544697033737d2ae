// Sums over chains whose order depends on the number of chains alone: neither threads nor schedules can show in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {
namespace detail {

/// Chains that are added up one after the other.
inline constexpr std::size_t neighbours = 16;

/// Where `count` > neighbours chains are parted: behind as many whole groups of a power of two as leave some.
constexpr std::size_t left_half(std::size_t count) {
  std::size_t half = neighbours;
  while (2 * half < count) half *= 2;
  return half;
}

/// `sums` are overwritten; behind them is room for as many again at each level of the tree.
template <class Add>
void add_up(std::size_t first, std::size_t last, std::size_t size, const Add& add, double* sums) {
  if (last - first <= neighbours) {
    std::fill(sums, sums + size, 0.0);
    for (std::size_t c = first; c < last; ++c) add(c, sums);
    return;
  }
  const std::size_t middle = first + left_half(last - first);
  add_up(first, middle, size, add, sums);
  add_up(middle, last, size, add, sums + size);
  for (std::size_t i = 0; i < size; ++i) sums[i] += sums[size + i];
}

template <class F>
double add_up(std::size_t first, std::size_t last, const F& f) {
  if (last - first <= neighbours) {
    double sum = 0;
    for (std::size_t c = first; c < last; ++c) sum += f(c);
    return sum;
  }
  const std::size_t middle = first + left_half(last - first);
  const double left = add_up(first, middle, f);
  return left + add_up(middle, last, f);
}

}  // namespace detail

/// Adds up what add(c, sums) adds to `size` sums for each chain c of [first, last): sixteen neighbours one after the
/// other, then neighbouring groups in pairs, and so on.
template <class Add>
std::vector<double> sums_over_chains(std::size_t first, std::size_t last, std::size_t size, const Add& add) {
  std::size_t levels = 1;
  for (std::size_t whole = detail::neighbours; whole < last - first; whole *= 2) ++levels;
  std::vector<double> sums(levels * size);
  detail::add_up(first, last, size, add, sums.data());
  sums.resize(size);
  return sums;
}

/// The sum of f(c) over chains [0, count).
template <class F>
double sum_over_chains(std::size_t count, const F& f) {
  return detail::add_up(0, count, f);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
