// Outcomes one by one: the likelihood of each, and drawing them anew.
#include "breakstep/target/logistic_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace breakstep::inline BREAKSTEP_ABI::target {

LogisticLikelihood::Row LogisticLikelihood::place_of(int row) const {
  const int tiled = rows_ / tile * tile;
  if (row < tiled) return {std::ptrdiff_t{row / tile * tile} * columns_ + row % tile, tile};
  return {std::ptrdiff_t{row} * columns_, 1};
}

double LogisticLikelihood::log_odds(int row, const double* weights, double limit) const {
  const auto [first, stride] = place_of(row);
  const double* x = elements_.as<double>() + first;
  double t = 0;
  for (int j = 0; j < columns_; ++j) t += x[std::ptrdiff_t{j} * stride] * weights[j];
  return std::fabs(t) > limit ? std::copysign(limit, t) : t;
}

void LogisticLikelihood::pointwise(const double* weights, double limit, double* out) const {
  using One = Pack<double, 1>;
  for (int row = 0; row < rows_; ++row) out[row] = -softplus(One(-log_odds(row, weights, limit)))[0];
}

LogisticLikelihood LogisticLikelihood::simulated(const double* weights, double limit, Synthetic& random) const {
  std::vector<double> elements(elements_.as<double>(), elements_.as<double>() + elements_.size());
  for (int row = 0; row < rows_; ++row) {
    const bool keeps_outcome = random.uniform() < logistic_of(log_odds(row, weights, limit));
    if (keeps_outcome) continue;
    const auto [first, stride] = place_of(row);
    for (int j = 0; j < columns_; ++j) {
      double& element = elements[static_cast<std::size_t>(first + std::ptrdiff_t{j} * stride)];
      element = -element;
    }
  }
  LogisticLikelihood other = *this;
  other.elements_ = Numbers(std::move(elements));
  return other;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
