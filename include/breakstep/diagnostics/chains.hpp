// Chains that do not do what the others do: those that never moved, and those whose mean stands apart.
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/diagnostics/view.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// The chains all of whose draws are equal, in every one of `size` numbers; none if a chain has a single draw. `values`
/// is chains × draws × size.
template <class Real>
std::vector<std::size_t> unmoved_chains(const std::vector<Real>& values, std::size_t chains, std::size_t draws,
                                        std::size_t size) {
  std::vector<std::size_t> unmoved;
  for (std::size_t c = 0; c < chains && draws > 1; ++c) {
    const Real* const chain = values.data() + c * draws * size;
    std::size_t same = size;
    while (same < draws * size && chain[same] == chain[same - size]) ++same;
    if (same == draws * size) unmoved.push_back(c);
  }
  return unmoved;
}

/// A chain whose mean is far from those of the others.
struct ChainApart {
  std::size_t chain;
  double mean;    ///< of the chain
  double median;  ///< of all chains' means
  double errors;  ///< how far they are from each other, in Monte Carlo standard errors of a chain's mean
};

/// How many standard errors a mean may be away so that among `comparisons` of right ones, all normal, some chain stands
/// apart in one run of 100 at most.
double apart_limit(std::size_t comparisons);

/// The chains of one parameter further apart than `limit`. The standard error is the same for all chains: the draws'
/// variance and autocorrelation within chains, averaged over chains, so that a chain that stands apart cannot hide
/// itself. Finds nothing among fewer than 3 chains, in chains shorter than 50 draws or than 20 autocorrelation times,
/// whose standard errors are not known well enough, or where a draw is not finite.
std::vector<ChainApart> chains_apart(const DrawsView<float>& view, double limit);
std::vector<ChainApart> chains_apart(const DrawsView<double>& view, double limit);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
