// Log densities summed over many observations, each one node of the tape; names as in Stan.
#pragma once

#include <numbers>

#include "breakstep/target/linear.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace detail {

inline constexpr double half_log_two_pi = 0.91893853320467274178;

// What one observation adds to a log density, and its slope in the predictor.

struct BernoulliLogit {
  template <class P>
  BREAKSTEP_INLINE Sloped<P> operator()(P y, P predictor) const {
    const auto parts = logistic_parts(predictor);
    return {fma(y, predictor, -parts.softplus), y - parts.logistic};
  }
};
struct PoissonLog {
  template <class P>
  BREAKSTEP_INLINE Sloped<P> operator()(P y, P predictor) const {
    const P rate = exp(predictor);
    return {fma(y, predictor, -rate), y - rate};
  }
};
template <class P>
struct HalfSquare {
  P inverse_scale;

  BREAKSTEP_INLINE Sloped<P> operator()(P y, P predictor) const {
    const P z = (y - predictor) * inverse_scale;
    return {literal<P>(-0.5) * (z * z), z * inverse_scale};
  }
};

/// A sum of terms and its slopes in the predictors.
template <class Number>
struct TermSum {
  ValueOf<Number> value;
  ValueOf<Number>* slopes;
};

template <class Number, class Term>
TermSum<Number> sum_terms(const DataVector& y, const Vector<Number>& predictors, Term term) {
  using Value = ValueOf<Number>;
  assert(y.size() == predictors.size());
  const auto* data = y.as<RealOf<Number>>();
  const auto* values = values_of(predictors);
  auto* slopes = take_slopes<Number>(y.size());
  OrderedSum<Value> total(y.size());
  for (int i = 0; i < y.size(); ++i) {
    const auto found = term(Value(data[i]), values[i]);
    total.add(i, found.value);
    if constexpr (!is_pack<Number>) slopes[i] = found.slope;
  }
  return {total.total(), slopes};
}

/// The same where the predictors are start + x·b: each tile of rows is used for the values and, while it is at hand,
/// for the gradient, so that the predictors need never be stored.
template <class Number>
struct LinearTermSum {
  ValueOf<Number> value;
  ValueOf<Number> start_slope;
  ValueOf<Number>* slopes;
};

template <class Number, class Term>
LinearTermSum<Number> sum_linear_terms(const DataVector& y, const DataMatrix& x, const Number& start,
                                       const Vector<Number>& b, Term term) {
  using Real = RealOf<Number>;
  using Value = ValueOf<Number>;
  assert(y.size() == x.rows() && b.size() == x.columns());
  const int columns = x.columns();
  const Real* data = x.as<Real>();
  const Real* observed = y.as<Real>();
  const Value* factors = values_of(b);
  const Value first = value_of(start);
  Value* slopes = take_slopes<Number>(columns);
  if constexpr (!is_pack<Number>) std::fill_n(slopes, columns, literal<Value>(0));
  OrderedSum<Value> total(y.size()), start_slope(y.size());
  for_tiles(x.rows(), [&](int i, auto count) {
    constexpr int rows = count();
    const Real* tile = data + static_cast<std::ptrdiff_t>(i) * columns;
    Value predictors[rows], residuals[rows];
    multiply_tile<rows>(tile, columns, factors, first, predictors);
    for (int r = 0; r < rows; ++r) {
      const auto found = term(Value(observed[i + r]), predictors[r]);
      total.add(i + r, found.value);
      residuals[r] = found.slope;
    }
    if constexpr (!is_pack<Number>) {
      for (int r = 0; r < rows; ++r) start_slope.add(i + r, residuals[r]);
      multiply_transposed_tile<rows>(tile, columns, residuals, slopes);
    }
  });
  return {total.total(), start_slope.total(), slopes};
}

template <class Number, class Term>
Number linear_log_density(const DataVector& y, const DataMatrix& x, const Number& start, const Vector<Number>& b,
                          Term term) {
  const auto sum = sum_linear_terms(y, x, start, b, term);
  return reduced<Number>(sum.value, NumberSlope<Number>{start, sum.start_slope}, VectorSlopes<Number>{b, sum.slopes});
}

