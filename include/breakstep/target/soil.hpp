// Carbon in incubated soil (Sierra and Müller 2014): two pools that decay and feed each other.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "breakstep/lanes/math/polynomial.hpp"
#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/differentiated.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// dC₁ = −k₁·C₁ + a₁₂·k₂·C₂, dC₂ = a₂₁·k₁·C₁ − k₂·C₂, C(0) = 7.7·(γ, 1 − γ); the evolved carbon 7.7 − C₁ − C₂ is
/// measured with error σ. k, a ~ N(0, 1) above 0, γ ~ Beta(10, 1), σ ~ half-Cauchy(1). Coordinates log k₁, log k₂,
/// log a₂₁, log a₁₂, logit γ, log σ, with Jacobians; constants are those of the untruncated densities.
class Soil {
 public:
  Soil(std::vector<double> times, std::vector<double> evolved);
  /// Columns `t` (days from the start) and `eco2_mean`.
  static Soil read(const std::string& path);
  static Soil synthetic(std::uint64_t seed = 8);

  [[nodiscard]] const std::vector<double>& times() const { return times_.exact(); }
  [[nodiscard]] const std::vector<double>& evolved() const { return evolved_.exact(); }
  [[nodiscard]] static int dimension() { return 6; }
  [[nodiscard]] static Parameters parameters() {
    return {positive("k1"),  positive("k2"),          positive("a21"),
            positive("a12"), interval("gamma", 0, 1), positive("sigma")};
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
  static constexpr double total = 7.7;

  /// (cosh z − sinh z / z)/z² as a series in z², to the last place of double for z ≤ ½.
  template <class Real, int W>
  static Pack<Real, W> curvature(Pack<Real, W> z2) {
    constexpr Real coefficients[] = {Real(1.0 / 3),     Real(1.0 / 30),      Real(1.0 / 840),
                                     Real(1.0 / 45360), Real(1.0 / 3991680), Real(1.0 / 518918400)};
    return lanes::horner(z2, coefficients);
  }

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const P one(Real(1)), half(Real(0.5)), zero(Real(0));
    const P k1 = exp(x[0]), k2 = exp(x[1]), a21 = exp(x[2]), a12 = exp(x[3]), sigma = exp(x[5]);
    const auto gamma = logistic_and_logs(x[4]);
    // The solution: both pools together are eᵐᵗ·(7.7·cosh(r·t) + S·sinh(r·t)/r).
    const P m = -half * (k1 + k2), difference = half * (k1 - k2), feedback = a12 * a21;
    const P r_squared = fma(difference, difference, feedback * k1 * k2), r = sqrt(r_squared);
    const P from1 = (a21 - one) * k1, from2 = (a12 - one) * k2;  // what the pools give off, with opposite sign
    const P slope = real(total) * (fma(from1, gamma.value, from2 * gamma.complement) - m);
    const P precision = exp(real(-2) * x[5]);
    P squares = zero, by_m = zero, by_r_squared = zero, by_slope = zero;
    const Real* times = times_.as<Real>();
    const Real* evolved = evolved_.as<Real>();
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const P t(times[i]), z = r * t;
      // cosh and sinh through the slower decay and expm1, so that neither overflow nor cancellation enters.
      const P slow = exp((m + r) * t), faded = expm1(real(-2) * z);
      const P even = slow * fma(half, faded, one);
      const P odd = -(slow * faded) / (real(2) * r);
      const P left = fma(slope, odd, real(total) * even);
      const P residual = (P(evolved[i]) - real(total)) + left;
      squares = fma(residual, residual, squares);
      if constexpr (WithGradient) {
        const P force = -(residual * precision);
        const P z2 = z * z;
        const P by_series = exp(m * t) * (t * t * t) * curvature(z2);
        const P direct = (fma(t, even, -odd)) / r_squared;
        const P bend = select(z < half, by_series, direct);
        by_m = fma(force, t * left, by_m);
        by_r_squared = fma(force, half * fma(slope, bend, real(total) * (t * odd)), by_r_squared);
        by_slope = fma(force, odd, by_slope);
      }
    }
    squares = squares * precision;
    const P sigma_squared = sigma * sigma, count(static_cast<Real>(times_.size()));
    if constexpr (WithGradient) {
      const P scaled = real(total) * by_slope, from_m = half * (scaled - by_m);
      const P by_k1 = fma(scaled, (a21 - one) * gamma.value, fma(by_r_squared, fma(feedback, k2, difference), from_m));
      const P by_k2 =
          fma(scaled, (a12 - one) * gamma.complement, fma(by_r_squared, fma(feedback, k1, -difference), from_m));
      const P by_a21 = k1 * fma(scaled, gamma.value, by_r_squared * (a12 * k2));
      const P by_a12 = k2 * fma(scaled, gamma.complement, by_r_squared * (a21 * k1));
      const auto with_prior = [&](P value, P slope_of) { return fma(value, slope_of - value, one); };
      gradient.store(0, with_prior(k1, by_k1));
      gradient.store(1, with_prior(k2, by_k2));
      gradient.store(2, with_prior(a21, by_a21));
      gradient.store(3, with_prior(a12, by_a12));
      const P by_gamma = scaled * (from1 - from2) * (gamma.value * gamma.complement);
      gradient.store(4, fma(real(10), gamma.complement, by_gamma - gamma.value));
      gradient.store(5, squares - count + one - real(2) * sigma_squared / (one + sigma_squared));
    }
    P prior = x[0] + x[1] + x[2] + x[3];
    prior = fma(-half, fma(k1, k1, fma(k2, k2, fma(a21, a21, a12 * a12))), prior);
    prior = prior + fma(real(10), gamma.log_value, gamma.log_complement);
    prior = prior - log1p(sigma_squared);
    constexpr double log_ten = 2.302585092994045684, log_pi = 1.1447298858494001741;
    const double constant =
        log_ten - log_pi - 4 * half_log_two_pi - static_cast<double>(times_.size()) * half_log_two_pi;
    return fma(one - count, x[5], fma(-half, squares, prior)) + real(constant);
  }

  Numbers times_;
  Numbers evolved_;
};

