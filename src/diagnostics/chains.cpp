// Chains that stand apart, by the error that draws within chains let expect.
#include "breakstep/diagnostics/chains.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "breakstep/diagnostics/autocovariance.hpp"
#include "breakstep/diagnostics/normal_quantile.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

constexpr std::size_t fewest_chains = 3;
constexpr std::size_t fewest_draws = 50;
constexpr double fewest_times = 20;
constexpr double false_alarms = 0.005;  // half of what is promised, because the standard error is an estimate

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The autocorrelation time 1 + 2·Σ ρ of chains of n draws, by Geyer's initial positive sequence of pairs. Draws that
// are better than independent count as independent.
double autocorrelation_time(std::span<const double> lags) {
  const auto n = static_cast<double>(lags.size());
  double sum = -lags[0], used = 0;
  for (std::size_t t = 0; t + 1 < lags.size(); t += 2) {
    // Divisors n - t: with n, as the sequence has them, long lags count too little.
    const double pair = n * (lags[t] / (n - static_cast<double>(t)) + lags[t + 1] / (n - static_cast<double>(t + 1)));
    if (!(pair > 0)) break;
    sum += 2 * pair;
    used = static_cast<double>(t + 2);
  }
  // Deviations are taken from each chain's own mean, which makes every lag too small by the variance of that mean, the
  // sum over n.
  return std::max(sum / lags[0] / std::max(1 - (2 * used - 1) / n, 0.5), 1.0);
}

template <class Real>
std::vector<ChainApart> find(const DrawsView<Real>& view, double limit) {
  if (view.chains < fewest_chains || view.draws < fewest_draws) return {};
  Autocovariance autocovariance;
  autocovariance.start(view.draws);
  std::vector<double> chain(view.draws), means;
  for (std::size_t c = 0; c < view.chains; ++c) {
    const Real* draw = view.data + static_cast<std::ptrdiff_t>(c) * view.chain_stride;
    double rise = 0;
    for (std::size_t t = 0; t < view.draws; ++t, draw += view.draw_stride) {
      chain[t] = static_cast<double>(*draw);
      if (!std::isfinite(chain[t])) return {};
      rise += (chain[t] - chain[0]) / static_cast<double>(view.draws);
    }
    means.push_back(chain[0] + rise);
    autocovariance.add(chain);
  }
  autocovariance.finish();
  const double variance = autocovariance.lags()[0];
  const auto draws = static_cast<double>(view.draws);
  const double time = autocorrelation_time(autocovariance.lags());
  if (!(variance > 0) || draws < fewest_times * time) return {};
  const double error = std::sqrt(variance * time / draws);
  const double median = median_of(means);
  std::vector<ChainApart> apart;
  for (std::size_t c = 0; c < view.chains; ++c) {
    const double errors = std::fabs(means[c] - median) / error;
    if (errors > limit) apart.push_back({.chain = c, .mean = means[c], .median = median, .errors = errors});
  }
  return apart;
}

}  // namespace

double apart_limit(std::size_t comparisons) {
  return -normal_quantile(false_alarms / (2.0 * static_cast<double>(std::max<std::size_t>(comparisons, 1))));
}

std::vector<ChainApart> chains_apart(const DrawsView<float>& view, double limit) { return find(view, limit); }
std::vector<ChainApart> chains_apart(const DrawsView<double>& view, double limit) { return find(view, limit); }

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
