// Hares and lynxes: the Lotka–Volterra equations fitted to yearly counts of pelts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/numbers.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Yearly counts of prey and predators, and a prior of what may have made them. Coordinates are the logarithms of σ
/// (prey, predator), α, β, γ, δ, u₀ and v₀, with Jacobians; all constants are kept.
class AnimalCounts {
 public:
  /// Positive counts of successive years, as many of one as of the other.
  AnimalCounts(const std::vector<double>& prey, const std::vector<double>& predators);
  /// Columns `hare` (prey) and `lynx` (predators), one row a year.
  static AnimalCounts read(const std::string& path);
  static AnimalCounts synthetic(std::uint64_t seed);

  [[nodiscard]] static int dimension() { return 8; }
  [[nodiscard]] static Parameters parameters() {
    return {positive("sigma_prey"), positive("sigma_predator"), positive("alpha"), positive("beta"),
            positive("gamma"),      positive("delta"),          positive("u0"),    positive("v0")};
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

    [[nodiscard]] BREAKSTEP_INLINE Rates times(double factor) const {
      const Pack<Real, W> h(static_cast<Real>(factor));
      return {h * alpha, h * beta, h * gamma, h * delta};
    }
    /// Growth of each species for each that there is.
    [[nodiscard]] BREAKSTEP_INLINE Both<Real, W> growth(const Both<Real, W>& state) const {
      return {fnma(beta, state.predators, alpha), fma(delta, state.prey, -gamma)};
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
};

/// du/dt = (α − β·v)·u, dv/dt = (−γ + δ·u)·v, counts lognormal around the solution with scales σ. Solved by the
/// classical Runge–Kutta method, 20 steps a year; the gradient is the exact derivative of that discrete map.
class PredatorPrey : public AnimalCounts {
 public:
  explicit PredatorPrey(AnimalCounts counts) : AnimalCounts(std::move(counts)) {}
  static PredatorPrey read(const std::string& path) { return PredatorPrey(AnimalCounts::read(path)); }
  static PredatorPrey synthetic(std::uint64_t seed = 4) { return PredatorPrey(AnimalCounts::synthetic(seed)); }

  template <class Real, int W>
  [[nodiscard]] std::size_t workspace() const {
    return 2 * (static_cast<std::size_t>(years() - 1) * steps_per_year + 1) * 2 * W;
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return evaluate<false, Real, W, 1>({x}, {x}, workspace)[0];
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient,
                                                       Real* workspace) const {
    return evaluate<true, Real, W, 1>({x}, {gradient}, workspace)[0];
  }
  template <class Real, int W>
  [[nodiscard]] TwoPacks<Real, W> log_density_of_two(const TwoVectors<Real, W>& x, Real* workspace) const {
    return evaluate<false, Real, W, 2>(x, x, workspace);
  }
  template <class Real, int W>
  [[nodiscard]] TwoPacks<Real, W> log_density_and_gradient_of_two(const TwoVectors<Real, W>& x,
                                                                  const TwoVectors<Real, W>& gradient,
                                                                  Real* workspace) const {
    return evaluate<true, Real, W, 2>(x, gradient, workspace);
  }

 private:
  static constexpr int steps_per_year = 20;
  static constexpr double step = 1.0 / steps_per_year;

  /// to + growth · of, in each species.
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> grown(const Both<Real, W>& growth, const Both<Real, W>& of,
                                              const Both<Real, W>& to) {
    return {fma(growth.prey, of.prey, to.prey), fma(growth.predators, of.predators, to.predators)};
  }
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> plus(const Both<Real, W>& a, double factor, const Both<Real, W>& b) {
    const Pack<Real, W> f(static_cast<Real>(factor));
    return {fma(f, b.prey, a.prey), fma(f, b.predators, a.predators)};
  }
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> plus(const Both<Real, W>& a, const Both<Real, W>& b) {
    return {a.prey + b.prey, a.predators + b.predators};
  }
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> times(const Both<Real, W>& a, const Both<Real, W>& b) {
    return {a.prey * b.prey, a.predators * b.predators};
  }
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> scaled(double factor, const Both<Real, W>& a) {
    const Pack<Real, W> f(static_cast<Real>(factor));
    return {f * a.prey, f * a.predators};
  }

  /// The coefficients of a step, times the lengths that its stages need. A solver's stages wait for one another, and
  /// with these each of them is two multiply-adds after the one before.
  template <class Real, int W>
  struct Stepper {
    Rates<Real, W> half, whole, sixth;

    BREAKSTEP_INLINE explicit Stepper(const Rates<Real, W>& rates)
        : half(rates.times(step / 2)), whole(rates.times(step)), sixth(rates.times(step / 6)) {}
  };

  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> advance(const Stepper<Real, W>& f, const Both<Real, W>& y) {
    const auto g1 = f.half.growth(y);
    const auto y2 = grown(g1, y, y);
    const auto g2 = f.half.growth(y2);
    const auto y3 = grown(g2, y2, y);
    const auto g3 = f.whole.growth(y3);
    const auto y4 = grown(g3, y3, y);
    const auto three_times = grown(g3, y3, plus(times(g1, y), 2, times(g2, y2)));
    return grown(f.sixth.growth(y4), y4, plus(y, 1.0 / 3, three_times));
  }

  /// From the derivative with respect to advance(f, y) to that with respect to y; adds that with respect to the
  /// coefficients, divided by the step, to `sums`.
  ///
  /// With D_i half a step times the rates at stage i and f' their derivative, the next state is
  ///     y + (D_1 + 2 D_2 + 2 D_3 + D_4) / 3, at stages y, y + D_1, y + D_2 and y + 2 D_3.
  /// So half the derivatives with respect to D_4, …, D_1 are, with l a third of what is given,
  ///     l / 2, c_3 = l + f'(y_4) l, c_2 = l + f'(y_3) c_3 and c_1 = l / 2 + f'(y_2) c_2.
  template <class Real, int W>
  BREAKSTEP_INLINE static Both<Real, W> retreat(const Stepper<Real, W>& f, const Both<Real, W>& y,
                                                const Both<Real, W>& by_next, Rates<Real, W>& sums) {
    const auto g1 = f.half.growth(y);
    const auto y2 = grown(g1, y, y);
    const auto g2 = f.half.growth(y2);
    const auto y3 = grown(g2, y2, y);
    const auto g3 = f.half.growth(y3);
    const auto d3 = times(g3, y3);
    const auto y4 = plus(y, plus(d3, d3));  // additions have units of their own, where multiply-adds are the most
    const auto g4 = f.half.growth(y4);
    const Both<Real, W> l = scaled(1.0 / 3, by_next), half_l = scaled(0.5, l);
    // What flows through a stage, from half the derivatives `c` with respect to its D; its share of the sums is added.
    const auto flow = [&](const Both<Real, W>& c, const Both<Real, W>& state) {
      const auto found = times(c, state);
      sums.alpha = sums.alpha + found.prey;
      sums.beta = fnma(found.prey, state.predators, sums.beta);
      sums.gamma = sums.gamma - found.predators;
      sums.delta = fma(found.predators, state.prey, sums.delta);
      return found;
    };
    // base + f'(state) c, where `through` is c times the state.
    const auto back = [](const Rates<Real, W>& rates, const Both<Real, W>& growth, const Both<Real, W>& c,
                         const Both<Real, W>& through, const Both<Real, W>& base) {
      const auto own = grown(growth, c, base);
      return Both<Real, W>{fma(rates.delta, through.predators, own.prey),
                           fnma(rates.beta, through.prey, own.predators)};
    };
    const auto c3 = back(f.whole, g4, l, flow(half_l, y4), l);  // twice half of l flows
    const auto c2 = back(f.half, g3, c3, flow(c3, y3), l);
    const auto c1 = back(f.half, g2, c2, flow(c2, y2), half_l);
    const auto last = back(f.half, g1, c1, flow(c1, y), plus(c1, c2));
    // by_next + (c3 − l) + 2 (c2 − l) + 2 (c1 − l / 2) + 2 f'(y) c1
    return plus(plus(plus(by_next, -4, l), c3), plus(last, last));
  }

  /// One pack on its way through the years.
  template <class Real, int W>
  struct Journey {
    using P = Pack<Real, W>;

    BREAKSTEP_INLINE explicit Journey(const InterleavedVector<Real, W>& x)
        : rates{exp(x[2]), exp(x[3]), exp(x[4]), exp(x[5])},
          stepper(rates),
          precision{exp(P(Real(-2)) * x[0]), exp(P(Real(-2)) * x[1])},
          state{exp(x[6]), exp(x[7])} {}

    /// log of a count less that of the solution. The constant comes first: NaN stays NaN.
    BREAKSTEP_INLINE static P away(Real log_count, P value) {
      return P(log_count) - log(max(P(static_cast<Real>(least)), value));
    }
    BREAKSTEP_INLINE void compare(const Real* log_count) {
      const P prey = away(log_count[0], state.prey), predators = away(log_count[1], state.predators);
      squares = {fma(prey, prey, squares.prey), fma(predators, predators, squares.predators)};
    }
    BREAKSTEP_INLINE void add_force(const Real* log_count) {
      const auto force = [&](Real observed, P value, P weight) {
        const P slope = away(observed, value) * weight / value;
        return select(value < P(static_cast<Real>(least)), P(Real(0)), slope);
      };
      by_state.prey = by_state.prey + force(log_count[0], state.prey, precision.prey);
      by_state.predators = by_state.predators + force(log_count[1], state.predators, precision.predators);
    }

    Rates<Real, W> rates;
    Stepper<Real, W> stepper;
    Both<Real, W> precision, state;
    Both<Real, W> squares{P(Real(0)), P(Real(0))};
    Both<Real, W> by_state{P(Real(0)), P(Real(0))};
    Rates<Real, W> by_rates{P(Real(0)), P(Real(0)), P(Real(0)), P(Real(0))};  ///< divided by the step
  };

  /// Of one pack, or of two in turns: while the processor waits for a stage of one it works on the other's.
  template <bool WithGradient, class Real, int W, std::size_t Count>
  [[nodiscard]] std::array<Pack<Real, W>, Count> evaluate(const std::array<InterleavedVector<Real, W>, Count>& x,
                                                          const std::array<InterleavedVector<Real, W>, Count>& gradient,
                                                          Real* workspace) const {
    using P = Pack<Real, W>;
    auto journeys = [&]<std::size_t... k>(std::index_sequence<k...>) {
      return std::array<Journey<Real, W>, Count>{Journey<Real, W>(x[k])...};
    }
    (std::make_index_sequence<Count>());
    const Real* log_count = log_counts_.as<Real>();
    Real* at = workspace;
    for (int year = 0; year < years(); ++year, log_count += 2) {
      if (year > 0) at = go_a_year<WithGradient>(journeys, at);
      for (auto& journey : journeys) journey.compare(log_count);
    }
    std::array<P, Count> values;
    const P count(static_cast<Real>(years()));
    for (std::size_t k = 0; k < Count; ++k) {
      auto& [rates, stepper, precision, state, squares, by_state, by_rates] = journeys[k];
      squares = times(squares, precision);
      values[k] = fma(P(Real(-0.5)), squares.prey + squares.predators, -(count * (x[k][0] + x[k][1]))) -
                  P(static_cast<Real>(sum_of_log_counts_ + 2 * years() * half_log_two_pi));
    }
    if constexpr (WithGradient) {
      for (int year = years() - 1; year >= 0; --year) {
        log_count -= 2;
        for (auto& journey : journeys) journey.add_force(log_count);
        if (year > 0) at = return_a_year(journeys, at);
      }
      for (std::size_t k = 0; k < Count; ++k) {
        const auto& [rates, stepper, precision, state, squares, by_state, by_rates] = journeys[k];
        gradient[k].store(0, squares.prey - count);
        gradient[k].store(1, squares.predators - count);
        gradient[k].store(2, by_rates.alpha * stepper.whole.alpha);
        gradient[k].store(3, by_rates.beta * stepper.whole.beta);
        gradient[k].store(4, by_rates.gamma * stepper.whole.gamma);
        gradient[k].store(5, by_rates.delta * stepper.whole.delta);
        gradient[k].store(6, by_state.prey * state.prey);
        gradient[k].store(7, by_state.predators * state.predators);
      }
    }
    for (std::size_t k = 0; k < Count; ++k) {
      values[k] = values[k] + log_prior<WithGradient>(journeys[k].rates, x[k], gradient[k]);
    }
    return values;
  }

  /// A year's steps; the states they begin at are kept for the way back. Returns where the next are to be kept.
  template <bool Keep, class Real, int W, std::size_t Count>
  static Real* go_a_year(std::array<Journey<Real, W>, Count>& journeys, Real* at) {
    std::array<Both<Real, W>, Count> states;
    for (std::size_t k = 0; k < Count; ++k) states[k] = journeys[k].state;
    for (int s = 0; s < steps_per_year; ++s) {
#pragma GCC unroll 2
      for (std::size_t k = 0; k < Count; ++k) {
        if constexpr (Keep) {
          states[k].prey.store(at);
          states[k].predators.store(at + W);
          at += 2 * std::ptrdiff_t{W};
        }
        states[k] = advance(journeys[k].stepper, states[k]);
      }
    }
    for (std::size_t k = 0; k < Count; ++k) journeys[k].state = states[k];
    return at;
  }

  /// The same steps from the last to the first, with the derivatives.
  template <class Real, int W, std::size_t Count>
  static Real* return_a_year(std::array<Journey<Real, W>, Count>& journeys, Real* at) {
    using P = Pack<Real, W>;
    std::array<Both<Real, W>, Count> by_state;
    std::array<Rates<Real, W>, Count> by_rates;
    for (std::size_t k = 0; k < Count; ++k) {
      by_state[k] = journeys[k].by_state;
      by_rates[k] = journeys[k].by_rates;
    }
    for (int s = 0; s < steps_per_year; ++s) {
#pragma GCC unroll 2
      for (std::size_t turn = 0; turn < Count; ++turn) {
        const std::size_t k = Count - 1 - turn;
        at -= 2 * std::ptrdiff_t{W};
        by_state[k] = retreat(journeys[k].stepper, {P::load(at), P::load(at + W)}, by_state[k], by_rates[k]);
      }
    }
    for (std::size_t k = 0; k < Count; ++k) {
      const Real* const first = at + 2 * std::ptrdiff_t{W} * static_cast<std::ptrdiff_t>(k);
      journeys[k].state = {P::load(first), P::load(first + W)};
      journeys[k].by_state = by_state[k];
      journeys[k].by_rates = by_rates[k];
    }
    return at;
  }
};

/// What the program of the paper computes instead. It keeps the solution's last state only, compares every year with
/// it, and takes that state from an adaptive solver that is given a thousand attempts at a tolerance which they do not
/// reach the last year with. Its gradient holds the lengths of steps constant, hence is not the derivative of its
/// density. Here to repeat the paper's timings.
class PredatorPreyAsCoded : public AnimalCounts {
 public:
  explicit PredatorPreyAsCoded(AnimalCounts counts);
  static PredatorPreyAsCoded read(const std::string& path) { return PredatorPreyAsCoded(AnimalCounts::read(path)); }
  static PredatorPreyAsCoded synthetic(std::uint64_t seed = 4) {
    return PredatorPreyAsCoded(AnimalCounts::synthetic(seed));
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
