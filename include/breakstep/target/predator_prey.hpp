// Hares and lynxes: the Lotka–Volterra equations fitted to yearly counts of pelts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/numbers.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// du/dt = (α − β·v)·u, dv/dt = (−γ + δ·u)·v, counts lognormal around the solution with scales σ. Solved by the
/// classical Runge–Kutta method, 20 steps a year; the gradient is the exact derivative of that discrete map.
/// Coordinates are the logarithms of σ (prey, predator), α, β, γ, δ, u₀ and v₀, with Jacobians; all constants are kept.
class PredatorPrey {
 public:
  /// Positive counts of successive years, as many of one as of the other.
  PredatorPrey(const std::vector<double>& prey, const std::vector<double>& predators);
  /// Columns `hare` (prey) and `lynx` (predators), one row a year.
  static PredatorPrey read(const std::string& path);
  static PredatorPrey synthetic(std::uint64_t seed = 4);

  [[nodiscard]] static int dimension() { return 8; }
  [[nodiscard]] static Parameters parameters() {
    return {positive("sigma_prey"), positive("sigma_predator"), positive("alpha"), positive("beta"),
            positive("gamma"),      positive("delta"),          positive("u0"),    positive("v0")};
  }
  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return (static_cast<std::size_t>(years() - 1) * steps_per_year + 1) * 2 * W;
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

 protected:
  static constexpr double least = 1e-6;  // a solution below it counts as that much

  [[nodiscard]] int years() const { return static_cast<int>(log_counts_.size() / 2); }

  /// A state, a derivative with respect to one, or a rate of change: one number for each species.
  template <class Real, int W>
  struct Both {
    Pack<Real, W> prey, predators;
  };
  template <class Real, int W>
  struct Rates {
    Pack<Real, W> alpha, beta, gamma, delta;

    BREAKSTEP_INLINE Both<Real, W> at(const Both<Real, W>& state) const {
      return {fnma(beta, state.predators, alpha) * state.prey, fma(delta, state.prey, -gamma) * state.predators};
    }
    /// `by_rate` is the derivative with respect to at(state): returns that with respect to the state and adds that with
    /// respect to the coefficients to `sums`.
    BREAKSTEP_INLINE Both<Real, W> back(const Both<Real, W>& state, const Both<Real, W>& by_rate, Rates& sums) const {
      const Pack<Real, W> prey = by_rate.prey * state.prey, predators = by_rate.predators * state.predators;
      sums.alpha = sums.alpha + prey;
      sums.beta = fnma(prey, state.predators, sums.beta);
      sums.gamma = sums.gamma - predators;
      sums.delta = fma(predators, state.prey, sums.delta);
      return {fma(by_rate.prey, fnma(beta, state.predators, alpha), delta * predators),
              fma(by_rate.predators, fma(delta, state.prey, -gamma), -(beta * prey))};
    }
  };

