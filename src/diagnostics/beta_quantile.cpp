// The regularised incomplete beta function by its continued fraction, and Newton's method for its inverse.
#include "breakstep/diagnostics/beta_quantile.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "breakstep/diagnostics/normal_quantile.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

// log Γ(a) minus Stirling's (a - ½) log a - a + ½ log 2π. std::lgamma would lose digits for large a, and writes a
// global.
double stirling_error(double a) {
  double steps = 0.0;
  while (a < 15.0) {
    steps += (a + 0.5) * std::log1p(1.0 / a) - 1.0;
    a += 1.0;
  }
  const double s = 1.0 / (a * a);
  return steps + (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188))))) / a;
}

// log(1 + u) - u without cancellation: with r = u / (2 + u) it is -u r + 2 (r³/3 + r⁵/5 + ...).
double log1p_minus(double u) {
  if (std::abs(u) > 0.5) return std::log1p(u) - u;
  const double r = u / (2.0 + u);
  const double square = r * r;
  double sum = 0.0;
  double power = r * square;
  for (int k = 3; std::abs(power) > 1e-18 * std::abs(u * r); k += 2, power *= square) sum += power / k;
  return 2.0 * sum - u * r;
}

// x^a (1 - x)^b / B(a, b), as the height at the mode's neighbour a / (a + b) times the fall from there.
double beta_weight(double x, double a, double b) {
  const double center = a / (a + b);
  const double fall = a * log1p_minus((x - center) / center) + b * log1p_minus((center - x) / (b / (a + b)));
  const double error = stirling_error(a + b) - stirling_error(a) - stirling_error(b);
  return std::sqrt(b * center / (2.0 * std::numbers::pi)) * std::exp(fall + error);
}

// Lentz's evaluation of the continued fraction; it converges fast for x below (a + 1) / (a + b + 2).
double continued_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int i = 1; i < 10'000'000; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < 5e-16) break;
  }
  return fraction;
}

}  // namespace

double beta_distribution(double x, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double weight = beta_weight(x, a, b);
  if (x < (a + 1.0) / (a + b + 2.0)) return weight * continued_fraction(x, a, b) / a;
  return 1.0 - weight * continued_fraction(1.0 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b) {
  if (std::isnan(p) || std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  double low = 0.0;
  double high = 1.0;
  const double center = a / (a + b);
  double x = center + normal_quantile(p) * std::sqrt(center * (1.0 - center) / (a + b + 1.0));
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    const double excess = beta_distribution(x, a, b) - p;
    (excess > 0.0 ? high : low) = x;
    const double slope = beta_weight(x, a, b) / (x * (1.0 - x));
    const double next = x - excess / slope;
    const bool is_done = std::abs(next - x) <= 4.0 * std::numeric_limits<double>::epsilon() * x;
    if (is_done || excess == 0.0) break;
    x = next;
  }
  return x;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
