// The mixture of MixtureCode by a product with a dense precision matrix, for comparisons of speed.
#pragma once

#include <cstddef>
#include <memory>

#include "breakstep/lanes/matrix.hpp"
#include "breakstep/target/mixture.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The same density as MixtureCode, from the product Σ⁻¹·(x − m) as if nothing were known of Σ: 2·d² operations. The
/// mean is taken out first because the product would cancel most digits of what lies along it.
class MixtureCodeDense {
 public:
  explicit MixtureCodeDense(int dimension = 100, double correlation = 0.99)
      : modes_(dimension, correlation), single_(precision_matrix<float>()), double_(precision_matrix<double>()) {}

  [[nodiscard]] int dimension() const { return modes_.covariance.size; }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return 2 * lanes::Vector<Real, W, lanes::Storage::contiguous>::elements(dimension());
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    const InterleavedVector<Real, W> product(workspace + InterleavedVector<Real, W>::elements(dimension()),
                                             dimension());
    return evaluate(Mask<W>::all_lanes(), x, product, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient,
                                                       Real* workspace) const {
    return evaluate(Mask<W>::all_lanes(), x, gradient, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient_of_rows(Mask<W> where, const Rows<Real, W>& x,
                                                               const Rows<Real, W>& gradient, Real* workspace) const {
    return evaluate(where, x, gradient, workspace);
  }

 private:
  template <lanes::AnyVector V, int W>
  [[nodiscard]] Pack<typename V::Real, W> evaluate(Mask<W> where, const V& x, const V& gradient,
                                                   typename V::Real* workspace) const {
    using P = Pack<typename V::Real, W>;
    const P mean = detail::mean_of(where, x);
    const auto [along, shift] = modes_.of(mean);
    const lanes::Vector<typename V::Real, W, V::storage> rest(workspace, dimension());
    lanes::sweep<0>(
        where, [](auto&, auto m, auto xi, auto& r) { r = xi - m; }, mean, x, changing(rest));
    multiply(where, gradient, precision<typename V::Real>(), rest);
    const P form = lanes::sweep<1>(
        where,
        [](auto& sums, auto away, auto r, auto& g) {
          sums[0] = fma(r, g, sums[0]);
          g = fma(decltype(g + g)(-2), g, -away);
        },
        shift, rest, changing(gradient))[0];
    return along - form - P(static_cast<typename V::Real>(modes_.constant));
  }

  template <class Real>
  [[nodiscard]] const lanes::Matrix<Real>& precision() const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return *single_;
    } else {
      return *double_;
    }
  }

  template <class Real>
  [[nodiscard]] std::shared_ptr<const lanes::Matrix<Real>> precision_matrix() const {
    const EqualCorrelation& covariance = modes_.covariance;
    const double off_diagonal = -covariance.correlation / covariance.along() / covariance.within();
    auto matrix = std::make_shared<lanes::Matrix<Real>>(covariance.size, covariance.size);
    for (int row = 0; row < covariance.size; ++row) {
      for (int column = 0; column < covariance.size; ++column) {
        const double element = off_diagonal + (row == column ? 1 / covariance.within() : 0);
        (*matrix)(row, column) = static_cast<Real>(element);
      }
    }
    return matrix;
  }

  TwoModes modes_;
  std::shared_ptr<const lanes::Matrix<float>> single_;  // Σ⁻¹; copies of the target share it
  std::shared_ptr<const lanes::Matrix<double>> double_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