/// −n·(log σ + ½·log 2π) + squares, and its slope in σ; `squares` is the sum of −z²/2.
template <class P>
Sloped<P> scale_part(P squares, P sigma, int n) {
  const P count = literal<P>(n);
  const P constant = count * (log(sigma) + literal<P>(half_log_two_pi));
  return {squares - constant, (literal<P>(-2) * squares - count) / sigma};
}

}  // namespace detail

/// Σ log Bernoulli(yᵢ; logistic(predictorᵢ)), y of zeros and ones.
template <class Number>
Number bernoulli_logit_lpmf(const DataVector& y, const Vector<Number>& predictors) {
  const auto sum = detail::sum_terms(y, predictors, detail::BernoulliLogit{});
  return detail::reduced<Number>(sum.value, detail::VectorSlopes<Number>{predictors, sum.slopes});
}
/// The same with predictors alpha + x·beta, in one pass over the rows of x.
template <class Number>
Number bernoulli_logit_glm_lpmf(const DataVector& y, const DataMatrix& x, const std::type_identity_t<Number>& alpha,
                                const Vector<Number>& beta) {
  return detail::linear_log_density<Number>(y, x, alpha, beta, detail::BernoulliLogit{});
}

/// Σ log Poisson(yᵢ; exp(predictorᵢ)), without the constant −log yᵢ!.
template <class Number>
Number poisson_log_lpmf(const DataVector& y, const Vector<Number>& predictors) {
  const auto sum = detail::sum_terms(y, predictors, detail::PoissonLog{});
  return detail::reduced<Number>(sum.value, detail::VectorSlopes<Number>{predictors, sum.slopes});
}
/// The same with predictors alpha + x·beta, in one pass over the rows of x.
template <class Number>
Number poisson_log_glm_lpmf(const DataVector& y, const DataMatrix& x, const std::type_identity_t<Number>& alpha,
                            const Vector<Number>& beta) {
  return detail::linear_log_density<Number>(y, x, alpha, beta, detail::PoissonLog{});
}

