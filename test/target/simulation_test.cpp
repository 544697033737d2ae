// Simulated data: which targets offer them, prior draws with the moments of the prior, and data that fit the density.
#include "breakstep/target/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "breakstep/registry/target.hpp"
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/gp_regression.hpp"
#include "breakstep/target/logistic_regression.hpp"

namespace {

using namespace breakstep;

TEST(Simulation, FlagsSayWhichTargetsOfferIt) {
  int count = 0;
  for (const auto& entry : registry::targets()) {
    const auto subject = registry::make_target(entry, {.dimension = entry.takes_dimension ? 5 : 0});
    const auto simulated = subject->simulate(1);
    EXPECT_EQ(simulated.has_value(), entry.can_simulate) << entry.name;
    count += simulated ? 1 : 0;
    if (!simulated) continue;
    EXPECT_EQ(simulated->position.size(), static_cast<std::size_t>(subject->dimension())) << entry.name;
    EXPECT_EQ(simulated->target->reported_names(), subject->reported_names()) << entry.name;
    EXPECT_EQ(subject->simulate(1)->position, simulated->position) << entry.name;
    EXPECT_NE(subject->simulate(2)->position, simulated->position) << entry.name;
  }
  EXPECT_GE(count, 5);
}

/// The mean of f(prior draw) over many, in standard errors from what it should be: above 5 once in 1.7 million.
template <class Target, class F>
double z_of_prior(const Target& subject, double truth, F f) {
  target::Synthetic random(5);
  constexpr int draws = 20000;
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = f(target::draw_prior(subject, random));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / draws;
  return std::fabs(mean - truth) / std::sqrt((squares / draws - mean * mean) / draws);
}

TEST(Simulation, PriorDrawsHaveThePriorsMoments) {
  const target::EightSchoolsNoncentred schools;
  EXPECT_LT(z_of_prior(schools, 25, [](const auto& x) { return x[8] * x[8]; }), 5);
  // Half of a half-Cauchy variable's mass lies below its scale, two thirds below √3 of it.
  EXPECT_LT(z_of_prior(schools, 0.5, [](const auto& x) { return x[9] < std::log(5.0) ? 1.0 : 0.0; }), 5);
  EXPECT_LT(z_of_prior(schools, 2.0 / 3, [](const auto& x) { return x[9] < std::log(5 * std::sqrt(3.0)) ? 1.0 : 0.0; }),
            5);
  const auto credit = target::GermanCredit::synthetic(20);
  // Gamma(½, scale 2): mean 1, variance 2.
  EXPECT_LT(z_of_prior(credit, 1, [](const auto& x) { return std::exp(x[50]); }), 5);
  EXPECT_LT(z_of_prior(credit, 3, [](const auto& x) { return std::exp(2 * x[30]); }), 5);
  const auto logistic = target::LogisticRegression::synthetic(10);
  EXPECT_LT(z_of_prior(logistic, 6.25, [](const auto& x) { return x[1] * x[1]; }), 5);
}

/// At the position that data were drawn from, the gradient of their log likelihood has mean 0: in standard errors.
template <class Target>
double z_of_score(const Target& subject, const std::vector<double>& x, int coordinate, double prior_slope) {
  target::Synthetic random(9);
  constexpr int sets = 4000;
  const int d = subject.dimension();
  const auto memory = lanes::aligned_zeros<double>(2 * static_cast<std::size_t>(d));
  const lanes::InterleavedVector<double, 1> at(memory.get(), d), gradient(memory.get() + d, d);
  for (int i = 0; i < d; ++i) at.set(0, i, x[static_cast<std::size_t>(i)]);
  double sum = 0, squares = 0;
  for (int s = 0; s < sets; ++s) {
    const auto simulated = std::make_shared<const Target>(subject.with_simulated_data(x, random));
    const auto density = target::make_density<double, 1>(simulated, target::Asks::gradient);
    const auto workspace = lanes::aligned_zeros<double>(density->workspace());
    density->evaluate(at, gradient, workspace.get());
    const double score = gradient.at(0, coordinate) - prior_slope;
    sum += score;
    squares += score * score;
  }
  const double mean = sum / sets;
  return std::fabs(mean) / std::sqrt((squares / sets - mean * mean) / sets);
}

TEST(Simulation, DataFitTheLikelihood) {
  const auto logistic = target::LogisticRegression::synthetic(12);
  const std::vector<double> weights{0.5, -1, 2, 0.3, -0.7};
  for (int j = 0; j < 5; ++j) EXPECT_LT(z_of_score(logistic, weights, j, -weights[j] / 6.25), 5);
  const auto gp = target::GpRegression::synthetic(8);
  const std::vector<double> logs{-1.2, 0.4, 0.9};
  for (int j = 0; j < 3; ++j) EXPECT_LT(z_of_score(gp, logs, j, -logs[j]), 5);
  // A wrong slope of the prior is noticed: the test can fail.
  EXPECT_GT(z_of_score(logistic, weights, 2, -0.5), 5);
}

}  // namespace
