// Maps from all real numbers to constrained ones, with the logarithms of their Jacobian determinants; as in Stan.
//
// Each adds its log|det J| to `log_jacobian`, so that a density of the constrained numbers becomes one of the
// unconstrained. The formulas avoid differences of nearly equal numbers: nothing is lost near a boundary.
#pragma once

#include <cassert>
#include <numbers>

#include "breakstep/target/numbers.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target::transform {

namespace detail {

using target::detail::literal;
using target::detail::Sloped;

/// bound + direction·e^u.
struct Beyond {
  double bound;
  double direction;

  template <class P>
  BREAKSTEP_INLINE Sloped<P> at(P u) const {
    const P distance = literal<P>(direction) * exp(u);
    return {literal<P>(bound) + distance, distance};
  }
};
/// low + (high − low)·logistic(u), measured from the nearer end.
struct Between {
  double low;
  double high;

  template <class P>
  BREAKSTEP_INLINE Sloped<P> at(P u) const {
    const P range = literal<P>(high - low);
    const auto parts = logistic_parts(u);
    const P from_low = fma(range, parts.logistic, literal<P>(low));
    const P from_high = fnma(range, parts.complement, literal<P>(high));
    return {select(u < literal<P>(0), from_low, from_high), range * (parts.logistic * parts.complement)};
  }
};
struct Affine {
  double offset;
  double multiplier;

  template <class P>
  BREAKSTEP_INLINE Sloped<P> at(P u) const {
    return {fma(literal<P>(multiplier), u, literal<P>(offset)), literal<P>(multiplier)};
  }
};
/// log of a positive constant, the same on every machine.
inline double log_of(double x) { return log(Pack<double, 1>(x))[0]; }

}  // namespace detail

/// All greater than `bound`.
template <class Number>
Vector<Number> lower(const Vector<Number>& u, double bound, Number& log_jacobian) {
  log_jacobian = log_jacobian + sum(u);
  return target::detail::apply_each(u, detail::Beyond{bound, 1});
}
/// All less than `bound`.
template <class Number>
Vector<Number> upper(const Vector<Number>& u, double bound, Number& log_jacobian) {
  log_jacobian = log_jacobian + sum(u);
  return target::detail::apply_each(u, detail::Beyond{bound, -1});
}
template <class Number>
Vector<Number> positive(const Vector<Number>& u, Number& log_jacobian) {
  log_jacobian = log_jacobian + sum(u);
  return exp(u);
}

/// All between `low` and `high`.
template <class Number>
Vector<Number> interval(const Vector<Number>& u, double low, double high, Number& log_jacobian) {
  using Value = ValueOf<Number>;
  const auto* values = values_of(u);
  auto* slopes = target::detail::take_slopes<Number>(u.size());
  target::detail::OrderedSum<Value> total(u.size());
  for (int i = 0; i < u.size(); ++i) {  // log p + log(1 − p) = u − 2·softplus(u)
    const auto parts = logistic_parts(values[i]);
    total.add(i, fma(parts.softplus, detail::literal<Value>(-2), values[i]));
    if constexpr (!target::detail::is_pack<Number>) slopes[i] = parts.complement - parts.logistic;
  }
  const auto range = detail::literal<Value>(u.size() * detail::log_of(high - low));
  log_jacobian = log_jacobian + target::detail::reduced<Number>(total.total() + range,
                                                                target::detail::VectorSlopes<Number>{u, slopes});
  return target::detail::apply_each(u, detail::Between{low, high});
}

/// offset + multiplier·u.
template <class Number>
Vector<Number> affine(const Vector<Number>& u, double offset, double multiplier, Number& log_jacobian) {
  log_jacobian = log_jacobian + constant<Number>(u.size() * detail::log_of(multiplier));
  return target::detail::apply_each(u, detail::Affine{offset, multiplier});
}

/// Increasing: the first is u₀, each next is larger by the exponential of its own.
template <class Number>
Vector<Number> ordered(const Vector<Number>& u, Number& log_jacobian) {
  if (u.size() > 1) log_jacobian = log_jacobian + sum(u.slice(1, u.size() - 1));
  Number last = constant<Number>(0);
  return make_vector<Number>(u.size(), [&](int i) {
    last = i == 0 ? Number(u[0]) : last + exp(u[i]);
    return last;
  });
}

/// One number more than u, positive and adding to one: each takes a share of the stick that is left. Equal shares at
/// u = 0.
template <class Number>
Vector<Number> simplex(const Vector<Number>& u, Number& log_jacobian) {
  const int n = u.size();
  Number stick = constant<Number>(1), log_stick = constant<Number>(0), logs = constant<Number>(0);
  const auto result = make_vector<Number>(n + 1, [&](int i) {
    if (i == n) return stick;
    const Number v = u[i] - constant<Number>(detail::log_of(n - i));
    const Number share = logistic(v) * stick;
    const Number log_rest = -softplus(v);  // the logarithm of what this share leaves
    logs = logs + (v + log_rest + log_rest + log_stick);
    stick = stick * logistic(-v);
    log_stick = log_stick + log_rest;
    return share;
  });
  log_jacobian = log_jacobian + logs;
  return result;
}

/// The lower triangular Cholesky factor of an n × n correlation matrix from n·(n − 1)/2 numbers; row by row without the
/// zeros above the diagonal, as multi_normal_cholesky_lpdf takes it. The Jacobian is that of the elements below the
/// diagonal.
template <class Number>
Vector<Number> cholesky_correlation(const Vector<Number>& u, int n, Number& log_jacobian) {
  assert(u.size() == n * (n - 1) / 2);
  Number logs = constant<Number>(0);
  Number log_rest = constant<Number>(0);  // log(1 − the squares of this row so far)
  int row = 0, column = 0, next = 0;
  const auto result = make_vector<Number>(n * (n + 1) / 2, [&](int) {
    if (column == 0) log_rest = constant<Number>(0);
    if (column == row) {
      ++row;
      column = 0;
      return row == 1 ? constant<Number>(1) : exp(constant<Number>(0.5) * log_rest);
    }
    const Number z = tanh(u[next]);
    const Number twice = u[next] + u[next];
    const Number log_kept = constant<Number>(2 * std::numbers::ln2) - (softplus(twice) + softplus(-twice));
    const Number half_rest = constant<Number>(0.5) * log_rest;
    logs = logs + log_kept + half_rest;
    const Number element = column == 0 ? z : z * exp(half_rest);
    log_rest = log_rest + log_kept;
    ++next;
    ++column;
    return element;
  });
  log_jacobian = log_jacobian + logs;
  return result;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target::transform
