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

// Vectors here are lanes or rows; sweeps give both the same bits.

template <class V>
using PackOf = Pack<typename V::Real, V::width>;

/// The mean of the coordinates.
template <lanes::AnyVector V>
PackOf<V> mean_of(Mask<V::width> where, const V& x) {
  const auto total = lanes::sweep<1>(
      where, [](auto& sums, auto xi) { sums[0] = sums[0] + xi; }, x);
  return total[0] / PackOf<V>(static_cast<typename V::Real>(x.length()));
}

/// Σ(xᵢ − mean)².
template <lanes::AnyVector V>
PackOf<V> squares_about(Mask<V::width> where, const PackOf<V>& mean, const V& x) {
  return lanes::sweep<1>(
      where,
      [](auto& sums, auto m, auto xi) {
        const auto difference = xi - m;
        sums[0] = fma(difference, difference, sums[0]);
      },
      mean, x)[0];
}

/// The same, and gradientᵢ = −slope·(xᵢ − mean) − shift.
template <lanes::AnyVector V>
PackOf<V> squares_about(Mask<V::width> where, const PackOf<V>& mean, const V& x, const V& gradient,
                        typename V::Real slope, const PackOf<V>& shift) {
  return lanes::sweep<1>(
      where,
      [slope](auto& sums, auto m, auto away, auto xi, auto& g) {
        const auto difference = xi - m;
        sums[0] = fma(difference, difference, sums[0]);
        g = fma(decltype(xi)(-slope), difference, -away);
      },
      mean, shift, x, changing(gradient))[0];
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
    return evaluate<false>(Mask<W>::all_lanes(), x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return evaluate<true>(Mask<W>::all_lanes(), x, gradient);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient_of_rows(Mask<W> where, const Rows<Real, W>& x,
                                                               const Rows<Real, W>& gradient, Real*) const {
    return evaluate<true>(where, x, gradient);
  }

 private:
  template <bool WithGradient, lanes::AnyVector V, int W>
  [[nodiscard]] Pack<typename V::Real, W> evaluate(Mask<W> where, const V& x,
                                                   [[maybe_unused]] const V& gradient) const {
    using Real = typename V::Real;
    using P = Pack<Real, W>;
    const double within = modes_.covariance.within();
    const P mean = detail::mean_of(where, x);
    const auto [along, shift] = modes_.of(mean);
    P squares;
    if constexpr (WithGradient) {
      squares = detail::squares_about(where, mean, x, gradient, static_cast<Real>(2 / within), shift);
    } else {
      squares = detail::squares_about(where, mean, x);
    }
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
    return evaluate<false>(Mask<W>::all_lanes(), x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return evaluate<true>(Mask<W>::all_lanes(), x, gradient);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient_of_rows(Mask<W> where, const Rows<Real, W>& x,
                                                               const Rows<Real, W>& gradient, Real*) const {
    return evaluate<true>(where, x, gradient);
  }

 private:
  static constexpr double centre = 10;

  template <bool WithGradient, lanes::AnyVector V, int W>
  [[nodiscard]] Pack<typename V::Real, W> evaluate(Mask<W> where, const V& x,
                                                   [[maybe_unused]] const V& gradient) const {
    using Real = typename V::Real;
    using P = Pack<Real, W>;
    const auto real = [](double number) { return P(static_cast<Real>(number)); };
    const double within = covariance_.within(), along = covariance_.along(), d = covariance_.size;
    const P mean = detail::mean_of(where, x), size = abs(mean);
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
    P squares;
    if constexpr (WithGradient) {
      squares = detail::squares_about(where, mean, x, gradient, static_cast<Real>(1 / within), shift);
    } else {
      squares = detail::squares_about(where, mean, x);
    }
    return fma(real(-0.5 / within), squares, greatest + log(total));
  }

  EqualCorrelation covariance_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
