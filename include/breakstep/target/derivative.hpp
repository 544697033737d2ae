// What differentiation knows of each operation and function, written once for duals and for the tape.
#pragma once

#include <concepts>
#include <limits>
#include <numbers>
#include <type_traits>

#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

using lanes::Pack;
using lanes::Truth;

/// A number that carries derivatives: it has a `value` (a pack), `x.through(y, dy_dx)` and
/// `through(a, b, y, dy_da, dy_db)`, which attach a value to what it was computed from, and `x.shifted(y)`, for a
/// value that differs from x by a constant.
template <class N>
concept Differentiable = requires(const N& x, typename N::Value y) {
  { x.value } -> std::convertible_to<typename N::Value>;
  { x.through(y, y) } -> std::same_as<N>;
  { N::through(x, x, y, y, y) } -> std::same_as<N>;
  { x.shifted(y) } -> std::same_as<N>;
};

/// What arithmetic with an N takes for a constant: a C++ number or a pack.
template <class C, class N>
concept ConstantFor = std::is_arithmetic_v<C> || std::same_as<C, typename N::Value>;

namespace detail {

template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE typename N::Value pack_of(const C& constant) {
  if constexpr (std::is_arithmetic_v<C>) {
    return typename N::Value(static_cast<typename N::Value::Element>(constant));
  } else {
    return constant;
  }
}

/// A function's value and its derivative.
template <class P>
struct Sloped {
  P value;
  P slope;
};
template <class P>
struct SlopedInTwo {
  P value;
  P slope_a;
  P slope_b;
};

template <class P>
BREAKSTEP_INLINE P literal(double value) {
  return P(static_cast<typename P::Element>(value));
}

struct Exp {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const P y = exp(x);
    return {y, y};
  }
};
struct Log {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {log(x), literal<P>(1) / x};
  }
};
struct Log1p {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {log1p(x), literal<P>(1) / (literal<P>(1) + x)};
  }
};
struct Expm1 {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {expm1(x), exp(x)};
  }
};
struct Sin {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const auto both = sincos(x);
    return {both.sin, both.cos};
  }
};
struct Cos {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const auto both = sincos(x);
    return {both.cos, -both.sin};
  }
};
struct Tanh {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const P y = tanh(x);
    return {y, fnma(y, y, literal<P>(1))};
  }
};
struct Sqrt {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const P y = sqrt(x);
    return {y, literal<P>(0.5) / y};
  }
};
struct Square {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {x * x, x + x};
  }
};
struct Abs {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {abs(x), copysign(literal<P>(1), x)};
  }
};
struct Lgamma {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {lgamma(x), digamma(x)};
  }
};
struct Erf {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {erf(x), literal<P>(2 * std::numbers::inv_sqrtpi) * exp(-(x * x))};
  }
};
struct Erfc {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    return {erfc(x), literal<P>(-2 * std::numbers::inv_sqrtpi) * exp(-(x * x))};
  }
};
struct NormalCdf {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    constexpr double density_at_zero = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return {normal_cdf(x), literal<P>(density_at_zero) * exp(literal<P>(-0.5) * (x * x))};
  }
};
struct LogNormalCdf {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const auto both = log_normal_cdf_and_slope(x);
    return {both.value, both.slope};
  }
};
struct Logistic {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const auto parts = logistic_parts(x);
    return {parts.logistic, parts.logistic * parts.complement};
  }
};
struct Softplus {
  template <class P>
  static BREAKSTEP_INLINE Sloped<P> at(P x) {
    const auto parts = logistic_parts(x);
    return {parts.softplus, parts.logistic};
  }
};

