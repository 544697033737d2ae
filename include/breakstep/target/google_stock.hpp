// Daily returns that switch between two regimes, one with memory of the day before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Regime 1: y ~ N(α₁, σ₁²); regime 2: y ~ N(α₂ + ρ·y₋₁, σ₂²); pₖ is the probability to stay in regime k, ξ that of
/// regime 1. Coordinates α, logit p (two each), log ρ, log σ (two), logit ξ₀ and the return y₀ before the first; all
/// constants are kept. As in the program that this target reproduces, a day's likelihood is at least 10⁻⁶ and ξ is
/// updated without a transition of its own.
class GoogleStock {
 public:
  /// Returns in percent.
  explicit GoogleStock(std::vector<double> returns);
  /// Column `log_return`, times 100. `points` > 0 takes the first rows only.
  static GoogleStock read(const std::string& path, int points = 0);
  static GoogleStock synthetic(int points, std::uint64_t seed = 5);

  [[nodiscard]] static int dimension() { return 9; }
  [[nodiscard]] static Parameters parameters() {
    return {real("alpha", 2),     interval("p", 2, 0, 1), positive("rho"),
            positive("sigma", 2), interval("xi", 0, 1),   real("y0")};
  }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return kept * y_.size() * W;
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
  /// Packs per day that the way back needs: ξ before it, η₁, η₂ and 1 over the day's likelihood.
  static constexpr std::size_t kept = 4;
  static constexpr double least = 1e-6;
  /// Days whose likelihoods share a logarithm. In float the product is a number as long as they are below 10⁹ each.
  static constexpr std::size_t together = 4;

  template <class Real, int W>
  struct Model {
    using P = Pack<Real, W>;

    explicit Model(const InterleavedVector<Real, W>& x)
        : p1(logistic_and_logs(x[2])),
          p2(logistic_and_logs(x[3])),
          xi(logistic_and_logs(x[7])),
          alpha1(x[0]),
          alpha2(x[1]),
          rho(exp(x[4])),
          inverse1(exp(-x[5])),
          inverse2(exp(-x[6])),
          log_height1(-x[5] - P(static_cast<Real>(half_log_two_pi))),
          log_height2(-x[6] - P(static_cast<Real>(half_log_two_pi))) {}

    [[nodiscard]] P standard1(P y) const { return (y - alpha1) * inverse1; }
    [[nodiscard]] P standard2(P y, P previous) const { return (y - fma(rho, previous, alpha2)) * inverse2; }
    /// η₁ and η₂ of a day.
    [[nodiscard]] BREAKSTEP_INLINE std::array<P, 2> likelihoods(P y, P previous) const {
      const P half(Real(0.5)), u1 = standard1(y), u2 = standard2(y, previous);
      return {exp(fma(-half * u1, u1, log_height1)), exp(fma(-half * u2, u2, log_height2))};
    }

    Logistic<Real, W> p1, p2, xi;
    P alpha1, alpha2, rho, inverse1, inverse2, log_height1, log_height2;
  };

