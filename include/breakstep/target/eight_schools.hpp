// Eight schools (Rubin 1981): effects of coaching, partially pooled; a hierarchical model in two parametrisations.
#pragma once

#include <array>

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/parameter_names.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// y ~ N(θ, σ²) with σ known, θ ~ N(μ, τ²), μ ~ N(0, 5²), τ ~ half-Cauchy(5). Coordinates: θ (Centred) or
/// (θ − μ)/τ, then μ and log τ.
template <bool Centred>
class EightSchoolsModel {
 public:
  static constexpr int schools = 8;

  [[nodiscard]] static int dimension() { return schools + 2; }
  [[nodiscard]] static std::vector<std::string> parameter_names() {
    std::vector<std::string> names;
    append_names(names, Centred ? "theta" : "theta_standardised", schools);
    names.insert(names.end(), {"mu", "log_tau"});
    return names;
  }

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
  static constexpr std::array<double, schools> effect = {28, 8, -3, 7, -1, 1, 18, 12};
  static constexpr std::array<double, schools> error = {15, 10, 16, 11, 9, 11, 10, 18};

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const P mu = x[schools], log_tau = x[schools + 1], tau = exp(log_tau), inverse_tau = exp(-log_tau);
    P squares(Real(0)), mu_sum(Real(0)), tau_sum(Real(0));
    for (int i = 0; i < schools; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const P precision(static_cast<Real>(1 / error[at])), measured(static_cast<Real>(effect[at]));
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
    const P log_tau_factor(static_cast<Real>(Centred ? 1 - schools : 1));
    const P scaled = P(Real(0.2)) * tau, scaled_squared = scaled * scaled, fifth_mu = P(Real(0.2)) * mu;
    if constexpr (WithGradient) {
      const P cauchy = P(Real(2)) * scaled_squared / (P(Real(1)) + scaled_squared);
      gradient.store(schools, fnma(P(Real(0.2)), fifth_mu, mu_sum));
      gradient.store(schools + 1, tau_sum + log_tau_factor - cauchy);
    }
    return fma(P(Real(-0.5)), fma(fifth_mu, fifth_mu, squares), log_tau_factor * log_tau) - log1p(scaled_squared);
  }
};

using EightSchools = EightSchoolsModel<true>;
using EightSchoolsNoncentred = EightSchoolsModel<false>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