struct Pow {
  template <class P>
  static BREAKSTEP_INLINE SlopedInTwo<P> at(P x, P y) {
    const P zero = literal<P>(0), power = pow(x, y);
    // x⁰ is 1 for every x and 0^y is 0 for every y > 0: flat there, where the formulas would say 0·∞.
    const P slope_x = select(y == zero, zero, y * pow(x, y - literal<P>(1)));
    return {power, slope_x, select(power == zero, zero, power * log(x))};
  }
};
struct Logaddexp {
  template <class P>
  static BREAKSTEP_INLINE SlopedInTwo<P> at(P a, P b) {
    // Two equal infinities share the slope, as all equal numbers do.
    const auto parts = logistic_parts(select(a == b, literal<P>(0), a - b));
    return {logaddexp(a, b), parts.logistic, parts.complement};
  }
};

template <class Rule, Differentiable N>
BREAKSTEP_INLINE N apply(const N& x) {
  const auto y = Rule::at(x.value);
  return x.through(y.value, y.slope);
}
template <class Rule, Differentiable N>
BREAKSTEP_INLINE N apply(const N& a, const N& b) {
  const auto y = Rule::at(a.value, b.value);
  return N::through(a, b, y.value, y.slope_a, y.slope_b);
}

}  // namespace detail

template <Differentiable N>
BREAKSTEP_INLINE N operator+(const N& a, const N& b) {
  const auto one = detail::literal<typename N::Value>(1);
  return N::through(a, b, a.value + b.value, one, one);
}
template <Differentiable N>
BREAKSTEP_INLINE N operator-(const N& a, const N& b) {
  return N::through(a, b, a.value - b.value, detail::literal<typename N::Value>(1),
                    detail::literal<typename N::Value>(-1));
}
template <Differentiable N>
BREAKSTEP_INLINE N operator*(const N& a, const N& b) {
  return N::through(a, b, a.value * b.value, b.value, a.value);
}
template <Differentiable N>
BREAKSTEP_INLINE N operator/(const N& a, const N& b) {
  const auto quotient = a.value / b.value;
  const auto reciprocal = detail::literal<typename N::Value>(1) / b.value;
  return N::through(a, b, quotient, reciprocal, -(quotient * reciprocal));
}
template <Differentiable N>
BREAKSTEP_INLINE N operator-(const N& a) {
  return a.through(-a.value, detail::literal<typename N::Value>(-1));
}

