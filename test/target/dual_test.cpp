// Duals: every function's slope against differences, the same bits at every width, what happens at special values.
#include "breakstep/target/dual.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "functions.hpp"

namespace {

using namespace target_test;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Dual, SlopesAgreeWithDifferences) {
  const lanes::FlushToZero scope;
  for_every_function([](const char* name, auto f, const std::vector<double>& points) {
    for (const double x : points) {
      const auto y = f(Dual<double, 1, 2>::variable(x, 1));
      const double expected = slope_by_differences(plain(f), x);
      EXPECT_EQ(y.value[0], plain(f)(x)) << name << " at " << x;
      EXPECT_NEAR(y.slope[1][0], expected, 1e-8 * std::max({1e-3, std::abs(expected), std::abs(y.value[0])}))
          << name << " at " << x;
      EXPECT_EQ(y.slope[0][0], 0.0) << name << " at " << x;
    }
  });
  for_every_function_of_two([](const char* name, auto f, const auto& as, const auto& bs) {
    for (const double a : as) {
      for (const double b : bs) {
        const auto y = f(Dual<double, 1, 2>::variable(a, 0), Dual<double, 1, 2>::variable(b, 1));
        const auto g = plain(f);
        const double da = slope_by_differences([&](double x) { return g(x, b); }, a);
        const double db = slope_by_differences([&](double x) { return g(a, x); }, b);
        EXPECT_EQ(y.value[0], g(a, b)) << name;
        EXPECT_NEAR(y.slope[0][0], da, 1e-8 * std::max(1.0, std::abs(da))) << name << " at " << a << ", " << b;
        EXPECT_NEAR(y.slope[1][0], db, 1e-8 * std::max(1.0, std::abs(db))) << name << " at " << a << ", " << b;
      }
    }
  });
}

/// The bits of f's value and slope in lane `lane` of a pack of W, the other lanes holding other numbers.
template <class T, int W, class F>
auto bits_at(F f, const std::vector<double>& points, std::size_t k, int lane) {
  T numbers[W];
  for (int i = 0; i < W; ++i) numbers[i] = static_cast<T>(points[(k + i + points.size() * W - lane) % points.size()]);
  const auto x = Pack<T, W>::load(numbers);
  const auto y = f(Dual<T, W, 1>::variable(x, 0));
  return std::pair(lanes_test::bits(y.value[lane]), lanes_test::bits(y.slope[0][lane]));
}

template <class T>
void expect_the_same_bits_at_every_width() {
  for_every_function([](const char* name, auto f, const std::vector<double>& points) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto alone = bits_at<T, 1>(f, points, k, 0);
      EXPECT_EQ((bits_at<T, 2>(f, points, k, 1)), alone) << name;
      EXPECT_EQ((bits_at<T, 4>(f, points, k, 2)), alone) << name;
      EXPECT_EQ((bits_at<T, 8>(f, points, k, 7)), alone) << name;
      EXPECT_EQ((bits_at<T, 16>(f, points, k, 9)), alone) << name;
    }
  });
}

TEST(Dual, TheSameBitsAtEveryWidthInFloat) {
  const lanes::FlushToZero scope;
  expect_the_same_bits_at_every_width<float>();
}
TEST(Dual, TheSameBitsAtEveryWidthInDouble) {
  const lanes::FlushToZero scope;
  expect_the_same_bits_at_every_width<double>();
}

double slope_at(auto f, double x) { return f(Dual<double, 1, 1>::variable(x, 0)).slope[0][0]; }

TEST(Dual, SpecialValues) {
  const lanes::FlushToZero scope;
  EXPECT_EQ(slope_at([](auto x) { return exp(x); }, -infinity), 0);
  EXPECT_EQ(slope_at([](auto x) { return log(x); }, 0), infinity);
  EXPECT_EQ(slope_at([](auto x) { return sqrt(x); }, 0), infinity);
  EXPECT_EQ(slope_at([](auto x) { return tanh(x); }, infinity), 0);
  EXPECT_EQ(slope_at([](auto x) { return erf(x); }, -infinity), 0);
  EXPECT_EQ(slope_at([](auto x) { return normal_cdf(x); }, infinity), 0);
  EXPECT_EQ(slope_at([](auto x) { return softplus(x); }, 800), 1);
  EXPECT_EQ(slope_at([](auto x) { return softplus(x); }, -800), 0);
  EXPECT_NEAR(slope_at([](auto x) { return log_normal_cdf(x); }, -100), 100.009998, 1e-6);
  EXPECT_EQ(slope_at([](auto x) { return pow(x, 2.0); }, 0), 0);
  EXPECT_EQ(slope_at([](auto x) { return pow(x, 1.0); }, 0), 1);
  EXPECT_EQ(slope_at([](auto x) { return lgamma(x); }, 0), -infinity);
  EXPECT_EQ(slope_at([](auto x) { return logaddexp(x, x * 0.0 - infinity); }, 3), 1);
  EXPECT_TRUE(std::isnan(slope_at([](auto x) { return log(x) * x; }, std::nan(""))));
  // What is not chosen stays out, even if its slope is infinite.
  EXPECT_EQ(slope_at([](auto x) { return select(x > 0.0, sqrt(x), x * 5.0); }, 0), 5);
}

TEST(Dual, Digamma) {
  const lanes::FlushToZero scope;
  const auto psi = [](double x) { return digamma(Pack<double, 1>(x))[0]; };
  const double gamma = 0.57721566490153286;
  EXPECT_NEAR(psi(1), -gamma, 2e-15);
  EXPECT_NEAR(psi(0.5), -gamma - 2 * std::log(2.0), 4e-15);
  EXPECT_NEAR(psi(10), 2.25175258906672110764, 2e-15);
  EXPECT_NEAR(psi(1.4616321449683623), 0, 2e-15);
  EXPECT_NEAR(psi(1e-8) / -1e8, 1, 1e-7);
  EXPECT_NEAR(psi(1e10), std::log(1e10) - 0.5e-10, 4e-15 * 24);
  EXPECT_EQ(psi(infinity), infinity);
  EXPECT_EQ(psi(0), -infinity);
  EXPECT_TRUE(std::isnan(psi(-0.5)));
  for (double x = 0.01; x < 60; x *= 1.07) {
    EXPECT_NEAR(psi(x + 1), psi(x) + 1 / x, 1e-15 * (4 + 1 / x)) << x;
    const float found = digamma(Pack<float, 1>(static_cast<float>(x)))[0];
    const double expected = psi(static_cast<float>(x));
    EXPECT_NEAR(found, expected, 4.8e-7 * std::max(1.0, std::abs(expected))) << x;
  }
}

}  // namespace
