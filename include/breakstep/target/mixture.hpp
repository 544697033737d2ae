// Mixtures of strongly correlated Gaussians in high dimension: well separated modes in long, thin directions.
#pragma once

#include "breakstep/lanes/math.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Covariance Σ = (1 − ρ)·I + ρ·1·1ᵀ in d dimensions. With m the mean of the coordinates of z and c = 1 − ρ + d·ρ, its
/// quadratic form is Σ(zᵢ − m)²/(1 − ρ) + d·m²/c: a shift of every coordinate changes the second term alone, and
/// neither suffers the cancellation of the textbook formula.
struct EqualCorrelation {
  int size;
  double correlation;

  [[nodiscard]] double within() const { return 1 - correlation; }
  [[nodiscard]] double along() const { return 1 - correlation + size * correlation; }
  [[nodiscard]] double log_determinant() const {
    const Pack<double, 1> narrow = log(Pack<double, 1>(within())), wide = log(Pack<double, 1>(along()));
    return (size - 1) * narrow[0] + wide[0];
  }
};

namespace detail {

/// The mean of the coordinates. Four sums, because one would wait for itself.
template <class Real, int W>
Pack<Real, W> mean_of(const InterleavedVector<Real, W>& x) {
  using P = Pack<Real, W>;
  P sums[4] = {P(Real(0)), P(Real(0)), P(Real(0)), P(Real(0))};
  int i = 0;
  for (; i + 4 <= x.length(); i += 4) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sums[k] = sums[k] + x[i + k];
  }
  for (; i < x.length(); ++i) sums[0] = sums[0] + x[i];
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) / P(static_cast<Real>(x.length()));
}

/// Σ(xᵢ − mean)²; with a gradient asked for, also gradientᵢ = −slope·(xᵢ − mean) − shift.
template <bool WithGradient, class Real, int W>
Pack<Real, W> squares_about(Pack<Real, W> mean, const InterleavedVector<Real, W>& x,
                            const InterleavedVector<Real, W>& gradient, Real slope, Pack<Real, W> shift) {
  using P = Pack<Real, W>;
  P sums[4] = {P(Real(0)), P(Real(0)), P(Real(0)), P(Real(0))};
  const auto add = [&](int i, P& sum) BREAKSTEP_INLINE_LAMBDA {
    const P difference = x[i] - mean;
    sum = fma(difference, difference, sum);
    if constexpr (WithGradient) gradient.store(i, fma(P(-slope), difference, -shift));
  };
  int i = 0;
  for (; i + 4 <= x.length(); i += 4) {
    add(i, sums[0]);
    add(i + 1, sums[1]);
    add(i + 2, sums[2]);
    add(i + 3, sums[3]);
  }
  for (; i < x.length(); ++i) add(i, sums[0]);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace detail

/// N(0, Σ) times the sum of N(10·1, Σ) and N(−10·1, Σ): an equal mixture of N(±5·1, Σ/2). Mean 0, variances 25.5 and
/// covariances 25.495 at ρ = 0.99. Constants without π are kept. With m the mean of the coordinates,
///     log density = −(x − m)ᵀ·Σ⁻¹·(x − m) + along(m) − constant
///     gradient = −2·Σ⁻¹·(x − m) − shift(m)
struct TwoModes {
  explicit TwoModes(int dimension, double correlation)
      : covariance{dimension, correlation},
        constant(centre * centre * dimension / covariance.along() + covariance.log_determinant()) {}

  /// What the mean of the coordinates contributes to the log density and, negative, to every coordinate's derivative.
  template <class P>
  struct OfMean {
    P along, shift;
  };
  template <class Real, int W>
  [[nodiscard]] OfMean<Pack<Real, W>> of(Pack<Real, W> mean) const {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const double along = covariance.along(), d = covariance.size;
    // The exponents of the two modes differ by 4·5·d·m/c; `odds` is the weight of the farther one over the nearer.
    const P odds = exp(real(-4 * centre * d / along) * abs(mean));
    const P balance = copysign((P(Real(1)) - odds) / (P(Real(1)) + odds), mean);
    const P nearer = abs(mean) - real(centre);
    return {fma(real(-d / along), nearer * nearer, log1p(odds)), real(2 / along) * fma(real(-centre), balance, mean)};
  }

  static constexpr double centre = 5;
  EqualCorrelation covariance;
  double constant;
};

class MixtureCode {
 public:
  explicit MixtureCode(int dimension = 100, double correlation = 0.99) : modes_(dimension, correlation) {}

  [[nodiscard]] int dimension() const { return modes_.covariance.size; }

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
    const double within = modes_.covariance.within();
    const P mean = detail::mean_of(x);
    const auto [along, shift] = modes_.of(mean);
    const P squares = detail::squares_about<WithGradient>(mean, x, gradient, static_cast<Real>(2 / within), shift);
    return fma(P(static_cast<Real>(-1 / within)), squares, along) - P(static_cast<Real>(modes_.constant));
  }

  TwoModes modes_;
};

/// The equal mixture of N(−10·1, Σ), N(0, Σ) and N(10·1, Σ). Mean 0, variances 1 + 200/3, covariances ρ + 200/3.
class MixturePaper {
 public:
  explicit MixturePaper(int dimension = 100, double correlation = 0.99) : covariance_{dimension, correlation} {}

  [[nodiscard]] int dimension() const { return covariance_.size; }

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
  static constexpr double centre = 10;

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const double within = covariance_.within(), along = covariance_.along(), d = covariance_.size;
    const P mean = detail::mean_of(x), size = abs(mean);
    const auto exponent = [&](double from) {
      const P distance = size - real(from);
      return real(-0.5 * d / along) * (distance * distance);
    };
    // Seen from the side where the mean is positive: the mode beyond zero is never the nearest.
    const P same = exponent(centre), middle = exponent(0), opposite = exponent(-centre);
    const P greatest = max(same, middle);
    const P same_weight = exp(same - greatest), opposite_weight = exp(opposite - greatest);
    const P total = same_weight + exp(middle - greatest) + opposite_weight;
    const P balance = copysign((same_weight - opposite_weight) / total, mean);
    const P shift = real(1 / along) * fma(real(-centre), balance, mean);
    const P squares = detail::squares_about<WithGradient>(mean, x, gradient, static_cast<Real>(1 / within), shift);
    return fma(real(-0.5 / within), squares, greatest + log(total));
  }

  EqualCorrelation covariance_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
