// Values and gradients of generic functions, on the tape and by duals, for W chains; and one function per coarse node.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "../lanes/every_width.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/target/likelihood.hpp"
#include "breakstep/target/ode.hpp"

namespace target_test {

using namespace breakstep;
using lanes::Pack;
using target::DataMatrix;
using target::DataVector;
using target::Dual;
using target::Tape;
using target::Variable;
using target::Vector;

/// The value, then the gradient.
template <class T, int W>
using Result = std::vector<Pack<T, W>>;

template <class T, int W, class F>
Result<T, W> on_tape(F f, const std::vector<Pack<T, W>>& x) {
  Tape<T, W> tape;
  const int n = static_cast<int>(x.size());
  auto* adjoints = tape.adjoints(n);
  const Variable<T, W> y = f(Vector<Variable<T, W>>(x.data(), adjoints, n));
  if (y.adjoint != nullptr) *y.adjoint = *y.adjoint + Pack<T, W>(T(1));
  tape.propagate();
  Result<T, W> result = {y.value};
  result.insert(result.end(), adjoints, adjoints + n);
  return result;
}

template <class T, int W, class F>
Result<T, W> by_duals(F f, const std::vector<Pack<T, W>>& x) {
  Result<T, W> result(1);
  const int n = static_cast<int>(x.size());
  for (int i = 0; i < n; ++i) {
    using Number = Dual<T, W, 1>;
    const target::ArenaScope scope;
    const Number y = f(target::make_vector<Number>(n, [&](int k) { return Number::variable(x[k], k - i); }));
    result[0] = y.value;
    result.push_back(y.slope[0]);
  }
  return result;
}

template <class T, int W, class F>
Pack<T, W> value(F f, const std::vector<Pack<T, W>>& x) {
  const target::ArenaScope scope;
  return f(Vector<Pack<T, W>>(x.data(), static_cast<int>(x.size())));
}

/// Ordinary positions, another for each lane; lane 0 is the same at every width.
template <class T, int W>
std::vector<Pack<T, W>> positions(int n) {
  std::vector<Pack<T, W>> x(n);
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < n; ++i) x[i].set(lane, static_cast<T>(std::sin(1.7 * i + 0.9 * lane + 0.4)));
  }
  return x;
}

inline const DataMatrix design(11, 3, {0.5,  -1.2, 0.3,  1.1, 0.4,  -0.9, -0.6, 0.8,  1.5, 0.2, -0.3,
                                       -1.1, 0.9,  1.3,  0.1, -0.8, 0.6,  -0.4, 1.0,  0.7, 0.2, -1.4,
                                       -0.2, 0.5,  -0.5, 1.2, 0.9,  0.3,  -0.7, -1.0, 0.8, 0.4, 1.6});
