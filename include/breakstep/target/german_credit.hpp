// Who repays a loan: logistic regression with a scale for every coefficient and one for all.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic_likelihood.hpp"
#include "breakstep/target/parameters.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Coordinates b (k + 1 of them), log λ (as many) and log τ for k features; logitᵢ = Σ Xᵢⱼ·τ·λⱼ·bⱼ with
/// X₀ = 1 and features scaled to [−1, 1]; b ~ N(0, 1), λ and τ ~ Gamma(½, scale 2); probabilities are kept within
/// [10⁻⁶, 1 − 10⁻⁶]. Constants are kept.
class GermanCredit {
 public:
  /// `features` is rows × columns, not yet scaled. Throws Error if a feature is constant.
  GermanCredit(const std::vector<double>& features, const std::vector<bool>& is_good)
      : likelihood_(scaled(features, is_good.size()), is_good) {}

  /// Column `label` is 1 (good) or 2 (bad); every other column is a feature. `points` > 0 takes the first rows only.
  static GermanCredit read(const std::string& path, int points = 0);
  static GermanCredit synthetic(int points, std::uint64_t seed = 6);

  [[nodiscard]] int dimension() const { return 2 * coefficients() + 1; }
  [[nodiscard]] Parameters parameters() const {
    return {real("b", coefficients()), positive("lambda", coefficients()), positive("tau")};
  }
  /// The coefficients themselves: βⱼ = τ·λⱼ·bⱼ.
  [[nodiscard]] Parameters generated_quantities() const { return {real("beta", coefficients())}; }
  void generate(const double* values, double* out) const;
  [[nodiscard]] int observations() const { return likelihood_.rows(); }
  void pointwise_log_likelihood(const double* values, double* out) const;
  [[nodiscard]] std::vector<double> draw_prior(Synthetic& random) const;
  [[nodiscard]] GermanCredit with_simulated_data(const std::vector<double>& x, Synthetic& random) const;
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return 2 * InterleavedVector<Real, W>::elements(coefficients());
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
  [[nodiscard]] int coefficients() const { return likelihood_.columns(); }
  static constexpr double log_odds_limit = 13.815509557963774;  // log((1 − 10⁻⁶)/10⁻⁶)
  static std::vector<double> scaled(const std::vector<double>& features, std::size_t rows);

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const int count = coefficients();
    const InterleavedVector<Real, W> weights(workspace, count);
    const InterleavedVector<Real, W> slopes(workspace + InterleavedVector<Real, W>::elements(count), count);
    const P half(Real(0.5)), log_tau = x[2 * count], tau = exp(log_tau);
    P prior = half * (log_tau - tau);
    for (int j = 0; j < count; ++j) {
      const P b = x[j], log_lambda = x[count + j], lambda = exp(log_lambda);
      prior = fma(half, log_lambda - fma(b, b, lambda), prior);
      weights.store(j, tau * lambda * b);
      if constexpr (WithGradient) {
        gradient.store(j, lambda);  // kept for later, to save an exponential
      }
    }
    const P likelihood =
        likelihood_.evaluate<WithGradient, Real, W>(weights.data(), slopes.data(), static_cast<Real>(log_odds_limit));
    if constexpr (WithGradient) {
      P tau_sum(Real(0));
      for (int j = 0; j < count; ++j) {
        const P lambda = gradient[j], slope = slopes[j], change = weights[j] * slope;
        tau_sum = tau_sum + change;
        gradient.store(j, fma(tau * lambda, slope, -x[j]));
        gradient.store(count + j, change + fnma(half, lambda, half));
      }
      gradient.store(2 * count, tau_sum + fnma(half, tau, half));
    }
    constexpr double half_log_two = 0.34657359027997264, log_gamma_half = 0.57236494292470008;
    const double constant = -count * half_log_two_pi - (count + 1) * (half_log_two + log_gamma_half);
    return likelihood + (prior + P(static_cast<Real>(constant)));
  }

  LogisticLikelihood likelihood_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
