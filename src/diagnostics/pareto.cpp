// The tail of importance ratios: Pareto k̂.
#include "breakstep/diagnostics/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

namespace {

/// The shape at which the likelihood is largest, given θ = −shape/scale.
double shape_at(double theta, const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += std::log1p(-theta * x);
  return sum / static_cast<double>(numbers.size());
}

constexpr std::size_t least_tail = 5;

}  // namespace

ParetoFit fit_pareto(const std::vector<double>& ascending) {
  const std::size_t n = ascending.size();
  const auto count = static_cast<double>(n);
  const double quartile = ascending[std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(count / 4))) - 1];
  const double largest = ascending.back();
  const std::size_t points = 30 + static_cast<std::size_t>(std::sqrt(count));
  std::vector<double> thetas(points), log_likelihoods(points);
  for (std::size_t j = 0; j < points; ++j) {
    const double root = std::sqrt(static_cast<double>(points) / (static_cast<double>(j) + 0.5));
    thetas[j] = 1 / largest + (1 - root) / (3 * quartile);
    const double shape = shape_at(thetas[j], ascending);
    log_likelihoods[j] = count * (std::log(-thetas[j] / shape) - shape - 1);
  }
  const double highest = *std::max_element(log_likelihoods.begin(), log_likelihoods.end());
  double theta = 0, weights = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double weight = std::exp(log_likelihoods[j] - highest);
    if (std::isnan(weight)) continue;
    theta += weight * thetas[j];
    weights += weight;
  }
  theta /= weights;
  const double shape = shape_at(theta, ascending);
  return {shape, -shape / theta};
}

double pareto_k(std::vector<double> log_ratios) {
  constexpr double none = std::numeric_limits<double>::infinity();
  for (double& ratio : log_ratios) {
    if (std::isnan(ratio)) ratio = -none;
  }
  std::sort(log_ratios.begin(), log_ratios.end());
  const auto n = static_cast<double>(log_ratios.size());
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * n, 3 * std::sqrt(n))));
  if (tail < least_tail || tail >= log_ratios.size() || !std::isfinite(log_ratios.back())) return none;
  const double largest = log_ratios.back();
  // A perfect proposal: what is left is rounding, and has no tail.
  constexpr double rounding = 1e-8;
  if (largest - log_ratios[log_ratios.size() - tail - 1] < rounding) return -none;
  const double cutoff =
      std::max(std::exp(log_ratios[log_ratios.size() - tail - 1] - largest), std::numeric_limits<double>::min());
  std::vector<double> beyond;
  for (std::size_t i = log_ratios.size() - tail; i < log_ratios.size(); ++i) {
    const double excess = std::exp(log_ratios[i] - largest) - cutoff;
    if (excess > 0) beyond.push_back(excess);
  }
  if (beyond.size() < least_tail) return none;
  constexpr double prior_shape = 0.5, prior_count = 10;
  const auto count = static_cast<double>(beyond.size());
  return (count * fit_pareto(beyond).shape + prior_count * prior_shape) / (count + prior_count);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