template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator+(const N& a, const C& b) {
  return a.shifted(a.value + detail::pack_of<N>(b));
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator+(const C& a, const N& b) {
  return b.shifted(detail::pack_of<N>(a) + b.value);
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator-(const N& a, const C& b) {
  return a.shifted(a.value - detail::pack_of<N>(b));
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator-(const C& a, const N& b) {
  return b.through(detail::pack_of<N>(a) - b.value, detail::literal<typename N::Value>(-1));
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator*(const N& a, const C& b) {
  const auto factor = detail::pack_of<N>(b);
  return a.through(a.value * factor, factor);
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator*(const C& a, const N& b) {
  return b * a;
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator/(const N& a, const C& b) {
  const auto divisor = detail::pack_of<N>(b);
  return a.through(a.value / divisor, detail::literal<typename N::Value>(1) / divisor);
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N operator/(const C& a, const N& b) {
  const auto quotient = detail::pack_of<N>(a) / b.value;
  return b.through(quotient, -(quotient / b.value));
}

template <Differentiable N, class B>
BREAKSTEP_INLINE N& operator+=(N& a, const B& b) {
  return a = a + b;
}
template <Differentiable N, class B>
BREAKSTEP_INLINE N& operator-=(N& a, const B& b) {
  return a = a - b;
}
template <Differentiable N, class B>
BREAKSTEP_INLINE N& operator*=(N& a, const B& b) {
  return a = a * b;
}
template <Differentiable N, class B>
BREAKSTEP_INLINE N& operator/=(N& a, const B& b) {
  return a = a / b;
}

/// a·b + c; the value is rounded once, as for packs.
template <Differentiable N>
BREAKSTEP_INLINE N fma(const N& a, const std::type_identity_t<N>& b, const std::type_identity_t<N>& c) {
  N sum = a * b + c;
  sum.value = fma(a.value, b.value, c.value);
  return sum;
}

namespace detail {

template <Differentiable N, class B>
BREAKSTEP_INLINE typename N::Value comparand(const B& b) {
  if constexpr (std::same_as<B, N>) {
    return b.value;
  } else {
    return pack_of<N>(b);
  }
}
template <class B, class N>
concept ComparableWith = std::same_as<B, N> || ConstantFor<B, N>;

}  // namespace detail

/// Comparisons look at values alone.
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator<(const N& a, const B& b) {
  return a.value < detail::comparand<N>(b);
}
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator<=(const N& a, const B& b) {
  return a.value <= detail::comparand<N>(b);
}
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator>(const N& a, const B& b) {
  return a.value > detail::comparand<N>(b);
}
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator>=(const N& a, const B& b) {
  return a.value >= detail::comparand<N>(b);
}
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator==(const N& a, const B& b) {
  return a.value == detail::comparand<N>(b);
}
template <Differentiable N, detail::ComparableWith<N> B>
BREAKSTEP_INLINE auto operator!=(const N& a, const B& b) {
  return a.value != detail::comparand<N>(b);
}

/// Lane by lane, `a` where `condition` holds and `b` elsewhere; what is not chosen has no part in the derivative, not
/// even where its own is infinite.
template <Differentiable N>
BREAKSTEP_INLINE N select(Truth<sizeof(typename N::Value::Element), N::Value::width> condition, const N& a,
                          const std::type_identity_t<N>& b) {
  return N::chosen(condition, a, b);
}
/// The smaller; `b` if either is NaN.
template <Differentiable N>
BREAKSTEP_INLINE N min(const N& a, const std::type_identity_t<N>& b) {
  return select(a.value < b.value, a, b);
}
/// The larger; `b` if either is NaN.
template <Differentiable N>
BREAKSTEP_INLINE N max(const N& a, const std::type_identity_t<N>& b) {
  return select(a.value > b.value, a, b);
}

template <Differentiable N>
BREAKSTEP_INLINE N exp(const N& x) {
  return detail::apply<detail::Exp>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N log(const N& x) {
  return detail::apply<detail::Log>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N log1p(const N& x) {
  return detail::apply<detail::Log1p>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N expm1(const N& x) {
  return detail::apply<detail::Expm1>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N sin(const N& x) {
  return detail::apply<detail::Sin>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N cos(const N& x) {
  return detail::apply<detail::Cos>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N tanh(const N& x) {
  return detail::apply<detail::Tanh>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N sqrt(const N& x) {
  return detail::apply<detail::Sqrt>(x);
}
/// The slope at zero is that of the sign of the zero.
template <Differentiable N>
BREAKSTEP_INLINE N abs(const N& x) {
  return detail::apply<detail::Abs>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N lgamma(const N& x) {
  return detail::apply<detail::Lgamma>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N erf(const N& x) {
  return detail::apply<detail::Erf>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N erfc(const N& x) {
  return detail::apply<detail::Erfc>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N normal_cdf(const N& x) {
  return detail::apply<detail::NormalCdf>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N pow(const N& x, const N& y) {
  return detail::apply<detail::Pow>(x, y);
}
template <Differentiable N, ConstantFor<N> C>
BREAKSTEP_INLINE N pow(const N& x, const C& y) {
  const auto power = detail::Pow::at(x.value, detail::pack_of<N>(y));
  return x.through(power.value, power.slope_a);
}
template <Differentiable N>
BREAKSTEP_INLINE N logaddexp(const N& a, const N& b) {
  return detail::apply<detail::Logaddexp>(a, b);
}

template <Differentiable N>
BREAKSTEP_INLINE N square(const N& x) {
  return detail::apply<detail::Square>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N log_normal_cdf(const N& x) {
  return detail::apply<detail::LogNormalCdf>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N logistic(const N& x) {
  return detail::apply<detail::Logistic>(x);
}
template <Differentiable N>
BREAKSTEP_INLINE N softplus(const N& x) {
  return detail::apply<detail::Softplus>(x);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
