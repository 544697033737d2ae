// Moments and autocovariances of chains against plain sums, and R-hat and effective sizes worked out by hand.
#include "breakstep/diagnostics/autocovariance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "recipe.hpp"

namespace {

using namespace breakstep::diagnostics;
using Method = Autocovariance::Method;

Autocovariance autocovariance_of(const std::vector<std::vector<double>>& chains, Method method = Method::automatic) {
  Autocovariance result;
  result.start(chains.front().size(), method);
  for (const auto& chain : chains) result.add(chain);
  result.finish();
  return result;
}

std::vector<std::vector<double>> make_chains(std::size_t count, std::size_t length, double phi, double location) {
  const std::vector<double> data = diagnostics_test::make(
      {.seed = count + length, .chains = count, .draws = length, .phi = phi, .shift = 0.1, .location = location});
  std::vector<std::vector<double>> chains;
  for (auto begin = data.begin(); begin != data.end(); begin += static_cast<std::ptrdiff_t>(length)) {
    chains.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  return chains;
}

std::vector<double> plain_sums(const std::vector<std::vector<double>>& chains) {
  const std::size_t length = chains.front().size();
  std::vector<double> result(length);
  for (std::size_t lag = 0; lag < length; ++lag) {
    long double total = 0.0L;
    for (const auto& chain : chains) {
      long double mean = 0.0L;
      for (const double x : chain) mean += x;
      mean /= static_cast<long double>(length);
      for (std::size_t i = 0; i + lag < length; ++i) total += (chain[i] - mean) * (chain[i + lag] - mean);
    }
    result[lag] = static_cast<double>(total / static_cast<long double>(length * chains.size()));
  }
  return result;
}

TEST(Autocovariance, IsThePlainSumByEitherMethod) {
  for (const std::size_t length : {2, 3, 4, 5, 8, 15, 16, 17, 24, 25, 63, 64, 65, 100, 333}) {
    for (const std::size_t count : {1, 2, 3, 8}) {
      for (const double location : {0.0, 1e4}) {
        const auto chains = make_chains(count, length, 0.8, location);
        const std::vector<double> expected = plain_sums(chains);
        for (const Method method : {Method::direct, Method::fourier, Method::automatic}) {
          const Autocovariance actual = autocovariance_of(chains, method);
          ASSERT_EQ(actual.lags().size(), length);
          const double tolerance = 1e-14 * (expected[0] + 10.0 * location);
          for (std::size_t lag = 0; lag < length; ++lag) {
            EXPECT_NEAR(actual.lags()[lag], expected[lag], tolerance)
                << "lag " << lag << " of " << count << " chains of " << length;
          }
        }
      }
    }
  }
}

TEST(Autocovariance, StartForgets) {
  const auto chains = make_chains(3, 40, 0.5, 0.0);
  Autocovariance used;
  for (const std::size_t length : {1000, 10, 40}) {
    used.start(length);
    const auto others = make_chains(5, length, 0.9, 3.0);
    for (const auto& chain : others) used.add(chain);
    used.finish();
  }
  used.start(40);
  for (const auto& chain : chains) used.add(chain);
  used.finish();
  const Autocovariance fresh = autocovariance_of(chains);
  for (std::size_t lag = 0; lag < 40; ++lag) EXPECT_EQ(used.lags()[lag], fresh.lags()[lag]);
  EXPECT_EQ(effective_size(used), effective_size(fresh));
}

TEST(Autocovariance, MomentsByHand) {
  const Autocovariance two = autocovariance_of({{1.0, 3.0}, {5.0, 7.0}});
  EXPECT_EQ(two.moments().chains(), 2);
  EXPECT_EQ(two.moments().range(), 6.0);
  EXPECT_EQ(two.moments().mean_variance(), 1.0);
  EXPECT_EQ(two.moments().variance_of_means(), 8.0);
  // Variances with divisor 1 are 2, so that R-hat is √((2·8 / 2 + 1) / 2).
  EXPECT_DOUBLE_EQ(rhat(two.moments()), std::sqrt(4.5));
}

TEST(Autocovariance, ConstantChainsAreExactlyConstant) {
  const std::vector<double> tenths(37, 0.1), thirds(37, 1.0 / 3.0);
  const Autocovariance equal = autocovariance_of({tenths, tenths, tenths});
  EXPECT_EQ(equal.moments().mean_variance(), 0.0);
  EXPECT_EQ(equal.moments().variance_of_means(), 0.0);
  EXPECT_TRUE(std::isnan(rhat(equal.moments())));
  EXPECT_EQ(effective_size(equal), 111.0);
  const Autocovariance different = autocovariance_of({tenths, thirds});
  EXPECT_EQ(rhat(different.moments()), std::numeric_limits<double>::infinity());
}

TEST(EffectiveSize, ByHand) {
  // Lags 1, ½, 0, -½: correlations with the variance 6/5 in place of 1 are 1, 0.3, -0.2, -0.7. The first pair counts,
  // the second is negative and ends the sum: 6 / (-1 + 2·1.3).
  EXPECT_DOUBLE_EQ(effective_size(autocovariance_of({{-1.0, -1.0, -1.0, 1.0, 1.0, 1.0}})), 3.75);
  // Alternating draws would have a negative time; it is floored at 1 / log10(6).
  EXPECT_DOUBLE_EQ(effective_size(autocovariance_of({{1.0, -1.0, 1.0, -1.0, 1.0, -1.0}})), 6.0 * std::log10(6.0));
}

// What ArviZ does, word for word.
double plain_effective_size(const Autocovariance& from) {
  const auto lags = from.lags();
  const auto n = static_cast<int>(lags.size());
  const double mean_var = lags[0] * n / (n - 1.0);
  double var_plus = mean_var * (n - 1.0) / n;
  if (from.moments().chains() > 1) var_plus += from.moments().variance_of_means();
  std::vector<double> rho(static_cast<std::size_t>(n), 0.0);
  double even = 1.0;
  rho[0] = even;
  double odd = 1.0 - (mean_var - lags[1]) / var_plus;
  rho[1] = odd;
  int t = 1;
  while (t < n - 3 && even + odd > 0.0) {
    even = 1.0 - (mean_var - lags[t + 1]) / var_plus;
    odd = 1.0 - (mean_var - lags[t + 2]) / var_plus;
    if (even + odd >= 0.0) {
      rho[t + 1] = even;
      rho[t + 2] = odd;
    }
    t += 2;
  }
  const int max_t = t - 2;
  if (even > 0.0) rho[max_t + 1] = even;
  for (t = 1; t <= max_t - 2; t += 2) {
    if (rho[t + 1] + rho[t + 2] > rho[t - 1] + rho[t]) {
      rho[t + 1] = (rho[t - 1] + rho[t]) / 2.0;
      rho[t + 2] = rho[t + 1];
    }
  }
  double tau = -1.0;
  for (int i = 0; i <= max_t; ++i) tau += 2.0 * rho[i];
  tau += rho[max_t + 1];
  const auto draws = static_cast<double>(from.moments().chains() * lags.size());
  return draws / std::max(tau, 1.0 / std::log10(draws));
}

TEST(EffectiveSize, IsArvizWordForWord) {
  for (const double phi : {-0.9, -0.3, 0.0, 0.5, 0.9, 1.0}) {
    for (std::size_t length = 2; length < 40; ++length) {
      for (const std::size_t count : {1, 2, 7}) {
        const Autocovariance chains = autocovariance_of(make_chains(count, length, phi, 0.0));
        const double expected = plain_effective_size(chains);
        EXPECT_NEAR(effective_size(chains), expected, 1e-10 * expected) << phi << ' ' << count << " x " << length;
      }
    }
  }
}

}  // namespace