  /// Of likelihoods that are at least the floor, or NaN: what log has to say of numbers below is left out. A product
  /// that is too large for a number says nothing of them: it becomes NaN, which samplers reject.
  template <class Real, int W>
  [[nodiscard]] static BREAKSTEP_INLINE Pack<Real, W> log_of_product(Pack<Real, W> x) {
    return log_of_positive(x) + (x - x);
  }

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const Model<Real, W> model(x);
    const P one(Real(1)), floor(static_cast<Real>(least));
    const Real* y = y_.as<Real>();
    const std::size_t last_day = y_.size() - 1;
    P xi = model.xi.value, log_likelihood(Real(0)), product = one, product_before = one, now(y[0]);
    auto [eta1, eta2] = model.likelihoods(now, x[8]);
    // What a day needs is computed the day before, and logarithms are taken some days later: of these long chains of
    // operations none then waits for the only one that goes from day to day, that of ξ.
    for (std::size_t t = 0; t <= last_day; ++t) {
      const P stay1 = fma(model.p1.value, eta1, model.p1.complement * eta2);
      const P stay2 = fma(model.p2.complement, eta1, model.p2.value * eta2);
      const P sum = max(floor, fma(xi, stay1, (one - xi) * stay2)), inverse = one / sum;  // NaN stays NaN
      if constexpr (WithGradient) {
        Real* const day = workspace + kept * t * W;
        xi.store(day);
        eta1.store(day + W);
        eta2.store(day + 2 * std::ptrdiff_t{W});
        inverse.store(day + 3 * std::ptrdiff_t{W});
      }
      xi = xi * stay1 * inverse;
      const P next(y[std::min(t + 1, last_day)]);
      const auto etas = model.likelihoods(next, now);
      eta1 = etas[0];
      eta2 = etas[1];
      now = next;
      product = product * sum;
      if (t % together == together - 1) {
        log_likelihood = log_likelihood + log_of_product(product_before);
        product_before = product;
        product = one;
      }
    }
    log_likelihood = log_likelihood + log_of_product(product_before) + log_of_product(product);
    if constexpr (WithGradient) go_back(model, x, gradient, workspace);
    return log_likelihood + log_prior<WithGradient>(model, x, gradient);
  }

  /// Fills `gradient` with that of the likelihood: derivatives carried backwards through the days.
  template <class Real, int W>
  void go_back(const Model<Real, W>& model, const InterleavedVector<Real, W>& x,
               const InterleavedVector<Real, W>& gradient, const Real* workspace) const {
    using P = Pack<Real, W>;
    const P one(Real(1)), zero(Real(0)), of_floor = one / P(static_cast<Real>(least));
    const Real* y = y_.as<Real>();
    P by_xi = zero, by_p1 = zero, by_p2 = zero, by_alpha1 = zero, by_alpha2 = zero, by_rho = zero, by_y0 = zero;
    P by_log_sigma1 = zero, by_log_sigma2 = zero, next_xi = zero;
    for (std::size_t t = y_.size(); t-- > 0;) {
      const Real* const day = workspace + kept * t * W;
      const P xi = P::load(day), eta1 = P::load(day + W), eta2 = P::load(day + 2 * std::ptrdiff_t{W});
      const P inverse = P::load(day + 3 * std::ptrdiff_t{W});
      const P now(y[t]), previous = t > 0 ? P(y[t > 0 ? t - 1 : 0]) : x[8];
      const P u1 = model.standard1(now), u2 = model.standard2(now, previous);
      const P stay1 = fma(model.p1.value, eta1, model.p1.complement * eta2);
      const P stay2 = fma(model.p2.complement, eta1, model.p2.value * eta2);
      // Where the floor holds, the sum has no influence.
      const P by_sum = select(inverse == of_floor, zero, inverse * fnma(by_xi, next_xi, one));
      const P by_stay1 = xi * fma(by_xi, inverse, by_sum), by_stay2 = by_sum * (one - xi);
      by_xi = fma(by_xi, stay1 * inverse, by_sum * (stay1 - stay2));
      by_p1 = fma(by_stay1, eta1 - eta2, by_p1);
      by_p2 = fnma(by_stay2, eta1 - eta2, by_p2);
      const P by_log_eta1 = eta1 * fma(by_stay1, model.p1.value, by_stay2 * model.p2.complement);
      const P by_log_eta2 = eta2 * fma(by_stay1, model.p1.complement, by_stay2 * model.p2.value);
      by_alpha1 = fma(by_log_eta1, u1, by_alpha1);
      by_alpha2 = fma(by_log_eta2, u2, by_alpha2);
      by_rho = fma(by_log_eta2 * u2, previous, by_rho);
      by_log_sigma1 = fma(by_log_eta1, fma(u1, u1, -one), by_log_sigma1);
      by_log_sigma2 = fma(by_log_eta2, fma(u2, u2, -one), by_log_sigma2);
      by_y0 = by_log_eta2 * u2;  // the last one, of the first day, is meant
      next_xi = xi;
    }
    gradient.store(0, by_alpha1 * model.inverse1);
    gradient.store(1, by_alpha2 * model.inverse2);
    gradient.store(2, by_p1 * (model.p1.value * model.p1.complement));
    gradient.store(3, by_p2 * (model.p2.value * model.p2.complement));
    gradient.store(4, by_rho * model.inverse2 * model.rho);
    gradient.store(5, by_log_sigma1);
    gradient.store(6, by_log_sigma2);
    gradient.store(7, by_xi * (model.xi.value * model.xi.complement));
    gradient.store(8, by_y0 * model.inverse2 * model.rho);
  }

  /// α ~ N(0, 0.1²), p ~ Beta(10, 2), ρ ~ N(1, 0.1²) above 0, σ ~ half-Cauchy(1), ξ₀ ~ Beta(2, 2), y₀ ~ N(0, 1), with
  /// the Jacobians of the coordinates; its gradient is added.
  template <bool WithGradient, class Real, int W>
  static Pack<Real, W> log_prior(const Model<Real, W>& model, const InterleavedVector<Real, W>& x,
                                 const InterleavedVector<Real, W>& gradient) {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const P one(Real(1)), two(Real(2));
    const P away = model.rho - one, sigma1 = exp(x[5]), sigma2 = exp(x[6]);
    const P variance1 = sigma1 * sigma1, variance2 = sigma2 * sigma2;
    if constexpr (WithGradient) {
      const auto add = [&](int i, P term) { gradient.store(i, gradient[i] + term); };
      add(0, real(-100) * x[0]);
      add(1, real(-100) * x[1]);
      add(2, fma(real(10), model.p1.complement, -two * model.p1.value));
      add(3, fma(real(10), model.p2.complement, -two * model.p2.value));
      add(4, fma(real(-100) * away, model.rho, one));
      add(5, one - two * variance1 / (one + variance1));
      add(6, one - two * variance2 / (one + variance2));
      add(7, two * (model.xi.complement - model.xi.value));
      add(8, -x[8]);
    }
    const P squares = fma(x[8], x[8], real(100) * fma(away, away, fma(x[0], x[0], x[1] * x[1])));
    P value = fma(real(10), model.p1.log_value + model.p2.log_value,
                  two * (model.p1.log_complement + model.p2.log_complement));
    value = value + two * (model.xi.log_value + model.xi.log_complement);
    value = value + (x[4] + x[5] + x[6]) - (log1p(variance1) + log1p(variance2));
    constexpr double log_tenth = -2.302585092994045684, log_110 = 4.7004803657924165, log_6 = 1.7917594692280550,
                     log_two_over_pi = -0.45158270528945486;
    constexpr double constant = -3 * log_tenth - 4 * half_log_two_pi + 2 * log_110 + log_6 + 2 * log_two_over_pi;
    return fma(P(Real(-0.5)), squares, value) + real(constant);
  }

  Numbers y_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
