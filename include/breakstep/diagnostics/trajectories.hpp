// What the trajectories of Hamiltonian samplers tell about a run: energies, how long trajectories were, and how long
// chains would have waited for each other.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "breakstep/diagnostics/view.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// The energy Bayesian fraction of missing information of each chain (Betancourt 2016): the mean squared change of the
/// energy from draw to draw over its variance. Below 0.3 the momenta move the energy too slowly. NaN if it never
/// changed.
template <class Real>
std::vector<double> energy_fractions(const DrawsView<Real>& energy) {
  std::vector<double> fractions;
  fractions.reserve(energy.chains);
  for (std::size_t c = 0; c < energy.chains; ++c) {
    const Real* chain = energy.data + static_cast<std::ptrdiff_t>(c) * energy.chain_stride;
    const auto at = [&](std::size_t t) {
      return static_cast<double>(chain[static_cast<std::ptrdiff_t>(t) * energy.draw_stride]);
    };
    // Relative to the first, so that what never changed has no spread, not even by rounding.
    double rise = 0, changes = 0, spread = 0;
    for (std::size_t t = 0; t < energy.draws; ++t) rise += (at(t) - at(0)) / static_cast<double>(energy.draws);
    for (std::size_t t = 0; t < energy.draws; ++t) {
      const double deviation = (at(t) - at(0)) - rise;
      if (t > 0) changes += (at(t) - at(t - 1)) * (at(t) - at(t - 1));
      spread += deviation * deviation;
    }
    fractions.push_back(spread > 0 ? changes / spread : std::numeric_limits<double>::quiet_NaN());
  }
  return fractions;
}

/// R(m) = E max N / E N over the chains' counts N of loop iterations (leapfrog steps, say): how much longer a draw
/// takes in lock-step than it needs.
template <class Real>
double waiting_ratio(const DrawsView<Real>& counts) {
  double longest = 0, all = 0;
  for (std::size_t t = 0; t < counts.draws; ++t) {
    double most = 0;
    for (std::size_t c = 0; c < counts.chains; ++c) {
      const auto n = static_cast<double>(counts.data[static_cast<std::ptrdiff_t>(c) * counts.chain_stride +
                                                     static_cast<std::ptrdiff_t>(t) * counts.draw_stride]);
      most = n > most ? n : most;
      all += n;
    }
    longest += most;
  }
  return all > 0 ? longest * static_cast<double>(counts.chains) / all : std::numeric_limits<double>::quiet_NaN();
}

/// How many counts there are of each size: element 0 is for 0, element k for 2^(k − 1) up to 2^k − 1. Doublings,
/// because that is how a trajectory grows.
template <class Real>
std::vector<std::uint64_t> histogram(const DrawsView<Real>& counts) {
  std::vector<std::uint64_t> bins;
  for (std::size_t c = 0; c < counts.chains; ++c) {
    for (std::size_t t = 0; t < counts.draws; ++t) {
      const auto n = static_cast<std::uint64_t>(counts.data[static_cast<std::ptrdiff_t>(c) * counts.chain_stride +
                                                            static_cast<std::ptrdiff_t>(t) * counts.draw_stride]);
      const auto bin = static_cast<std::size_t>(std::bit_width(n));
      if (bins.size() <= bin) bins.resize(bin + 1);
      ++bins[bin];
    }
  }
  return bins;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
