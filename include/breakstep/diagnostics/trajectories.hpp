// What the trajectories of Hamiltonian samplers tell about a run: energies, divergences, saturated trees, and how long
// chains would have waited for each other.
#pragma once

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
    double mean = 0, changes = 0, spread = 0;
    for (std::size_t t = 0; t < energy.draws; ++t) mean += at(t) / static_cast<double>(energy.draws);
    for (std::size_t t = 0; t < energy.draws; ++t) {
      if (t > 0) changes += (at(t) - at(t - 1)) * (at(t) - at(t - 1));
      spread += (at(t) - mean) * (at(t) - mean);
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

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