  /// log σ ~ N(−1, 1), log u₀ and log v₀ ~ N(log 10, 1), α … δ normal above 0; its gradient is added.
  template <bool WithGradient, class Real, int W>
  static Pack<Real, W> log_prior(const Rates<Real, W>& rates, const InterleavedVector<Real, W>& x,
                                 const InterleavedVector<Real, W>& gradient) {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    constexpr double log_ten = 2.302585092994045684;
    P squares(Real(0)), jacobian(Real(0));
    const auto add = [&](int i, P standard, P slope) {
      squares = fma(standard, standard, squares);
      if constexpr (WithGradient) gradient.store(i, gradient[i] + slope);
    };
    for (int i = 0; i < 2; ++i) add(i, x[i] + real(1), -(x[i] + real(1)));
    const std::array<P, 4> values = {rates.alpha, rates.beta, rates.gamma, rates.delta};
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double mean = i % 2 == 0 ? 1 : 0.05, sd = i % 2 == 0 ? 0.5 : 0.05;
      const P standard = (values[at] - real(mean)) * real(1 / sd);
      add(2 + i, standard, fma(standard * real(-1 / sd), values[at], real(1)));
      jacobian = jacobian + x[2 + i];
    }
    for (int i = 6; i < 8; ++i) add(i, x[i] - real(log_ten), real(log_ten) - x[i]);
    constexpr double log_half = -0.69314718055994530942, log_twentieth = -2.9957322735539909934;
    constexpr double log_cdf_two = -0.023012909328963488, log_cdf_one = -0.17275377902344989;
    constexpr double constant = -8 * half_log_two_pi - 2 * (log_half + log_twentieth) - 2 * (log_cdf_two + log_cdf_one);
    return fma(P(Real(-0.5)), squares, jacobian) + real(constant);
  }

  Numbers log_counts_;  // prey and predators of each year in turn
  double sum_of_log_counts_ = 0;

 private:
  static constexpr int steps_per_year = 20;
  static constexpr double step = 1.0 / steps_per_year;

  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> ahead(const Both<Real, W>& from, double factor, const Both<Real, W>& rate) {
    const Pack<Real, W> h(static_cast<Real>(factor));
    return {fma(h, rate.prey, from.prey), fma(h, rate.predators, from.predators)};
  }

  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> advance(const Rates<Real, W>& f, const Both<Real, W>& y) {
    const auto k1 = f.at(y), k2 = f.at(ahead(y, step / 2, k1)), k3 = f.at(ahead(y, step / 2, k2)),
               k4 = f.at(ahead(y, step, k3));
    return ahead(ahead(ahead(ahead(y, step / 6, k1), step / 3, k2), step / 3, k3), step / 6, k4);
  }

  /// From the derivative with respect to advance(f, y) to that with respect to y.
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> retreat(const Rates<Real, W>& f, const Both<Real, W>& y,
                                                const Both<Real, W>& by_next, Rates<Real, W>& sums) {
    const auto y2 = ahead(y, step / 2, f.at(y)), y3 = ahead(y, step / 2, f.at(y2)), y4 = ahead(y, step, f.at(y3));
    const auto scaled = [&](double factor) {
      const Pack<Real, W> h(static_cast<Real>(factor));
      return Both<Real, W>{h * by_next.prey, h * by_next.predators};
    };
    const auto sixth = scaled(step / 6), third = scaled(step / 3);
    const auto by_y4 = f.back(y4, sixth, sums);
    const auto by_y3 = f.back(y3, ahead(third, step, by_y4), sums);
    const auto by_y2 = f.back(y2, ahead(third, step / 2, by_y3), sums);
    const auto by_y1 = f.back(y, ahead(sixth, step / 2, by_y2), sums);
    return {by_next.prey + ((by_y1.prey + by_y2.prey) + (by_y3.prey + by_y4.prey)),
            by_next.predators + ((by_y1.predators + by_y2.predators) + (by_y3.predators + by_y4.predators))};
  }

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                       Real* workspace) const {
    using P = Pack<Real, W>;
    const P zero(Real(0)), one(Real(1)), floor(static_cast<Real>(least));
    const Rates<Real, W> rates{exp(x[2]), exp(x[3]), exp(x[4]), exp(x[5])};
    const Both<Real, W> precision{exp(P(Real(-2)) * x[0]), exp(P(Real(-2)) * x[1])};
    Both<Real, W> state{exp(x[6]), exp(x[7])}, squares{zero, zero};
    const Real* log_count = log_counts_.as<Real>();
    Real* at = workspace;
    for (int year = 0; year < years(); ++year, log_count += 2) {
      for (int s = 0; year > 0 && s < steps_per_year; ++s) {
        if constexpr (WithGradient) {
          state.prey.store(at);
          state.predators.store(at + W);
          at += 2 * std::ptrdiff_t{W};
        }
        state = advance(rates, state);
      }
      // max with the constant first: NaN stays NaN.
      const P prey = P(log_count[0]) - log(max(floor, state.prey));
      const P predators = P(log_count[1]) - log(max(floor, state.predators));
      squares = {fma(prey, prey, squares.prey), fma(predators, predators, squares.predators)};
    }
    squares = {squares.prey * precision.prey, squares.predators * precision.predators};
    const P count(static_cast<Real>(years()));
    if constexpr (WithGradient) {
      Rates<Real, W> by_rates{zero, zero, zero, zero};
      Both<Real, W> by_state{zero, zero};
      for (int year = years() - 1; year >= 0; --year) {
        log_count -= 2;
        const auto force = [&](P value, Real observed, P weight) {
          const P slope = (P(observed) - log(max(floor, value))) * weight / value;
          return select(value < floor, zero, slope);
        };
        by_state.prey = by_state.prey + force(state.prey, log_count[0], precision.prey);
        by_state.predators = by_state.predators + force(state.predators, log_count[1], precision.predators);
        for (int s = 0; year > 0 && s < steps_per_year; ++s) {
          at -= 2 * std::ptrdiff_t{W};
          state = {P::load(at), P::load(at + W)};
          by_state = retreat(rates, state, by_state, by_rates);
        }
      }
      gradient.store(0, squares.prey - count);
      gradient.store(1, squares.predators - count);
      gradient.store(2, by_rates.alpha * rates.alpha);
      gradient.store(3, by_rates.beta * rates.beta);
      gradient.store(4, by_rates.gamma * rates.gamma);
      gradient.store(5, by_rates.delta * rates.delta);
      gradient.store(6, by_state.prey * state.prey);
      gradient.store(7, by_state.predators * state.predators);
    }
    const P likelihood = fma(P(Real(-0.5)), squares.prey + squares.predators, -(count * (x[0] + x[1]))) -
                         P(static_cast<Real>(sum_of_log_counts_ + 2 * years() * half_log_two_pi));
    return likelihood + log_prior<WithGradient>(rates, x, gradient);
  }
};

