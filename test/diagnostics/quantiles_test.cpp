// Normal and beta quantiles against 20 digits by mpmath, and their special values.
#include <gtest/gtest.h>

#include <cmath>

#include "breakstep/diagnostics/beta_quantile.hpp"
#include "breakstep/diagnostics/normal_quantile.hpp"
#include "recipe.hpp"
#include "references.hpp"

namespace {

using namespace breakstep::diagnostics;
using namespace diagnostics_test;

TEST(NormalQuantile, IsAccurate) {
  for (const auto& [p, x] : diagnostics_test::normal_quantiles) {
    EXPECT_NEAR(normal_quantile(p), x, 1e-15 * std::abs(x)) << p;
  }
}

TEST(NormalQuantile, IsOddAboutOneHalf) {
  for (int i = 1; i < 1024; ++i) EXPECT_EQ(normal_quantile(i / 1024.0), -normal_quantile(1.0 - i / 1024.0));
}

TEST(NormalQuantile, SpecialValues) {
  EXPECT_EQ(normal_quantile(0.0), -infinity);
  EXPECT_EQ(normal_quantile(1.0), infinity);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(1.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(quiet_nan)));
}

TEST(BetaQuantile, IsAccurate) {
  for (const auto& [p, a, b, x] : diagnostics_test::beta_quantiles) {
    EXPECT_NEAR(beta_quantile(p, a, b), x, 2e-15 * x + 1e-16) << p << ' ' << a << ' ' << b;
  }
}

TEST(BetaQuantile, InvertsTheDistribution) {
  for (const double a : {1.0, 1.5, 3.0, 40.0, 1e3, 1e5}) {
    for (const double b : {1.0, 2.5, 17.0, 500.0, 3e6}) {
      for (const double p : {0.01, 0.1586553, 0.5, 0.8413447, 0.99}) {
        const double x = beta_quantile(p, a, b);
        EXPECT_NEAR(beta_distribution(x, a, b), p, 1e-10) << p << ' ' << a << ' ' << b;
        EXPECT_NEAR(beta_distribution(1.0 - x, b, a), 1.0 - p, 1e-9) << p << ' ' << a << ' ' << b;
      }
    }
  }
}

TEST(BetaQuantile, ByHand) {
  EXPECT_EQ(beta_distribution(0.0, 2.0, 3.0), 0.0);
  EXPECT_EQ(beta_distribution(1.0, 2.0, 3.0), 1.0);
  EXPECT_NEAR(beta_distribution(0.3, 1.0, 1.0), 0.3, 1e-15);
  // 1 - (1 - x)³ for shapes 1 and 3, x² (3 - 2x) for 2 and 2.
  EXPECT_NEAR(beta_distribution(0.3, 1.0, 3.0), 1.0 - 0.343, 1e-15);
  EXPECT_NEAR(beta_distribution(0.3, 2.0, 2.0), 0.09 * 2.4, 1e-15);
  EXPECT_TRUE(std::isnan(beta_quantile(quiet_nan, 1.0, 1.0)));
  EXPECT_TRUE(std::isnan(beta_quantile(0.5, quiet_nan, 1.0)));
}

}  // namespace