/// Σ log N(yᵢ; mᵢ, σ²).
template <class Number>
Number normal_lpdf(const DataVector& y, const Vector<Number>& means, const std::type_identity_t<Number>& sigma) {
  using Value = ValueOf<Number>;
  const Value scale = value_of<Number>(sigma);
  const auto sum = detail::sum_terms(y, means, detail::HalfSquare<Value>{detail::literal<Value>(1) / scale});
  const auto whole = detail::scale_part(sum.value, scale, y.size());
  return detail::reduced<Number>(whole.value, detail::VectorSlopes<Number>{means, sum.slopes},
                                 detail::NumberSlope<Number>{sigma, whole.slope});
}
/// The same with one mean for all.
template <class Number>
requires requires { typename detail::Traits<Number>::Real; }
Number normal_lpdf(const DataVector& y, const Number& mean, const std::type_identity_t<Number>& sigma) {
  using Value = ValueOf<Number>;
  const Value scale = value_of<Number>(sigma), center = value_of<Number>(mean);
  const detail::HalfSquare<Value> term{detail::literal<Value>(1) / scale};
  const auto* data = y.as<RealOf<Number>>();
  detail::OrderedSum<Value> total(y.size()), slope(y.size());
  for (int i = 0; i < y.size(); ++i) {
    const auto found = term(Value(data[i]), center);
    total.add(i, found.value);
    slope.add(i, found.slope);
  }
  const auto whole = detail::scale_part(total.total(), scale, y.size());
  return detail::reduced<Number>(whole.value, detail::NumberSlope<Number>{mean, slope.total()},
                                 detail::NumberSlope<Number>{sigma, whole.slope});
}
/// The same with means alpha + x·beta, in one pass over the rows of x.
template <class Number>
Number normal_id_glm_lpdf(const DataVector& y, const DataMatrix& x, const std::type_identity_t<Number>& alpha,
                          const Vector<Number>& beta, const std::type_identity_t<Number>& sigma) {
  using Value = ValueOf<Number>;
  const Value scale = value_of<Number>(sigma);
  const auto sum =
      detail::sum_linear_terms<Number>(y, x, alpha, beta, detail::HalfSquare<Value>{detail::literal<Value>(1) / scale});
  const auto whole = detail::scale_part(sum.value, scale, y.size());
  return detail::reduced<Number>(whole.value, detail::NumberSlope<Number>{alpha, sum.start_slope},
                                 detail::VectorSlopes<Number>{beta, sum.slopes},
                                 detail::NumberSlope<Number>{sigma, whole.slope});
}
/// Σ log N(xᵢ; μ, σ²): a prior of several parameters, or a level of a hierarchy.
template <class Number>
Number normal_lpdf(const Vector<Number>& x, const std::type_identity_t<Number>& mu,
                   const std::type_identity_t<Number>& sigma) {
  using Value = ValueOf<Number>;
  const Value scale = value_of<Number>(sigma), mean = value_of<Number>(mu);
  const detail::HalfSquare<Value> term{detail::literal<Value>(1) / scale};
  const auto* values = values_of(x);
  auto* slopes = detail::take_slopes<Number>(x.size());
  detail::OrderedSum<Value> total(x.size()), slope_total(x.size());
  for (int i = 0; i < x.size(); ++i) {
    const auto found = term(mean, values[i]);
    total.add(i, found.value);
    if constexpr (!detail::is_pack<Number>) {
      slopes[i] = found.slope;
      slope_total.add(i, found.slope);
    }
  }
  const auto whole = detail::scale_part(total.total(), scale, x.size());
  return detail::reduced<Number>(whole.value, detail::VectorSlopes<Number>{x, slopes},
                                 detail::NumberSlope<Number>{mu, -slope_total.total()},
                                 detail::NumberSlope<Number>{sigma, whole.slope});
}
/// log N(x; μ, σ²) of one number.
template <class Number>
Number normal_lpdf(const Number& x, const std::type_identity_t<Number>& mu,
                   const std::type_identity_t<Number>& sigma) requires requires {
  typename detail::Traits<Number>::Real;
}
{
  const Number z = (x - mu) / sigma;
  return constant<Number>(-0.5) * square(z) - log(sigma) - constant<Number>(detail::half_log_two_pi);
}

/// log N(x; μ, L·Lᵀ) for a lower triangular L with positive diagonal, given row by row without the zeros above it
/// (n·(n + 1)/2 numbers). Meant for small n: n² operations, one node.
template <class Number>
Number multi_normal_cholesky_lpdf(const Vector<Number>& x, const Vector<Number>& mu, const Vector<Number>& factor) {
  using Value = ValueOf<Number>;
  const int n = x.size();
  assert(mu.size() == n && factor.size() == n * (n + 1) / 2);
  const auto row = [](int i) { return i * (i + 1) / 2; };
  const auto* l = values_of(factor);
  const auto* position = values_of(x);
  const auto* mean = values_of(mu);
  auto* z = detail::take<Value>(n);
  detail::OrderedSum<Value> squares(n), logs(n);
  for (int i = 0; i < n; ++i) {
    Value rest = position[i] - mean[i];
    for (int k = 0; k < i; ++k) rest = fnma(l[row(i) + k], z[k], rest);
    z[i] = rest / l[row(i) + i];
    squares.add(i, z[i] * z[i]);
    logs.add(i, log(l[row(i) + i]));
  }
  const Value value = fma(squares.total(), detail::literal<Value>(-0.5),
                          -(logs.total() + detail::literal<Value>(n * detail::half_log_two_pi)));
  if constexpr (detail::is_pack<Number>) {
    return value;
  } else {
    // With w = L⁻ᵀ·z: the slopes are −w in x, w in μ, wᵢ·zⱼ − δᵢⱼ/Lᵢᵢ in L.
    auto* w = detail::take<Value>(n);
    auto* minus_w = detail::take<Value>(n);
    auto* factor_slopes = detail::take<Value>(factor.size());
    for (int i = n - 1; i >= 0; --i) {
      Value rest = z[i];
      for (int k = i + 1; k < n; ++k) rest = fnma(l[row(k) + i], w[k], rest);
      w[i] = rest / l[row(i) + i];
      minus_w[i] = -w[i];
      for (int j = 0; j <= i; ++j) factor_slopes[row(i) + j] = w[i] * z[j];
      factor_slopes[row(i) + i] = factor_slopes[row(i) + i] - detail::literal<Value>(1) / l[row(i) + i];
    }
    return detail::reduced<Number>(value, detail::VectorSlopes<Number>{x, minus_w}, detail::VectorSlopes<Number>{mu, w},
                                   detail::VectorSlopes<Number>{factor, factor_slopes});
  }
}

