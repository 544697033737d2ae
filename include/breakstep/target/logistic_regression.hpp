// Logistic regression on a user's table, with a normal prior.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic_likelihood.hpp"
#include "breakstep/target/parameters.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The last column is the outcome, 0 or 1; the others are used as they are. Coordinates are the intercept and one
/// coefficient per column, each with prior N(0, 2.5²): columns of very different size want scaling first.
class LogisticRegression {
 public:
  /// `features` is rows × columns, in the order of `names`.
  LogisticRegression(const std::vector<double>& features, std::vector<std::string> names,
                     const std::vector<bool>& outcomes);

  static LogisticRegression read(const std::string& path, int points = 0);
  static LogisticRegression synthetic(int points, std::uint64_t seed = 11);

  [[nodiscard]] int dimension() const { return likelihood_.columns(); }
  [[nodiscard]] GaussianPrior prior() const {
    return {.sd = std::vector<double>(static_cast<std::size_t>(dimension()), 2.5)};
  }
  [[nodiscard]] Parameters parameters() const;
  [[nodiscard]] int observations() const { return likelihood_.rows(); }
  void pointwise_log_likelihood(const double* values, double* out) const;
  [[nodiscard]] LogisticRegression with_simulated_data(const std::vector<double>& x, Synthetic& random) const {
    LogisticRegression simulated = *this;
    simulated.likelihood_ = likelihood_.simulated(x.data(), std::numeric_limits<double>::infinity(), random);
    return simulated;
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood(const InterleavedVector<Real, W>& x, Real*) const {
    return likelihood_.evaluate<false, Real, W>(x.data(), x.data(), std::numeric_limits<Real>::infinity());
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_likelihood_and_gradient(const InterleavedVector<Real, W>& x,
                                                          const InterleavedVector<Real, W>& gradient, Real*) const {
    return likelihood_.evaluate<true, Real, W>(x.data(), gradient.data(), std::numeric_limits<Real>::infinity());
  }

 private:
  std::vector<std::string> names_;
  LogisticLikelihood likelihood_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
