// Preparation of Gaussian-process data: standardising, squared distances, and the synthetic set.
#include "breakstep/target/gp_regression.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/target/data_table.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

/// Subtracts the mean and divides by the population standard deviation of a strided column.
void standardise(double* column, std::size_t count, std::size_t stride) {
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < count; ++i) mean += column[i * stride] / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    square += (column[i * stride] - mean) * (column[i * stride] - mean) / static_cast<double>(count);
  }
  const double sd = square > 0 ? std::sqrt(square) : 1.0;
  for (std::size_t i = 0; i < count; ++i) column[i * stride] = (column[i * stride] - mean) / sd;
}

}  // namespace

GpRegression::GpRegression(std::vector<double> features, std::vector<double> y)
    : n_(static_cast<int>(y.size())), y_d_(std::move(y)) {
  const std::size_t n = y_d_.size();
  if (n == 0 || features.size() % n != 0 || features.empty()) {
    throw Error("the data of the Gaussian process do not fit together",
                std::to_string(features.size()) + " feature values for " + std::to_string(n) + " observations",
                "give the same number of features for every observation, and at least one observation");
  }
  const std::size_t columns = features.size() / n;
  for (std::size_t c = 0; c < columns; ++c) standardise(features.data() + c, n, columns);
  standardise(y_d_.data(), n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    double greatest = 0;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        const double difference = features[i * columns + c] - features[j * columns + c];
        sum += difference * difference;
      }
      squared_d_.push_back(sum);
      greatest = std::max(greatest, sum);
    }
    farthest_d_.push_back(greatest);
  }
  squared_f_.assign(squared_d_.begin(), squared_d_.end());
  farthest_f_.assign(farthest_d_.begin(), farthest_d_.end());
  y_f_.assign(y_d_.begin(), y_d_.end());
}

GpRegression GpRegression::read(const std::string& path, int points) {
  DataTable table = read_data(path);
  table.require_columns(2);
  table.keep_first(static_cast<std::size_t>(points));
  table.require_rows(2);
  constexpr std::size_t most_rows = 10'000;
  if (table.rows() > most_rows) {
    throw Error("data file " + path + " has " + std::to_string(table.rows()) + " rows of numbers",
                "a Gaussian process keeps a number for every pair of them, and 10000 rows are the most",
                "use the first ones with --points");
  }
  std::vector<double> features;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t c = 0; c < table.names().size(); ++c) {
      if (c != table.outcome()) features.push_back(table.column(c)[i]);
    }
  }
  return {std::move(features), table.column(table.outcome())};
}

GpRegression GpRegression::with_simulated_data(const std::vector<double>& x, Synthetic& random) const {
  const lanes::FlushToZero scope;
  const auto n = static_cast<std::size_t>(n_);
  const double noise = exp_of(x[0]), steepness = -0.5 / exp_of(x[1]), signal = exp_of(x[2]);
  GaussianPrior distribution;
  distribution.covariance.resize(n * n);
  const double* squared = squared_d_.data();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) distribution.covariance[i * n + j] = signal * exp_of(steepness * *squared++);
    distribution.covariance[i * n + i] = signal + noise;
  }
  const auto memory = lanes::aligned_zeros<double>(2 * n);
  const InterleavedVector<double, 1> standard(memory.get(), n_), y(memory.get() + n, n_);
  for (int i = 0; i < n_; ++i) standard.set(0, i, random.normal());
  AffineMap<double>(distribution, n_).apply(standard, y);
  GpRegression simulated = *this;
  simulated.y_d_.assign(memory.get() + n, memory.get() + 2 * n);
  simulated.y_f_.assign(simulated.y_d_.begin(), simulated.y_d_.end());
  return simulated;
}

GpRegression GpRegression::synthetic(int n, std::uint64_t seed) {
  if (n < 2)
    throw Error("a synthetic Gaussian process of " + std::to_string(n) + " points", "at least 2 are needed",
                "ask for more");
  const lanes::FlushToZero scope;
  constexpr int columns = 6;
  std::vector<double> features, y;
  for (int i = 0; i < n; ++i) {
    const lanes::Stream<double, 1> stream(seed, static_cast<std::uint64_t>(i), std::uint64_t{0});
    double row[columns + 2];
    for (int pair = 0; pair < columns + 2; pair += 2) {
      const auto numbers = stream.normals(static_cast<std::uint64_t>(pair), 0);
      row[pair] = numbers[0][0];
      row[pair + 1] = numbers[1][0];
    }
    features.insert(features.end(), row, row + columns);
    const double sine = lanes::sin(Pack<double, 1>(row[0]))[0];
    y.push_back(sine + 0.25 * row[1] * row[2] + 0.3 * row[3] + 0.4 * row[columns]);
  }
  return {std::move(features), std::move(y)};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