/// log N(x; μ, Σ) for a covariance matrix that depends on parameters (a Gaussian process), given row by row up to the
/// diagonal (n·(n + 1)/2 numbers). NaN if it is not positive definite. Meant for small n: n³ operations, one node.
template <class Number>
Number multi_normal_lpdf(const Vector<Number>& x, const Vector<Number>& mu, const Vector<Number>& covariance) {
  using Value = ValueOf<Number>;
  const int n = x.size();
  assert(mu.size() == n && covariance.size() == n * (n + 1) / 2);
  const auto row = [](int i) { return i * (i + 1) / 2; };
  const auto* sigma = values_of(covariance);
  auto* l = detail::take<Value>(covariance.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      Value rest = sigma[row(i) + j];
      for (int k = 0; k < j; ++k) rest = fnma(l[row(i) + k], l[row(j) + k], rest);
      l[row(i) + j] = i == j ? sqrt(rest) : rest / l[row(j) + j];
    }
  }
  if constexpr (detail::is_pack<Number>) {
    return multi_normal_cholesky_lpdf(x, mu, Vector<Number>(l, covariance.size()));
  } else {
    const auto* position = values_of(x);
    const auto* mean = values_of(mu);
    const Value value = multi_normal_cholesky_lpdf(Vector<Value>(position, n), Vector<Value>(mean, n),
                                                   Vector<Value>(l, covariance.size()));
    // L⁻¹ column by column, in the same triangle; then w = Σ⁻¹·(x − μ), and the slopes are −w in x, w in μ and
    // (w·wᵀ − Σ⁻¹)/2 in Σ, where an element below the diagonal stands for two.
    auto* inverse = detail::take<Value>(covariance.size());
    for (int j = 0; j < n; ++j) {
      inverse[row(j) + j] = detail::literal<Value>(1) / l[row(j) + j];
      for (int i = j + 1; i < n; ++i) {
        Value rest = detail::literal<Value>(0);
        for (int k = j; k < i; ++k) rest = fnma(l[row(i) + k], inverse[row(k) + j], rest);
        inverse[row(i) + j] = rest / l[row(i) + i];
      }
    }
    auto* w = detail::take<Value>(n);
    auto* minus_w = detail::take<Value>(n);
    auto* slopes = detail::take<Value>(covariance.size());
    for (int i = 0; i < n; ++i) w[i] = detail::literal<Value>(0);
    for (int k = 0; k < n; ++k) {
      Value z = detail::literal<Value>(0);
      for (int j = 0; j <= k; ++j) z = fma(inverse[row(k) + j], position[j] - mean[j], z);
      for (int j = 0; j <= k; ++j) w[j] = fma(inverse[row(k) + j], z, w[j]);
    }
    for (int i = 0; i < n; ++i) {
      minus_w[i] = -w[i];
      for (int j = 0; j <= i; ++j) {
        Value slope = w[i] * w[j];
        for (int k = i; k < n; ++k) slope = fnma(inverse[row(k) + i], inverse[row(k) + j], slope);
        slopes[row(i) + j] = i == j ? detail::literal<Value>(0.5) * slope : slope;
      }
    }
    return detail::reduced<Number>(value, detail::VectorSlopes<Number>{x, minus_w}, detail::VectorSlopes<Number>{mu, w},
                                   detail::VectorSlopes<Number>{covariance, slopes});
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
