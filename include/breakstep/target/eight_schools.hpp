// Eight schools (Rubin 1981): effects of coaching, partially pooled; a hierarchical model in two parametrisations.
#pragma once

#include <string>
#include <vector>

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/data.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/synthetic.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// y ~ N(θ, σ²) with σ known, θ ~ N(μ, τ²), μ ~ N(0, 5²), τ ~ half-Cauchy(5). Coordinates: θ (Centred) or
/// (θ − μ)/τ, then μ and log τ.
template <bool Centred>
class EightSchoolsModel {
 public:
  /// Rubin's eight schools, or any number of them: estimated effects y and their standard errors σ.
  EightSchoolsModel() : EightSchoolsModel({28, 8, -3, 7, -1, 1, 18, 12}, {15, 10, 16, 11, 9, 11, 10, 18}) {}
  EightSchoolsModel(std::vector<double> effects, const std::vector<double>& errors);
  /// Columns, or fields of a JSON file, `y` and `sigma`.
  static EightSchoolsModel read(const std::string& path);

  [[nodiscard]] int schools() const { return static_cast<int>(effects_.size()); }
  [[nodiscard]] int dimension() const { return schools() + 2; }
  [[nodiscard]] Parameters parameters() const {
    return {real(Centred ? "theta" : "theta_standardised", schools()), real("mu"), positive("tau")};
  }
  [[nodiscard]] Parameters generated_quantities() const requires(!Centred) { return {real("theta", schools())}; }
  void generate(const double* values, double* out) const requires(!Centred) {
    const double mu = values[schools()], tau = values[schools() + 1];
    for (int i = 0; i < schools(); ++i) out[i] = mu + tau * values[i];
  }
  [[nodiscard]] int observations() const { return schools(); }
  void pointwise_log_likelihood(const double* values, double* out) const;
  [[nodiscard]] std::vector<double> draw_prior(Synthetic& random) const;
  [[nodiscard]] EightSchoolsModel with_simulated_data(const std::vector<double>& x, Synthetic& random) const;

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    return evaluate<false>(x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return evaluate<true>(x, gradient);
  }

 private:
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const int count = schools();
    const Real* effects = effects_.as<Real>();
    const Real* precisions = precisions_.as<Real>();
    const P mu = x[count], log_tau = x[count + 1], tau = exp(log_tau), inverse_tau = exp(-log_tau);
    P squares(Real(0)), mu_sum(Real(0)), tau_sum(Real(0));
    for (int i = 0; i < count; ++i) {
      const P precision(precisions[i]), measured(effects[i]);
      const P standard = Centred ? (x[i] - mu) * inverse_tau : x[i];
      const P theta = Centred ? x[i] : fma(tau, standard, mu);
      const P residual = (measured - theta) * precision, force = residual * precision;
      squares = fma(residual, residual, fma(standard, standard, squares));
      if constexpr (WithGradient) {
        if constexpr (Centred) {
          const P pull = standard * inverse_tau;
          gradient.store(i, force - pull);
          mu_sum = mu_sum + pull;
          tau_sum = fma(standard, standard, tau_sum);
        } else {
          gradient.store(i, fma(tau, force, -standard));
          mu_sum = mu_sum + force;
          tau_sum = fma(tau * standard, force, tau_sum);
        }
      }
    }
    // log τ: the Jacobian, and in centred coordinates also the normaliser of each θ.
    const P log_tau_factor(static_cast<Real>(Centred ? 1 - count : 1));
    const P scaled = P(Real(0.2)) * tau, scaled_squared = scaled * scaled, fifth_mu = P(Real(0.2)) * mu;
    if constexpr (WithGradient) {
      const P cauchy = P(Real(2)) * scaled_squared / (P(Real(1)) + scaled_squared);
      gradient.store(count, fnma(P(Real(0.2)), fifth_mu, mu_sum));
      gradient.store(count + 1, tau_sum + log_tau_factor - cauchy);
    }
    return fma(P(Real(-0.5)), fma(fifth_mu, fifth_mu, squares), log_tau_factor * log_tau) - log1p(scaled_squared);
  }

  Numbers effects_;
  Numbers precisions_;  // 1/σ
};

using EightSchools = EightSchoolsModel<true>;
using EightSchoolsNoncentred = EightSchoolsModel<false>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