/// What the programs of the paper compute instead: the equations solved by Euler's method with long steps, and a12,
/// a21, γ, k1, k2 and σ themselves as coordinates, without Jacobians, of any sign but for γ in (0, 1). The density is
/// even in σ and infinite at 0. Here to repeat the paper's timings.
class SoilAsCoded {
 public:
  /// Steps of the length between the first two times, with the solution interpolated between them; or one step from
  /// each time to the next.
  enum class Grid { even, times };

  SoilAsCoded(const std::vector<double>& times, std::vector<double> evolved, Grid grid);
  static SoilAsCoded read(const std::string& path, Grid grid);
  static SoilAsCoded synthetic(Grid grid, std::uint64_t seed = 8);

  static constexpr Gradient gradient = Gradient::forward;
  Parameters parameters{real("a12"), real("a21"), real("gamma"), real("k1"), real("k2"), real("sigma")};

  template <class Number>
  [[nodiscard]] Number log_density(const Constrained<Number>& p) const {
    using P = ValueOf<Number>;
    using Real = RealOf<Number>;
    const Number a12 = p.number("a12"), a21 = p.number("a21"), gamma = p.number("gamma"), k1 = p.number("k1"),
                 k2 = p.number("k2"), sigma = p.number("sigma");
    const Number total = constant<Number>(7.7);
    Number c1 = total * gamma, c2 = total * (1 - gamma), squares = constant<Number>(0);
    const Number into1 = a12 * k2, into2 = a21 * k1;
    const Real* evolved = evolved_.as<Real>();
    for (const Step& step : steps_) {
      const Number h = constant<Number>(step.length), old1 = c1, old2 = c2;
      c1 = old1 + h * (into1 * old2 - k1 * old1);
      c2 = old2 + h * (into2 * old1 - k2 * old2);
      for (std::size_t i = step.first; i < step.end; ++i) {
        const Number share = constant<Number>(shares_[i]);
        const Number left = old1 + old2 + share * (c1 + c2 - (old1 + old2));
        squares = squares + square(Number(P(evolved[i])) - (total - left));
      }
    }
    const auto count = static_cast<double>(evolved_.size());
    const Number variance = square(sigma);
    constexpr double log_ten = 2.302585092994045684, log_pi = 1.1447298858494001741;
    const double constants = log_ten - log_pi - (4 + count) * half_log_two_pi;
    const Number result = constant<Number>(constants) - constant<Number>(0.5 * count) * log(variance) -
                          0.5 * squares / variance + 9 * log(gamma) -
                          0.5 * (square(k1) + square(k2) + square(a21) + square(a12)) - log1p(variance);
    const P inside = value_of(gamma);
    return select((inside > P(Real(0))) & (inside < P(Real(1))), result,
                  constant<Number>(-std::numeric_limits<double>::infinity()));
  }

 private:
  /// One of Euler's; the measurements from `first` to before `end` fall into it.
  struct Step {
    double length;
    std::size_t first, end;
  };

  Numbers evolved_;
  std::vector<double> shares_;  ///< of its step that has passed at each measurement
  std::vector<Step> steps_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
