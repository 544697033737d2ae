// What a run of a Hamiltonian sampler tells about its trajectories.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/diagnostics/trajectories.hpp"
#include "job.hpp"

namespace breakstep_app {

/// What a Hamiltonian sampler reports beside its draws, over all of them. NaN if it does not report that.
struct Trajectories {
  double accept_stat = NAN, leapfrogs = NAN, tree_depth = NAN, waiting_ratio = NAN, energy_fraction = NAN;
  std::uint64_t divergent = 0, deepest = 0;
  double depth_limit = NAN;
  std::size_t low_energy_fractions = 0;  ///< chains
  std::vector<std::uint64_t> histogram;  ///< of leapfrog steps per draw; see diagnostics::histogram
};

// Chains of fewer draws say too little about their energies one by one.
inline constexpr std::uint32_t draws_for_energy = 50;
inline constexpr double low_energy_fraction = 0.3;

template <class Real>
Trajectories about_trajectories(const Job& job, const std::vector<std::string>& names, const std::vector<Real>& facts) {
  Trajectories about;
  const auto view_of = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    const auto count = static_cast<std::ptrdiff_t>(names.size());
    return breakstep::diagnostics::DrawsView<Real>{.data = at == count ? nullptr : facts.data() + at,
                                                   .chains = job.chains,
                                                   .draws = job.draws,
                                                   .chain_stride = static_cast<std::ptrdiff_t>(job.draws) * count,
                                                   .draw_stride = count};
  };
  const auto for_each = [&](const std::string& name, auto visit) {
    const auto view = view_of(name);
    if (view.data == nullptr) return;
    for (std::size_t i = 0; i < job.chains * job.draws; ++i) {
      visit(static_cast<double>(view.data[static_cast<std::ptrdiff_t>(i) * view.draw_stride]));
    }
  };
  const auto mean_of = [&](const std::string& name) {
    double sum = 0;
    for_each(name, [&](double x) { sum += x; });
    return view_of(name).data == nullptr ? NAN : sum / (static_cast<double>(job.chains) * job.draws);
  };
  about.leapfrogs = mean_of("leapfrogs");
  about.accept_stat = mean_of("accept_stat");
  // A draw without a step has proposed nothing.
  double proposals = 0;
  for_each("leapfrogs", [&](double x) { proposals += x > 0 ? 1 : 0; });
  if (proposals > 0) about.accept_stat *= static_cast<double>(job.chains) * job.draws / proposals;
  about.tree_depth = mean_of("tree_depth");
  for_each("divergent", [&](double x) { about.divergent += x > 0 ? 1 : 0; });
  for (const auto& parameter : job.sampler->parameters()) {
    if (parameter.name == "max_depth") about.depth_limit = parameter.value;
  }
  for_each("tree_depth", [&](double x) { about.deepest += x == about.depth_limit ? 1 : 0; });
  if (const auto view = view_of("leapfrogs"); view.data != nullptr) {
    about.waiting_ratio = breakstep::diagnostics::waiting_ratio(view);
    about.histogram = breakstep::diagnostics::histogram(view);
  }
  if (const auto view = view_of("energy"); view.data != nullptr && job.draws >= draws_for_energy) {
    auto fractions = breakstep::diagnostics::energy_fractions(view);
    about.low_energy_fractions = static_cast<std::size_t>(
        std::count_if(fractions.begin(), fractions.end(), [](double x) { return !(x >= low_energy_fraction); }));
    std::nth_element(fractions.begin(), fractions.begin() + static_cast<std::ptrdiff_t>(fractions.size() / 2),
                     fractions.end());
    about.energy_fraction = fractions[fractions.size() / 2];
  }
  return about;
}

}  // namespace breakstep_app
