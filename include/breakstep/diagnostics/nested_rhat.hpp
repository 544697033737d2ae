// Nested R-hat (Margossian et al. 2024): convergence of many short chains, started in groups from the same point.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "breakstep/diagnostics/view.hpp"
#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// √(1 + B/W): B is the variance of the superchains' means, W the mean variance within them, between and within their
/// chains. Consecutive chains form a superchain and must have shared their start, or what is measured is not the bias
/// that is left of it. Valid with a single draw per chain. Converged chains of M to a superchain and one draw give
/// about √(1 + 1/M). Throws Error unless there are at least two superchains of equal size with something to vary.
template <class Real>
double nested_rhat(const DrawsView<Real>& view, std::size_t superchains) {
  if (superchains < 2 || view.chains % superchains != 0 || view.draws == 0) {
    throw Error(std::to_string(view.chains) + " chains cannot form " + std::to_string(superchains) + " superchains",
                "at least two of equal size are needed", "choose a divisor of the number of chains");
  }
  const std::size_t size = view.chains / superchains;
  const auto n = static_cast<double>(view.draws), m = static_cast<double>(size), k = static_cast<double>(superchains);
  if (size == 1 && view.draws == 1) {
    throw Error("superchains of one chain with one draw do not vary", "there is nothing to compare their means with",
                "run more chains or draws");
  }
  std::vector<double> means;
  double within = 0;
  for (std::size_t s = 0; s < superchains; ++s) {
    std::vector<double> chain_means;
    double inside_chains = 0;
    for (std::size_t c = s * size; c < (s + 1) * size; ++c) {
      const Real* chain = view.data + static_cast<std::ptrdiff_t>(c) * view.chain_stride;
      const auto at = [&](std::size_t t) {
        return static_cast<double>(chain[static_cast<std::ptrdiff_t>(t) * view.draw_stride]);
      };
      double mean = 0, squares = 0;
      for (std::size_t t = 0; t < view.draws; ++t) mean += at(t) / n;
      for (std::size_t t = 0; t < view.draws; ++t) squares += (at(t) - mean) * (at(t) - mean);
      if (view.draws > 1) inside_chains += squares / (n - 1) / m;
      chain_means.push_back(mean);
    }
    double mean = 0, between_chains = 0;
    for (const double x : chain_means) mean += x / m;
    for (const double x : chain_means) between_chains += (x - mean) * (x - mean);
    within += (inside_chains + (size > 1 ? between_chains / (m - 1) : 0)) / k;
    means.push_back(mean);
  }
  double mean = 0, between = 0;
  for (const double x : means) mean += x / k;
  for (const double x : means) between += (x - mean) * (x - mean) / (k - 1);
  return std::sqrt(1 + between / within);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
