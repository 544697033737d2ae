// The mixture of MixtureCode by a product with a dense precision matrix, for comparisons of speed.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "breakstep/target/data.hpp"
#include "breakstep/target/mixture.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The same density as MixtureCode, from the product Σ⁻¹·(x − m) as if nothing were known of Σ: 2·d² operations. The
/// mean is taken out first because the product would cancel most digits of what lies along it.
class MixtureCodeDense {
 public:
  explicit MixtureCodeDense(int dimension = 100, double correlation = 0.99) : modes_(dimension, correlation) {
    const EqualCorrelation& covariance = modes_.covariance;
    const double off_diagonal = -correlation / covariance.along() / covariance.within();
    std::vector<double> stripes;
    for (int first = 0; first < dimension; first += rows) {
      for (int column = 0; column < dimension; ++column) {
        for (int row = first; row < first + rows; ++row) {
          stripes.push_back(row >= dimension ? 0 : off_diagonal + (row == column ? 1 / covariance.within() : 0));
        }
      }
    }
    stripes_ = Numbers(std::move(stripes));
  }

  [[nodiscard]] int dimension() const { return modes_.covariance.size; }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return InterleavedVector<Real, W>::elements(dimension());
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return evaluate<false>(x, x, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient,
                                                       Real* workspace) const {
    return evaluate<true>(x, gradient, workspace);
  }

 private:
  static constexpr int rows = 10;  // of the matrix at once: as many sums as registers hold beside what they are made of

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const int d = dimension();
    const P mean = detail::mean_of(x);
    const auto [along, shift] = modes_.of(mean);
    const InterleavedVector<Real, W> rest(workspace, d);
    for (int i = 0; i < d; ++i) rest.store(i, x[i] - mean);
    P form(Real(0));
    const Real* stripe = stripes_.as<Real>();
    for (int first = 0; first < d; first += rows) {
      P sums[rows];
#pragma GCC unroll 16
      for (P& sum : sums) sum = P(Real(0));
      for (int j = 0; j < d; ++j, stripe += rows) {
        const P column = rest[j];
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r) sums[r] = fma(P(stripe[r]), column, sums[r]);
      }
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        if (first + r >= d) break;
        form = fma(rest[first + r], sums[r], form);
        if constexpr (WithGradient) gradient.store(first + r, fma(P(Real(-2)), sums[r], -shift));
      }
    }
    return along - form - P(static_cast<Real>(modes_.constant));
  }

  TwoModes modes_;
  Numbers stripes_;  // Σ⁻¹ in stripes of `rows` rows, each column by column
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
