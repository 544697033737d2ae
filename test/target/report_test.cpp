// Reports: parameters on their own scale, generated quantities, and the log likelihoods of single observations.
#include "breakstep/target/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "breakstep/registry/target.hpp"
#include "breakstep/target/differentiated.hpp"
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/logistic_regression.hpp"
#include "breakstep/target/pilots.hpp"

namespace {

using namespace breakstep;
using Names = std::vector<std::string>;

constexpr double log_root_two_pi = 0.91893853320467274178;

std::vector<double> some_position(int dimension) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(dimension));
  for (int i = 0; i < dimension; ++i) x.push_back(0.8 * std::sin(1.7 * i + 0.4));
  return x;
}

template <class Target>
std::vector<double> report_of(const Target& subject, const std::vector<double>& x) {
  const target::Report report(subject);
  std::vector<double> values(report.names().size());
  report.write(x.data(), values.data());
  return values;
}

template <class Target>
std::vector<double> log_likelihood_of(const Target& subject, const std::vector<double>& x) {
  std::vector<double> values(static_cast<std::size_t>(subject.observations()));
  target::Report(subject).write_log_likelihood(x.data(), values.data());
  return values;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double normal_log_density(double x, double mean, double sd) {
  return -0.5 * (x - mean) * (x - mean) / (sd * sd) - std::log(sd) - log_root_two_pi;
}

template <class Target>
double log_density_at(const Target& subject, std::vector<double> x) {
  const auto density = target::make_density<double, 1>(std::make_shared<const Target>(subject), target::Asks::density);
  std::vector<double> workspace(density->workspace() + 16);
  return density->evaluate(lanes::InterleavedVector<double, 1>(x.data(), density->dimension()), workspace.data())[0];
}

/// More numbers than coordinates: a simplex, a Cholesky factor and a generated quantity.
struct Shares {
  target::Parameters parameters{target::positive("sigma"), target::simplex("share", 3),
                                target::cholesky_correlation("L", 2)};
  static target::Parameters generated_quantities() { return {target::real("largest")}; }
  static void generate(const double* values, double* out) { *out = *std::max_element(values + 1, values + 4); }
  template <class Number>
  Number log_density(const target::Constrained<Number>& p) const {
    return -p.number("sigma");
  }
};

TEST(Report, OfAModelMayBeLongerThanItsDraws) {
  const Shares model;
  const target::Report report(model);
  EXPECT_EQ(report.names(),
            (Names{"sigma", "share[0]", "share[1]", "share[2]", "L[0,0]", "L[1,0]", "L[1,1]", "largest"}));
  EXPECT_EQ(report.coordinate_names(),
            (Names{"log_sigma", "unconstrained_share[0]", "unconstrained_share[1]", "unconstrained_L[0]"}));
  EXPECT_FALSE(report.is_draw());
  const auto values = report.of(std::vector<double>{0, 0, 0, 0, 1, 40, 0, 0.5});
  ASSERT_EQ(values.size(), 16U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(values[i], 1.0 / 3, 1e-15);
  EXPECT_EQ(values[0], 1);
  EXPECT_NEAR(values[7], 1.0 / 3, 1e-15);
  EXPECT_NEAR(values[8], std::exp(1.0), 1e-15);
  EXPECT_NEAR(values[13], std::tanh(0.5), 1e-15);
  EXPECT_EQ(values[15], values[9]) << "nearly all of the stick goes to the first share";
  const auto singles = report.of(std::vector<float>{1, 40, 0, 0.5F});
  EXPECT_EQ(singles[0], static_cast<float>(values[8])) << "computed in double, rounded once";
}

TEST(Report, OfAPlainTargetIsItsDraw) {
  struct Plain {
    static int dimension() { return 2; }
  };
  const Plain plain;
  const target::Report report(plain);
  EXPECT_TRUE(report.is_draw());
  EXPECT_EQ(report.names(), (Names{"x[0]", "x[1]"}));
  EXPECT_EQ(report.coordinate_names(), report.names());
}

/// Whatever a target calls "log_a" it must report as a = exp(log_a), and likewise between bounds.
TEST(Report, OfEveryTargetUndoesItsTransforms) {
  int logarithms = 0, logits = 0;
  for (const auto& entry : registry::targets()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto subject = registry::make_target(entry, {});
    const auto coordinates = subject->coordinate_names(), names = subject->reported_names();
    const auto x = some_position(subject->dimension());
    std::vector<double> values(names.size());
    subject->report(x.data(), values.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_log = coordinates[i].starts_with("log_"), is_logit = coordinates[i].starts_with("logit_");
      const std::string name = coordinates[i].substr(is_log ? 4 : is_logit ? 6 : 0);
      const auto at = std::find(names.begin(), names.end(), name);
      ASSERT_NE(at, names.end()) << name;
      const double value = values[static_cast<std::size_t>(at - names.begin())];
      const double share = 1 / (1 + std::exp(-x[i])), bound = value > 1 ? 100 : 1;
      EXPECT_NEAR(value, is_log ? std::exp(x[i]) : is_logit ? bound * share : x[i], 1e-12);
      logarithms += is_log ? 1 : 0;
      logits += is_logit ? 1 : 0;
    }
    EXPECT_EQ(subject->reports_draws(), names == coordinates);
  }
  EXPECT_GT(logarithms, 40);
  EXPECT_GT(logits, 6);
}

TEST(Report, EightSchools) {
  const auto x = some_position(10);
  const auto values = report_of(target::EightSchoolsNoncentred(), x);
  const double mu = x[8], tau = std::exp(x[9]);
  EXPECT_NEAR(values[9], tau, 1e-14);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(values[10 + i], mu + tau * x[i], 1e-14);
  EXPECT_NEAR(log_likelihood_of(target::EightSchoolsNoncentred(), x)[2], normal_log_density(-3, mu + tau * x[2], 16),
              1e-13);
  EXPECT_NEAR(log_likelihood_of(target::EightSchools(), x)[7], normal_log_density(12, x[7], 18), 1e-13);
  const target::EightSchools two({1, 2}, {3, 4});
  EXPECT_EQ(two.dimension(), 4);
  EXPECT_NEAR(log_likelihood_of(two, {0.5, 0, 0, 0})[1], normal_log_density(2, 0, 4), 1e-13);
  EXPECT_THROW(target::EightSchools({1, 2}, {3}), Error);
}

TEST(Report, LogLikelihoodsOfLogisticRegressionAddUp) {
  const auto subject = target::LogisticRegression::synthetic(21);  // two tiles of rows and five more
  auto x = some_position(subject.dimension());
  const double all =
      subject.log_likelihood<double, 1>(lanes::InterleavedVector<double, 1>(x.data(), subject.dimension()), nullptr)[0];
  EXPECT_NEAR(sum(log_likelihood_of(subject, x)), all, 1e-13 * std::fabs(all));
}

TEST(Report, LogLikelihoodsOfGermanCreditAddUpToTheDensityWithThePrior) {
  const auto subject = target::GermanCredit::synthetic(21);
  const auto x = some_position(subject.dimension());
  const int count = (subject.dimension() - 1) / 2;
  double log_prior = 0;
  for (int i = 0; i < subject.dimension(); ++i) {
    const double u = x[static_cast<std::size_t>(i)];
    // λ and τ have the density of Gamma(½, scale 2), times the Jacobian of their logarithm.
    log_prior +=
        i < count ? normal_log_density(u, 0, 1) : 0.5 * u - 0.5 * std::exp(u) - 0.5 * std::log(2.0) - std::lgamma(0.5);
  }
  const double density = log_density_at(subject, x);
  EXPECT_NEAR(sum(log_likelihood_of(subject, x)) + log_prior, density, 1e-12 * std::fabs(density));
  const auto values = report_of(subject, x);
  EXPECT_NEAR(values[static_cast<std::size_t>(2 * count + 1 + 3)],
              std::exp(x.back()) * std::exp(x[static_cast<std::size_t>(count + 3)]) * x[3], 1e-14);
}

TEST(Report, Pilots) {
  const target::Pilots subject({0, 1, 1}, {0, 0, 2}, {0.1, 0.2, 0.3});
  const std::vector<double> x = {1, 2, 4, 5, 9, 0, 0, 0.3, -0.2, -1};
  const auto values = report_of(subject, x);
  const std::vector<double> generated(values.begin() + 10, values.end());
  EXPECT_EQ(generated, (std::vector<double>{7.5, -0.5, 0.5, -2, -1, 3}));
  const double sigma = 100 / (1 + std::exp(1.0));
  EXPECT_NEAR(values[9], sigma, 1e-12);
  EXPECT_NEAR(log_likelihood_of(subject, x)[2], normal_log_density(0.3, 2 + 9, sigma), 1e-13);
}

}  // namespace
