// Data of the credit model: reading, scaling and the synthetic set.
#include "breakstep/target/german_credit.hpp"

#include <algorithm>
#include <cmath>

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

std::vector<double> GermanCredit::scaled(const std::vector<double>& features, std::size_t rows) {
  if (rows == 0 || features.empty() || features.size() % rows != 0) {
    throw Error("the data of the credit model do not fit together",
                std::to_string(features.size()) + " feature values for " + std::to_string(rows) + " outcomes",
                "give the same number of features for every outcome, and at least one outcome");
  }
  const std::size_t columns = features.size() / rows;
  std::vector<double> x(rows * (columns + 1), 1.0);
  for (std::size_t c = 0; c < columns; ++c) {
    double least = features[c], greatest = features[c];
    for (std::size_t i = 0; i < rows; ++i) {
      least = std::min(least, features[i * columns + c]);
      greatest = std::max(greatest, features[i * columns + c]);
    }
    if (!(least < greatest)) {
      throw Error("feature " + std::to_string(c + 1) + " of the credit data is constant",
                  "it cannot be scaled to the interval from -1 to 1", "remove its column, or give more rows");
    }
    for (std::size_t i = 0; i < rows; ++i) {
      x[i * (columns + 1) + c + 1] = -1 + 2 * (features[i * columns + c] - least) / (greatest - least);
    }
  }
  return x;
}

GermanCredit GermanCredit::read(const std::string& path, int points) {
  DataTable table = read_data(path);
  table.require_columns(2);
  table.keep_first(static_cast<std::size_t>(points));
  table.require_rows(2);
  const std::vector<double>& label = table.column("label");
  std::vector<double> features;
  std::vector<bool> is_good;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (label[i] != 1 && label[i] != 2) table.refuse("label", i, "it must be 1 (good) or 2 (bad)");
    is_good.push_back(label[i] == 1);
    for (std::size_t c = 0; c < table.names().size(); ++c) {
      if (table.names()[c] != "label") features.push_back(table.column(c)[i]);
    }
  }
  return {features, is_good};
}

void GermanCredit::generate(const double* values, double* out) const {
  const int count = coefficients();
  for (int j = 0; j < count; ++j) out[j] = values[2 * count] * values[count + j] * values[j];
}

void GermanCredit::pointwise_log_likelihood(const double* values, double* out) const {
  std::vector<double> weights(static_cast<std::size_t>(coefficients()));
  generate(values, weights.data());
  likelihood_.pointwise(weights.data(), log_odds_limit, out);
}

std::vector<double> GermanCredit::draw_prior(Synthetic& random) const {
  std::vector<double> x;
  x.reserve(2 * static_cast<std::size_t>(coefficients()) + 1);
  for (int j = 0; j < coefficients(); ++j) x.push_back(random.normal());
  // The square of a standard normal has the distribution Gamma(½, scale 2).
  for (int j = 0; j <= coefficients(); ++j) x.push_back(2 * log_of(std::fabs(random.normal())));
  return x;
}

GermanCredit GermanCredit::with_simulated_data(const std::vector<double>& x, Synthetic& random) const {
  const auto count = static_cast<std::size_t>(coefficients());
  std::vector<double> weights;
  for (std::size_t j = 0; j < count; ++j) weights.push_back(x[j] * exp_of(x[count + j] + x[2 * count]));
  GermanCredit simulated = *this;
  simulated.likelihood_ = likelihood_.simulated(weights.data(), log_odds_limit, random);
  return simulated;
}

GermanCredit GermanCredit::synthetic(int points, std::uint64_t seed) {
  if (points < 2) throw Error("synthetic credit data of 1 row", "at least 2 are needed", "ask for more points");
  constexpr int columns = 24;
  Synthetic random(seed);
  std::vector<double> features;
  std::vector<bool> is_good;
  for (int i = 0; i < points; ++i) {
    double logit = 0.8;
    for (int c = 0; c < columns; ++c) {
      const double feature = random.normal();
      features.push_back(feature);
      if (c % 4 == 0) logit += (c % 8 == 0 ? 0.7 : -0.5) * feature;
    }
    is_good.push_back(random.uniform() < logistic_of(logit));
  }
  return {features, is_good};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
