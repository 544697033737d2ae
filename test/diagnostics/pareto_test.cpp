// Pareto k̂: exact samples of the generalised Pareto distribution, ratios whose tail is known, and what cannot be
// fitted.
#include "breakstep/diagnostics/pareto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace breakstep;
using diagnostics::fit_pareto;
using diagnostics::pareto_k;

/// In (0, 1), the same on every machine.
double uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53; }

std::vector<double> pareto_numbers(double shape, double scale, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = scale * std::expm1(-shape * std::log(uniform(random))) / shape;
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The error of a good estimate of the shape is (1 + shape)/√n (Smith 1987, for shapes above −½); 5 of them fail by
/// chance once in a million.
TEST(Pareto, FindsTheShapeAndScaleOfExactSamples) {
  constexpr std::size_t count = 4000;
  for (const double shape : {-0.3, 0.1, 0.4, 0.7, 1.0, 2.0}) {
    for (const double scale : {0.01, 3.0}) {
      const auto fit = fit_pareto(pareto_numbers(shape, scale, count, 5));
      EXPECT_NEAR(fit.shape, shape, 5 * (1 + std::abs(shape)) / std::sqrt(count)) << shape;
      EXPECT_NEAR(fit.scale / scale, 1, 5 * std::sqrt(2 * (1 + std::abs(shape)) / count)) << shape;
    }
  }
}

/// Ratios U^−k have a Pareto tail of shape k exactly; the tail of n of them has 3·√n.
TEST(Pareto, FindsTheTailOfRatios) {
  constexpr std::size_t count = 100'000;
  for (const double k : {0.3, 0.5, 0.9, 1.5}) {
    std::mt19937_64 random(11);
    std::vector<double> log_ratios(count);
    for (double& r : log_ratios) r = -k * std::log(uniform(random)) - 1234.5;
    EXPECT_NEAR(pareto_k(log_ratios), k, 5 * (1 + k) / std::sqrt(3 * std::sqrt(count))) << k;
  }
}

/// Weights of a normal proposal whose variance is below half the target's have no finite variance: k̂ = 1 − s².
TEST(Pareto, TellsAGoodProposalFromABadOne) {
  const auto k_of = [](double proposal_sd) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<double> log_ratios(20'000);
    for (double& r : log_ratios) {
      const double u = normal(random), x = proposal_sd * u;
      r = -0.5 * x * x + 0.5 * u * u;
    }
    return pareto_k(log_ratios);
  };
  EXPECT_LT(k_of(1.1), 0.5);
  EXPECT_GT(k_of(0.4), 0.7);
}

TEST(Pareto, NumbersThatAreNoneCountAsZero) {
  std::mt19937_64 random(2);
  std::vector<double> good(1000);
  for (double& r : good) r = -0.4 * std::log(uniform(random));
  std::vector<double> with_nan = good, with_zero = good;
  with_nan[3] = std::numeric_limits<double>::quiet_NaN();
  with_zero[3] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(pareto_k(with_nan), pareto_k(with_zero));
}

TEST(Pareto, WhatHasNoTailIsInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pareto_k({}), infinity);
  EXPECT_EQ(pareto_k({1, 2, 3, 4}), infinity);
  EXPECT_EQ(pareto_k(std::vector<double>(1000, -infinity)), infinity);
  EXPECT_EQ(pareto_k(std::vector<double>(1000, 0.5)), -infinity);  // all equal: a perfect proposal
  std::vector<double> one_infinite(1000, 0.0);
  one_infinite[7] = infinity;
  EXPECT_EQ(pareto_k(one_infinite), infinity);
}

}  // namespace
