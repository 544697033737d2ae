// Sums whose rounding error does not grow with the number of terms as a plain loop's does, and that use SIMD.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Σ term(x).
template <class Term>
double sum(std::span<const double> values, Term term) {
  constexpr std::size_t block = 1024;
  constexpr std::size_t width = 8;
  double total = 0.0;
  double lost = 0.0;  // by additions to the total (Kahan)
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::span<const double> part = values.subspan(begin, std::min(block, values.size() - begin));
    const std::size_t even = part.size() / width * width;
    std::array<double, width> columns{};
    for (std::size_t i = 0; i < even; i += width) {
      for (std::size_t j = 0; j < width; ++j) columns[j] += term(part[i + j]);
    }
    double here = 0.0;
    for (std::size_t i = even; i < part.size(); ++i) here += term(part[i]);
    if (even > 0) {
      here += ((columns[0] + columns[4]) + (columns[2] + columns[6])) +
              ((columns[1] + columns[5]) + (columns[3] + columns[7]));
    }
    const double corrected = here - lost;
    const double next = total + corrected;
    lost = (next - total) - corrected;
    total = next;
  }
  return total;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
