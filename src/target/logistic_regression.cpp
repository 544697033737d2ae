// Data of logistic regression: reading, the intercept and the synthetic set.
#include "breakstep/target/logistic_regression.hpp"

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

std::vector<double> with_intercept(const std::vector<double>& features, std::size_t rows) {
  if (rows == 0 || features.size() % rows != 0) {
    throw Error("the data of the logistic regression do not fit together",
                std::to_string(features.size()) + " feature values for " + std::to_string(rows) + " outcomes",
                "give the same number of features for every outcome, and at least one outcome");
  }
  const std::size_t columns = features.size() / rows;
  std::vector<double> x;
  for (std::size_t i = 0; i < rows; ++i) {
    x.push_back(1);
    for (std::size_t c = 0; c < columns; ++c) x.push_back(features[i * columns + c]);
  }
  return x;
}

}  // namespace

LogisticRegression::LogisticRegression(const std::vector<double>& features, std::vector<std::string> names,
                                       const std::vector<bool>& outcomes)
    : names_(std::move(names)), likelihood_(with_intercept(features, outcomes.size()), outcomes) {
  names_.insert(names_.begin(), "intercept");
}

LogisticRegression LogisticRegression::read(const std::string& path, int points) {
  DataTable table = read_data(path);
  table.require_columns(2);
  table.keep_first(static_cast<std::size_t>(points));
  std::vector<std::string> names = table.names();
  const std::size_t at = table.outcome();
  const std::string outcome = names[at];
  names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
  std::vector<double> features;
  std::vector<bool> outcomes;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double y = table.column(at)[i];
    if (y != 0 && y != 1) table.refuse(outcome, i, "it is the outcome and must be 0 or 1");
    outcomes.push_back(y == 1);
    for (std::size_t c = 0; c < table.names().size(); ++c) {
      if (c != at) features.push_back(table.column(c)[i]);
    }
  }
  return {features, std::move(names), outcomes};
}

Parameters LogisticRegression::parameters() const {
  std::vector<Block> blocks;
  for (const std::string& name : names_) blocks.push_back(real(name));
  return Parameters(std::move(blocks));
}

void LogisticRegression::pointwise_log_likelihood(const double* values, double* out) const {
  likelihood_.pointwise(values, std::numeric_limits<double>::infinity(), out);
}

LogisticRegression LogisticRegression::synthetic(int points, std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> features;
  std::vector<bool> outcomes;
  const std::vector<double> effects = {1.0, -0.5, 0.25, 0.0};
  for (int i = 0; i < points; ++i) {
    double logit = -0.3;
    for (const double effect : effects) {
      features.push_back(random.normal());
      logit += effect * features.back();
    }
    outcomes.push_back(random.uniform() < logistic_of(logit));
  }
  return {features, {"x1", "x2", "x3", "x4"}, outcomes};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
