// Every function a model can call, with points of its domain: one list for the tests of duals and of the tape.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../lanes/every_width.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/target/dual.hpp"
#include "breakstep/target/numbers.hpp"
#include "breakstep/target/tape.hpp"

namespace target_test {

using namespace breakstep;
using lanes::Pack;
using target::Dual;
using target::Tape;
using target::Variable;

/// Calls check(name, f, points of the domain) for every function of one number.
template <class Check>
void for_every_function(Check check) {
  const std::vector<double> all = {-30, -3.7, -1.5, -0.9, -0.1, -1e-3, 1e-3, 0.2, 0.8, 1.3, 2.9, 17};
  const std::vector<double> positive = {1e-3, 0.1, 0.4, 0.99, 1.0, 1.4616, 2.0, 3.2, 5.9, 6.1, 9.99, 10.01, 47, 900};
  const std::vector<double> above_minus_one = {-0.7, -0.3, -1e-4, 1e-4, 0.3, 4, 200};
  check(
      "exp", [](const auto& x) { return exp(x); }, all);
  check(
      "log", [](const auto& x) { return log(x); }, positive);
  check(
      "log1p", [](const auto& x) { return log1p(x); }, above_minus_one);
  check(
      "expm1", [](const auto& x) { return expm1(x); }, all);
  check(
      "sin", [](const auto& x) { return sin(x); }, all);
  check(
      "cos", [](const auto& x) { return cos(x); }, all);
  check(
      "tanh", [](const auto& x) { return tanh(x); }, all);
  check(
      "sqrt", [](const auto& x) { return sqrt(x); }, positive);
  check(
      "square", [](const auto& x) { return square(x); }, all);
  check(
      "abs", [](const auto& x) { return abs(x); }, all);
  check(
      "lgamma", [](const auto& x) { return lgamma(x); }, positive);
  check(
      "erf", [](const auto& x) { return erf(x); }, all);
  check(
      "erfc", [](const auto& x) { return erfc(x); }, all);
  check(
      "normal_cdf", [](const auto& x) { return normal_cdf(x); }, all);
  check(
      "log_normal_cdf", [](const auto& x) { return log_normal_cdf(x); }, all);
  check(
      "logistic", [](const auto& x) { return logistic(x); }, all);
  check(
      "softplus", [](const auto& x) { return softplus(x); }, all);
  check(
      "pow 2.5", [](const auto& x) { return pow(x, 2.5); }, positive);
  check(
      "pow -2", [](const auto& x) { return pow(x, -2.0); }, all);
  check(
      "negation", [](const auto& x) { return -x; }, all);
  check(
      "with constants", [](const auto& x) { return (2.0 - x) * 3.0 + 1.0 / (x * x + 1.0) - (4.0 + x) / 7.0; }, all);
  check(
      "assignments",
      [](const auto& x) {
        auto y = x;
        y += x * 2.0;
        y -= 1.0;
        y *= x;
        y /= x + 40.0;
        return y;
      },
      all);
}

/// The same for functions of two numbers and pairs of points.
template <class Check>
void for_every_function_of_two(Check check) {
  const std::vector<double> a = {-3.1, -0.4, 0.3, 1.0, 2.2, 9.5};
  const std::vector<double> positive = {0.2, 0.9, 1.0, 1.7, 6.3};
  check(
      "sum", [](const auto& x, const auto& y) { return x + y; }, a, a);
  check(
      "difference", [](const auto& x, const auto& y) { return x - y; }, a, a);
  check(
      "product", [](const auto& x, const auto& y) { return x * y; }, a, a);
  check(
      "quotient", [](const auto& x, const auto& y) { return x / y; }, a, a);
  check(
      "fma", [](const auto& x, const auto& y) { return fma(x, y, x); }, a, a);
  check(
      "pow", [](const auto& x, const auto& y) { return pow(x, y); }, positive, a);
  check(
      "logaddexp", [](const auto& x, const auto& y) { return logaddexp(x, y); }, a, a);
  check(
      "min", [](const auto& x, const auto& y) { return min(x, y + 0.05); }, a, a);
  check(
      "max", [](const auto& x, const auto& y) { return max(x, y + 0.05); }, a, a);
  check(
      "select", [](const auto& x, const auto& y) { return select(x < y + 0.05, x * y, x - y); }, a, a);
}

/// The derivative of f at x by Richardson's extrapolation of central differences.
template <class F>
double slope_by_differences(F f, double x) {
  const double h = 1e-3 * std::max(1e-2, std::min(std::abs(x), 1.0));
  const auto central = [&](double step) { return (f(x + step) - f(x - step)) / (2 * step); };
  return (4 * central(h / 2) - central(h)) / 3;
}

/// f of one double, computed with a pack of one.
template <class F>
auto plain(F f) {
  return [f](auto... x) { return f(Pack<double, 1>(x)...)[0]; };
}

}  // namespace target_test