inline const DataVector binary{1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
inline const DataVector counts{0, 3, 1, 2, 0, 5, 1, 1, 4, 2, 0};
inline const DataVector measured{0.3, -1.0, 0.7, 1.9, -0.2, 0.1, 0.8, -1.4, 0.6, 0.0, 1.1};
inline const DataMatrix square_matrix(3, 3, {2.0, 0.3, -0.4, 0.7, 1.5, 0.2, -0.1, 0.6, 3.0});

template <class Number>
Number element(const DataMatrix& a, int i, int j) {
  return target::constant<Number>(a(i, j));
}
/// start + row i of the design · b, with elementary operations.
template <class Number>
Number predictor(int i, const Number& start, const Vector<Number>& b) {
  Number sum = start;
  for (int j = 0; j < design.columns(); ++j) sum = fma(element<Number>(design, i, j), Number(b[j]), sum);
  return sum;
}
template <class Number>
Number normal_term(const Number& y, const Number& mean, const Number& sigma) {
  const Number z = (y - mean) / sigma;
  return target::constant<Number>(-0.5) * z * z - log(sigma) - target::constant<Number>(0.91893853320467274178);
}

/// Predator and prey.
struct LotkaVolterra {
  template <class Number>
  void operator()(double t, std::span<const Number> y, const Vector<Number>& p, std::span<Number> dy) const {
    const Number season = target::constant<Number>(1 + 0.1 * t);
    dy[0] = p[0] * y[0] * season - p[1] * y[0] * y[1];
    dy[1] = p[2] * y[0] * y[1] - y[1];
  }
};
inline constexpr target::Rk4Grid grid{.start = 0.5, .step = 0.1, .steps_per_output = 3, .outputs = 2};

/// Calls check(name, with the coarse node, with elementary operations, dimension).
template <class Check>
void for_every_node(Check check) {
  using target::constant;
  check(
      "sum", [](const auto& x) { return sum(x); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < x.size(); ++i) total = total + x[i];
        return total;
      },
      37);
  check(
      "dot", [](const auto& x) { return dot(x.slice(0, 5), x.slice(3, 5)); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 5; ++i) total = total + x[i] * x[i + 3];
        return total;
      },
      8);
  check(
      "dot with data", [](const auto& x) { return dot(measured, x); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 11; ++i) total = total + constant<N>(measured[i]) * x[i];
        return total;
      },
      11);
  check(
      "log_sum_exp", [](const auto& x) { return log_sum_exp(x); },
      []<class N>(const Vector<N>& x) {
        N total = x[0];
        for (int i = 1; i < x.size(); ++i) total = logaddexp(total, N(x[i]));
        return total;
      },
      9);
  check(
      "exp, log, logistic and softplus of vectors",
      [](const auto& x) { return sum(log(logistic(x))) + dot(exp(x), softplus(x)); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < x.size(); ++i) total = total + log(logistic(x[i])) + exp(x[i]) * softplus(x[i]);
        return total;
      },
      5);
  check(
      "product with a matrix", [](const auto& x) { return sum(exp(multiply_add(x[3], design, x.slice(0, 3)))); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 11; ++i) total = total + exp(predictor<N>(i, x[3], x));
        return total;
      },
      4);
  check(
      "quadratic form", [](const auto& x) { return quadratic_form(square_matrix, x); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) total = total + element<N>(square_matrix, i, j) * x[i] * x[j];
        }
        return total;
      },
      3);
  const auto bernoulli = []<class N>(const Vector<N>& x) {
    N total = constant<N>(0);
    for (int i = 0; i < 11; ++i) {
      const N eta = predictor<N>(i, x[3], x);
      total = total + constant<N>(binary[i]) * eta - softplus(eta);
    }
    return total;
  };
  check(
      "Bernoulli",
      [](const auto& x) { return bernoulli_logit_lpmf(binary, multiply_add(x[3], design, x.slice(0, 3))); }, bernoulli,
      4);
  check(
      "Bernoulli regression",
      [](const auto& x) { return bernoulli_logit_glm_lpmf(binary, design, x[3], x.slice(0, 3)); }, bernoulli, 4);
  const auto poisson = []<class N>(const Vector<N>& x) {
    N total = constant<N>(0);
    for (int i = 0; i < 11; ++i) {
      const N eta = predictor<N>(i, x[3], x);
      total = total + constant<N>(counts[i]) * eta - exp(eta);
    }
    return total;
  };
  check(
      "Poisson", [](const auto& x) { return poisson_log_lpmf(counts, multiply_add(x[3], design, x.slice(0, 3))); },
      poisson, 4);
  check(
      "Poisson regression", [](const auto& x) { return poisson_log_glm_lpmf(counts, design, x[3], x.slice(0, 3)); },
      poisson, 4);
  const auto normal = []<class N>(const Vector<N>& x) {
    N total = constant<N>(0);
    const N sigma = exp(x[4]);
    for (int i = 0; i < 11; ++i) {
      total = total + normal_term<N>(constant<N>(measured[i]), predictor<N>(i, x[3], x), sigma);
    }
    return total;
  };
  check(
      "normal",
      [](const auto& x) { return normal_lpdf(measured, multiply_add(x[3], design, x.slice(0, 3)), exp(x[4])); }, normal,
      5);
  check(
      "normal regression",
      [](const auto& x) { return normal_id_glm_lpdf(measured, design, x[3], x.slice(0, 3), exp(x[4])); }, normal, 5);
  check(
      "normal with one mean", []<class N>(const Vector<N>& x) { return normal_lpdf(measured, N(x[0]), exp(x[1])); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 11; ++i) total = total + normal_term<N>(constant<N>(measured[i]), x[0], exp(x[1]));
        return total;
      },
      2);
  check(
      "normal of parameters", [](const auto& x) { return normal_lpdf(x.slice(0, 5), x[5], exp(x[6])); },
      []<class N>(const Vector<N>& x) {
        N total = constant<N>(0);
        for (int i = 0; i < 5; ++i) total = total + normal_term<N>(x[i], x[5], exp(x[6]));
        return total;
      },
      7);
  check(
      "multivariate normal",
      []<class N>(const Vector<N>& x) {
        const auto factor = target::make_vector<N>(6, [&](int i) {
          const bool diagonal = i == 0 || i == 2 || i == 5;
          return diagonal ? N(exp(x[6 + i])) : N(x[6 + i]);
        });
        return multi_normal_cholesky_lpdf(x.slice(0, 3), x.slice(3, 3), factor);
      },
      []<class N>(const Vector<N>& x) {
        const N a = exp(x[6]), b = x[7], c = exp(x[8]), d = x[9], e = x[10], f = exp(x[11]);
        const N zero = constant<N>(0);
        const N z0 = (x[0] - x[3]) / a;
        const N z1 = (x[1] - x[4] - b * z0) / c;
        const N z2 = (x[2] - x[5] - d * z0 - e * z1) / f;
        return normal_term<N>(z0, zero, constant<N>(1)) + normal_term<N>(z1, zero, constant<N>(1)) +
               normal_term<N>(z2, zero, constant<N>(1)) - log(a) - log(c) - log(f);
      },
      12);
  const auto triangle = []<class N>(const Vector<N>& x) {
    return target::make_vector<N>(6, [&](int i) {
      const bool diagonal = i == 0 || i == 2 || i == 5;
      return diagonal ? N(exp(x[6 + i])) : N(x[6 + i]);
    });
  };
  check(
      "multivariate normal with a covariance",
      [triangle]<class N>(const Vector<N>& x) {
        const auto l = triangle(x);
        const auto covariance = target::make_vector<N>(6, [&](int at) {
          const int i = at < 1 ? 0 : at < 3 ? 1 : 2, j = at - i * (i + 1) / 2;
          N total = constant<N>(0);
          for (int k = 0; k <= j; ++k) total = total + l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
          return total;
        });
        return multi_normal_lpdf(x.slice(0, 3), x.slice(3, 3), covariance);
      },
      [triangle](const auto& x) { return multi_normal_cholesky_lpdf(x.slice(0, 3), x.slice(3, 3), triangle(x)); }, 12);
  check(
      "differential equation",
      []<class N>(const Vector<N>& x) {
        const auto y = solve_rk4(LotkaVolterra{}, exp(x.slice(0, 2)), exp(x.slice(2, 3)), grid);
        return dot(y, y) + y[1];
      },
      []<class N>(const Vector<N>& x) {
        N y[2] = {exp(x[0]), exp(x[1])};
        N scratch[6], squares = constant<N>(0), prey = constant<N>(0);
        const auto p = target::make_vector<N>(3, [&](int i) { return exp(x[2 + i]); });
        for (int s = 0; s < 6; ++s) {
          target::detail::rk4_step<N>(LotkaVolterra{}, grid.start + s * grid.step, grid.step, std::span<N>(y), p,
                                      scratch);
          if (s == 2) prey = y[1];
          if (s == 2 || s == 5) squares = squares + y[0] * y[0] + y[1] * y[1];
        }
        return squares + prey;
      },
      5);
}

}  // namespace target_test
