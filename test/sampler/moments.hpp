// Moments of draws with their Monte Carlo error, from independent chains.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "breakstep/runtime/sample.hpp"

namespace sampler_test {

using namespace breakstep;

/// Chains are independent, so the means of a function over each chain are independent too, whatever the autocorrelation
/// within: their average has the standard error sd/√chains, and z is normal for many chains.
template <class Real>
double z_score(const runtime::Draws<Real>& draws, std::uint32_t burn_in, double truth,
               const std::function<double(const Real*)>& f) {
  double sum = 0, square = 0;
  for (std::size_t c = 0; c < draws.chains; ++c) {
    double mean = 0;
    for (std::uint32_t t = burn_in; t < draws.draws; ++t) mean += f(draws.at(c, t)) / (draws.draws - burn_in);
    sum += mean;
    square += mean * mean;
  }
  const auto m = static_cast<double>(draws.chains);
  const double average = sum / m;
  const double variance = (square / m - average * average) * m / (m - 1);
  return (average - truth) / std::sqrt(variance / m);
}

/// A function of the position whose mean under the target is known.
struct Known {
  std::string name;
  double truth;
  std::function<double(const double*)> f;
};

/// The largest |z| over the known functions. A right sampler exceeds 5 once in 1.7 million functions tested; the seeds
/// are fixed, so what passes once passes always.
inline double worst_z(const runtime::Draws<double>& draws, std::uint32_t burn_in, const std::vector<Known>& known) {
  double worst = 0;
  for (const Known& k : known) {
    const double z = z_score<double>(draws, burn_in, k.truth, k.f);
    worst = std::isnan(z) ? INFINITY : std::max(worst, std::fabs(z));
  }
  return worst;
}

inline constexpr double limit = 5.0;

/// Means, variances, a tail and a covariance of N(mean_i, variance_i), independent coordinates.
inline std::vector<Known> normal_moments(const std::vector<double>& means, double variance) {
  std::vector<Known> known;
  const double sd = std::sqrt(variance);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double m = means[i];
    known.push_back({"mean", m, [i](const double* x) { return x[i]; }});
    known.push_back({"variance", variance, [i, m](const double* x) { return (x[i] - m) * (x[i] - m); }});
    known.push_back({"upper tail", 0.5 * std::erfc(1.5 / std::sqrt(2.0)),
                     [i, m, sd](const double* x) { return x[i] > m + 1.5 * sd ? 1.0 : 0.0; }});
  }
  if (means.size() > 1) {
    known.push_back({"covariance", 0.0, [m = means](const double* x) { return (x[0] - m[0]) * (x[1] - m[1]); }});
  }
  return known;
}

}  // namespace sampler_test