/// What the program of the paper computes instead. It keeps the solution's last state only, compares every year with
/// it, and takes that state from an adaptive solver that is given a thousand attempts at a tolerance which they do not
/// reach the last year with. Its gradient holds the lengths of steps constant, hence is not the derivative of its
/// density. Here to repeat the paper's timings.
class PredatorPreyAsCoded : public PredatorPrey {
 public:
  explicit PredatorPreyAsCoded(PredatorPrey fitted);
  static PredatorPreyAsCoded read(const std::string& path) { return PredatorPreyAsCoded(PredatorPrey::read(path)); }
  static PredatorPreyAsCoded synthetic(std::uint64_t seed = 4) {
    return PredatorPreyAsCoded(PredatorPrey::synthetic(seed));
  }

  template <class Real, int W>
  [[nodiscard]] static std::size_t workspace() {
    return 0;
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
  static constexpr int directions = 6;  // the logarithms of α, β, γ, δ, u₀ and v₀
  static constexpr int most_attempts = 1000;

  template <class Number>
  struct State {
    Number prey, predators;
  };

  /// exp(x), as a number that moves in a direction if numbers do.
  template <class Number, class Real, int W>
  static Number positive_number(Pack<Real, W> x, int direction) {
    if constexpr (detail::is_pack<Number>) {
      return exp(x);
    } else {
      return exp(Number::variable(x, direction));
    }
  }

  /// Heun's method with Euler's for comparison, until the last year is over or attempts are.
  template <class Number, class Real, int W>
  [[nodiscard]] State<Number> last_state(const InterleavedVector<Real, W>& x) const {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const P one = real(1), half = real(0.5), infinity(std::numeric_limits<Real>::infinity());
    const auto start = [&](int i) { return positive_number<Number>(x[i], i - 2); };
    const Number alpha = start(2), beta = start(3), gamma = start(4), delta = start(5);
    const auto rates = [&](const State<Number>& y) {
      return State<Number>{(alpha - beta * y.predators) * y.prey, (delta * y.prey - gamma) * y.predators};
    };
    const auto error = [&](P h, const Number& k1, const Number& k2, const Number& from, const Number& to) {
      const P scale = fma(real(1e-6), max(abs(value_of(from)), abs(value_of(to))), real(1e-5));
      const P e = half * h * (value_of(k1) - value_of(k2)) / scale;
      return e * e;
    };
    const P last = real(years());
    // Ends this close to the last year are taken for it.
    const P near = last * (one - real(100) * P(std::numeric_limits<Real>::epsilon()));
    State<Number> y{start(6), start(7)};
    P t = real(0), end = one;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const auto active = t < last;
      if (active.none()) break;
      const P h = end - t;
      const Number whole(h), halved(half * h);
      const auto k1 = rates(y);
      const auto k2 = rates({y.prey + whole * k1.prey, y.predators + whole * k1.predators});
      const State<Number> next{y.prey + halved * (k1.prey + k2.prey),
                               y.predators + halved * (k1.predators + k2.predators)};
      P size = sqrt(half * (error(h, k1.prey, k2.prey, y.prey, next.prey) +
                            error(h, k1.predators, k2.predators, y.predators, next.predators)));
      size = select(size == size, size, infinity);
      const auto accepted = size < one;
      const P factor = real(0.9) / sqrt(size);
      const P grow = min(max(factor, one), real(10)), shrink = min(max(factor, real(0.2)), real(0.9));
      const auto goes = active & accepted;
      y = {select(goes, next.prey, y.prey), select(goes, next.predators, y.predators)};
      t = select(goes, end, t);
      const P wanted = fma(h, select(accepted, grow, shrink), t);
      end = select(wanted > near, select(accepted, last, fma(half, last - t, t)), wanted);
    }
    return y;
  }

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    using Number = std::conditional_t<WithGradient, Dual<Real, W, directions>, P>;
    const P zero(Real(0)), floor(static_cast<Real>(least)), count(static_cast<Real>(years()));
    const auto state = last_state<Number>(x);
    P likelihood = P(static_cast<Real>(-sum_of_log_counts_ - 2 * years() * half_log_two_pi));
    const auto add = [&](int species, const Number& number) {
      const P value = value_of(number), precision = exp(P(Real(-2)) * x[species]);
      const P away = P(static_cast<Real>(mean_[species])) - log(max(floor, value));
      const P squares = count * precision * fma(away, away, P(static_cast<Real>(variance_[species])));
      likelihood = likelihood - fma(P(Real(0.5)), squares, count * x[species]);
      if constexpr (WithGradient) {
        const P force = select(value < floor, zero, count * precision * away / value);
        gradient.store(species, squares - count);
        for (int i = 0; i < directions; ++i) {
          const P before = species == 0 ? zero : gradient[2 + i];
          gradient.store(2 + i, fma(force, number.slope[i], before));
        }
      }
    };
    add(0, state.prey);
    add(1, state.predators);
    const Rates<Real, W> rates{exp(x[2]), exp(x[3]), exp(x[4]), exp(x[5])};
    return likelihood + log_prior<WithGradient>(rates, x, gradient);
  }

  std::array<double, 2> mean_{}, variance_{};  // of the logarithms of counts
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
