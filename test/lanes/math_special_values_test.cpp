// What each function returns at zeros, infinities, NaN, subnormals and the ends of its domain, exactly.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/rough_expm1.hpp"
#include "breakstep/lanes/math/special.hpp"
#include "breakstep/lanes/math/trigonometric.hpp"

namespace breakstep::test {
namespace {

using lanes::Pack;

template <class T>
struct Special {
  using Limits = std::numeric_limits<T>;
  static constexpr T inf = Limits::infinity();
  static constexpr T nan = Limits::quiet_NaN();
  static constexpr T most = Limits::max();
  static constexpr T least = Limits::min();  // the smallest normal number
  static constexpr T subnormal = Limits::denorm_min();
  static constexpr T nearly_normal = Limits::min() - Limits::denorm_min();
  static constexpr T epsilon = Limits::epsilon();
};

template <class T>
struct Value {
  T x;
  T expected;
};
template <class T>
struct PairValue {
  T x;
  T y;
  T expected;
};

/// Bits, so that −0 is not +0; any NaN equals any other.
template <class T>
bool is_same(T a, T b) {
  using U = lanes::Unsigned<sizeof(T)>;
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<U>(a) == std::bit_cast<U>(b);
}

/// Apart from the loops and messages around it, which would double the time to compile under sanitizers.
template <class F, class... Packs>
[[gnu::noinline]] auto call(F f, Packs... packs) {
  return f(packs...);
}

/// Each value in lane `place` of a pack whose other lanes hold 0.5.
template <int W, class T, class F>
void expect_values_at(const std::vector<Value<T>>& values, const char* name, F f) {
  const lanes::FlushToZero mode;
  for (const Value<T>& value : values) {
    for (int place = 0; place < W; ++place) {
      Pack<T, W> x = T(0.5);
      x.set(place, value.x);
      const T got = call(f, x)[place];
      EXPECT_TRUE(is_same(got, value.expected))
          << name << "(" << value.x << ") of " << sizeof(T) << " bytes, lane " << place << " of " << W << ": " << got
          << " instead of " << value.expected;
    }
  }
}

template <class T, class F>
void expect_values(const std::vector<Value<T>>& values, const char* name, F f) {
  expect_values_at<1>(values, name, f);
  expect_values_at<8>(values, name, f);
}

template <class T>
class SpecialValues : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SpecialValues, Reals);

TYPED_TEST(SpecialValues, Exp) {
  using T = TypeParam;
  using S = Special<T>;
  const T last = std::is_same_v<T, float> ? T(0x1.62e42ep6) : T(0x1.62e42fefa39efp9);
  const T first = std::is_same_v<T, float> ? T(-0x1.5d589ep6) : T(-0x1.6232bdd7abcd2p9);
  const auto f = [](auto x) { return exp(x); };
  expect_values<T>({{T(0), T(1)},
                    {T(-0.0), T(1)},
                    {S::subnormal, T(1)},
                    {-S::nearly_normal, T(1)},
                    {S::least, T(1)},
                    {-S::least, T(1)},
                    {std::nextafter(last, S::inf), S::inf},
                    {std::nextafter(first, -S::inf), T(0)},
                    {T(1000), S::inf},
                    {T(-1000), T(0)},
                    {S::most, S::inf},
                    {-S::most, T(0)},
                    {S::inf, S::inf},
                    {-S::inf, T(0)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "exp", f);
  const lanes::FlushToZero mode;
  EXPECT_LT(f(Pack<T, 4>(last))[1], S::inf);
  EXPECT_GT(f(Pack<T, 4>(last))[1], S::most * T(0.999));
  EXPECT_GE(f(Pack<T, 4>(first))[1], S::least);
  for (const T x : {first, T(-1), T(-0.0), T(0), T(1), last}) {
    EXPECT_TRUE(has_normal_exp(Pack<T, 4>(x)).all()) << x;
    EXPECT_TRUE(is_same(exp_if_normal(Pack<T, 4>(x))[1], f(Pack<T, 4>(x))[1])) << x;
  }
  for (const T x : {-S::inf, std::nextafter(first, -S::inf), std::nextafter(last, S::inf), S::inf, S::nan}) {
    EXPECT_TRUE(has_normal_exp(Pack<T, 4>(x)).none()) << x;
  }
}

TYPED_TEST(SpecialValues, Log) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(1), T(0)},
                    {T(0), -S::inf},
                    {T(-0.0), -S::inf},
                    {S::subnormal, -S::inf},
                    {-S::subnormal, -S::inf},
                    {S::nearly_normal, -S::inf},
                    {-S::least, S::nan},
                    {T(-1), S::nan},
                    {-S::most, S::nan},
                    {-S::inf, S::nan},
                    {S::inf, S::inf},
                    {S::nan, S::nan},
                    {-S::nan, S::nan},
                    {S::least, std::log(S::least)},
                    {S::most, std::log(S::most)}},
                   "log", [](auto x) { return log(x); });
}

TYPED_TEST(SpecialValues, Log1p) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(-0.0)},
                    {S::subnormal, T(0)},
                    {-S::subnormal, T(-0.0)},
                    {S::nearly_normal, T(0)},
                    {-S::nearly_normal, T(-0.0)},
                    {S::least, S::least},
                    {-S::least, -S::least},
                    {S::epsilon / 16, S::epsilon / 16},
                    {-S::epsilon / 16, -S::epsilon / 16},
                    {T(-1), -S::inf},
                    {std::nextafter(T(-1), -S::inf), S::nan},
                    {T(-2), S::nan},
                    {-S::most, S::nan},
                    {-S::inf, S::nan},
                    {S::inf, S::inf},
                    {S::nan, S::nan},
                    {-S::nan, S::nan},
                    {S::most, std::log(S::most)}},
                   "log1p", [](auto x) { return log1p(x); });
}

TYPED_TEST(SpecialValues, Expm1) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(-0.0)},
                    {S::subnormal, T(0)},
                    {-S::subnormal, T(-0.0)},
                    {S::nearly_normal, T(0)},
                    {-S::nearly_normal, T(-0.0)},
                    {S::least, S::least},
                    {-S::least, -S::least},
                    {S::epsilon / 16, S::epsilon / 16},
                    {T(-100), T(-1)},
                    {-S::most, T(-1)},
                    {-S::inf, T(-1)},
                    {T(800), S::inf},
                    {S::most, S::inf},
                    {S::inf, S::inf},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "expm1", [](auto x) { return expm1(x); });
  const lanes::FlushToZero mode;
  const T last = std::log(S::most) * (1 - S::epsilon);
  EXPECT_LT(expm1(Pack<T, 4>(last))[2], S::inf);
  EXPECT_EQ(expm1(Pack<T, 4>(std::nextafter(std::log(S::most), S::inf) + last * S::epsilon))[2], S::inf);
}

TYPED_TEST(SpecialValues, RoughExpm1) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(0)},
                    {S::least, S::least},
                    {-S::least, -S::least},
                    {S::epsilon / 16, S::epsilon / 16},
                    {T(-100), T(-1)},
                    {-S::most, T(-1)},
                    {-S::inf, T(-1)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "rough_expm1", [](auto x) { return rough_expm1(x); });
  const lanes::FlushToZero mode;
  const T most = rough_expm1(Pack<T, 4>(std::is_same_v<T, float> ? T(88) : T(709)))[2];
  EXPECT_GT(most, S::most / 8);
  EXPECT_LT(most, S::inf);
  EXPECT_EQ(rough_expm1(Pack<T, 4>(S::most))[2], most);
  EXPECT_EQ(rough_expm1(Pack<T, 4>(S::inf))[2], most);
}

TYPED_TEST(SpecialValues, Tanh) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(-0.0)},
                    {S::subnormal, T(0)},
                    {-S::subnormal, T(-0.0)},
                    {-S::nearly_normal, T(-0.0)},
                    {S::least, S::least},
                    {-S::least, -S::least},
                    {T(25), T(1)},
                    {T(-25), T(-1)},
                    {S::most, T(1)},
                    {-S::most, T(-1)},
                    {S::inf, T(1)},
                    {-S::inf, T(-1)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "tanh", [](auto x) { return tanh(x); });
}

TYPED_TEST(SpecialValues, Sin) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(-0.0)},
                    {S::subnormal, T(0)},
                    {-S::subnormal, T(-0.0)},
                    {-S::nearly_normal, T(-0.0)},
                    {S::least, S::least},
                    {-S::least, -S::least},
                    {S::epsilon, S::epsilon},
                    {S::inf, S::nan},
                    {-S::inf, S::nan},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "sin", [](auto x) { return sin(x); });
}

TYPED_TEST(SpecialValues, Cos) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(1)},
                    {T(-0.0), T(1)},
                    {S::subnormal, T(1)},
                    {-S::nearly_normal, T(1)},
                    {S::least, T(1)},
                    {-S::least, T(1)},
                    {S::epsilon, T(1)},
                    {S::inf, S::nan},
                    {-S::inf, S::nan},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "cos", [](auto x) { return cos(x); });
}

TYPED_TEST(SpecialValues, SinCosOfEveryExponent) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const lanes::FlushToZero mode;
  for (int exponent = Limits::min_exponent; exponent < Limits::max_exponent; ++exponent) {
    const T x = std::ldexp(T(1.2345), exponent);
    const auto [sine, cosine] = sincos(Pack<T, 4>(x));
    const auto [minus_sine, same_cosine] = sincos(Pack<T, 4>(-x));
    EXPECT_NEAR(sine[3] * sine[3] + cosine[3] * cosine[3], 1, 4 * Limits::epsilon()) << x;
    EXPECT_EQ(minus_sine[0], -sine[0]) << x;
    EXPECT_EQ(same_cosine[0], cosine[0]) << x;
  }
}

template <class T>
std::vector<PairValue<T>> special_powers() {
  using S = Special<T>;
  const T odd = T(3);
  const T last_odd = 2 / S::epsilon - 1;  // above it every number is even
  return {
      // Anything to the power 0, and 1 to any power.
      {S::nan, T(0), T(1)},
      {S::nan, T(-0.0), T(1)},
      {S::inf, T(0), T(1)},
      {-S::inf, T(-0.0), T(1)},
      {T(0), T(0), T(1)},
      {T(-0.0), T(-0.0), T(1)},
      {T(-3), T(0), T(1)},
      {T(-3), S::subnormal, T(1)},
      {T(1), S::nan, T(1)},
      {T(1), S::inf, T(1)},
      {T(1), -S::inf, T(1)},
      {T(1), S::most, T(1)},
      {T(1), T(0.3), T(1)},
      // NaN otherwise.
      {S::nan, T(1), S::nan},
      {S::nan, S::inf, S::nan},
      {T(2), S::nan, S::nan},
      {T(-1), S::nan, S::nan},
      {T(0), S::nan, S::nan},
      {S::inf, S::nan, S::nan},
      {S::nan, S::nan, S::nan},
      // Negative bases.
      {T(-2), T(0.5), S::nan},
      {T(-2), T(-1.5), S::nan},
      {-S::most, T(0.5), S::nan},
      {-S::least, T(0.5), S::nan},
      {T(-2), T(2), T(4)},
      {T(-2), odd, T(-8)},
      {T(-2), T(-1), T(-0.5)},
      {T(-2), T(-2), T(0.25)},
      {T(-1), last_odd, T(-1)},
      {T(-1), last_odd + 1, T(1)},
      {T(-1), S::most, T(1)},
      {T(-1), T(0.5), S::nan},
      {T(-2), T(5000), S::inf},
      {T(-2), T(5001), -S::inf},
      {T(-2), T(-5000), T(0)},
      {T(-2), T(-5001), T(-0.0)},
      // Zeros; a subnormal number counts as zero.
      {T(0), odd, T(0)},
      {T(-0.0), odd, T(-0.0)},
      {T(0), T(2), T(0)},
      {T(-0.0), T(2), T(0)},
      {T(-0.0), T(0.5), T(0)},
      {T(0), -odd, S::inf},
      {T(-0.0), -odd, -S::inf},
      {T(0), T(-2), S::inf},
      {T(-0.0), T(-2), S::inf},
      {T(-0.0), T(-0.5), S::inf},
      {T(0), S::inf, T(0)},
      {T(-0.0), S::inf, T(0)},
      {T(0), -S::inf, S::inf},
      {T(-0.0), -S::inf, S::inf},
      {T(-0.0), last_odd, T(-0.0)},
      {T(-0.0), -last_odd, -S::inf},
      {S::subnormal, T(2), T(0)},
      {-S::subnormal, odd, T(-0.0)},
      {-S::subnormal, T(-1), -S::inf},
      // Infinite powers.
      {T(-1), S::inf, T(1)},
      {T(-1), -S::inf, T(1)},
      {T(0.5), S::inf, T(0)},
      {T(0.5), -S::inf, S::inf},
      {T(-0.5), S::inf, T(0)},
      {T(-0.5), -S::inf, S::inf},
      {T(2), S::inf, S::inf},
      {T(2), -S::inf, T(0)},
      {T(-2), S::inf, S::inf},
      {T(-2), -S::inf, T(0)},
      {1 - S::epsilon / 2, S::inf, T(0)},
      {1 + S::epsilon, S::inf, S::inf},
      // Infinite bases.
      {S::inf, T(2), S::inf},
      {S::inf, T(0.1), S::inf},
      {S::inf, T(-2), T(0)},
      {S::inf, -S::inf, T(0)},
      {S::inf, S::inf, S::inf},
      {-S::inf, odd, -S::inf},
      {-S::inf, T(2), S::inf},
      {-S::inf, T(0.5), S::inf},
      {-S::inf, -odd, T(-0.0)},
      {-S::inf, T(-2), T(0)},
      {-S::inf, T(-0.5), T(0)},
      {-S::inf, S::inf, S::inf},
      {-S::inf, -S::inf, T(0)},
      // Exact powers and the ends of the range.
      {T(2), T(10), T(1024)},
      {T(10), T(2), T(100)},
      {T(3), T(1), T(3)},
      {T(4), T(0.5), T(2)},
      {T(2), T(-1), T(0.5)},
      {S::most, T(1), S::most},
      {S::least, T(1), S::least},
      {-S::least, T(1), -S::least},
      {T(2), T(std::numeric_limits<T>::max_exponent), S::inf},
      {T(2), T(std::numeric_limits<T>::max_exponent - 1), S::most / 2 + S::most * S::epsilon / 4},
      {T(2), T(std::numeric_limits<T>::min_exponent - 1), S::least},
      {T(2), T(std::numeric_limits<T>::min_exponent - 2), T(0)},
      {S::most, T(2), S::inf},
      {S::least, T(2), T(0)},
      {S::least, T(-2), S::inf},
      {S::most, S::most, S::inf},
      {S::most, -S::most, T(0)},
      {S::least, S::most, T(0)},
      {S::least, -S::most, S::inf},
  };
}

template <int W, class T>
void expect_special_powers() {
  const lanes::FlushToZero mode;
  for (const PairValue<T>& value : special_powers<T>()) {
    for (int place = 0; place < W; ++place) {
      Pack<T, W> x = T(0.5);
      Pack<T, W> y = T(0.5);
      x.set(place, value.x);
      y.set(place, value.y);
      const T got = call([](auto a, auto b) { return pow(a, b); }, x, y)[place];
      EXPECT_TRUE(is_same(got, value.expected))
          << "pow(" << value.x << ", " << value.y << ") of " << sizeof(T) << " bytes, lane " << place << " of " << W
          << ": " << got << " instead of " << value.expected;
    }
  }
}

TYPED_TEST(SpecialValues, Pow) {
  expect_special_powers<1, TypeParam>();
  expect_special_powers<8, TypeParam>();
}

TYPED_TEST(SpecialValues, Erf) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0), T(0)},
                    {T(-0.0), T(-0.0)},
                    {S::subnormal, T(0)},
                    {-S::subnormal, T(-0.0)},
                    {-S::nearly_normal, T(-0.0)},
                    {T(7), T(1)},
                    {T(-7), T(-1)},
                    {S::most, T(1)},
                    {-S::most, T(-1)},
                    {S::inf, T(1)},
                    {-S::inf, T(-1)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "erf", [](auto x) { return erf(x); });
  const lanes::FlushToZero mode;
  const T smallest = erf(Pack<T, 4>(S::least))[1];
  EXPECT_GT(smallest, S::least * T(1.12837));
  EXPECT_LT(smallest, S::least * T(1.12838));
}

TYPED_TEST(SpecialValues, Erfc) {
  using T = TypeParam;
  using S = Special<T>;
  const T last = std::is_same_v<T, float> ? T(0x1.2639bep3) : T(0x1.a8b12fc6e4891p4);
  expect_values<T>({{T(0), T(1)},
                    {T(-0.0), T(1)},
                    {S::subnormal, T(1)},
                    {-S::nearly_normal, T(1)},
                    {S::least, T(1)},
                    {-S::least, T(1)},
                    {T(-7), T(2)},
                    {std::nextafter(last, S::inf), T(0)},
                    {T(30), T(0)},
                    {S::most, T(0)},
                    {-S::most, T(2)},
                    {S::inf, T(0)},
                    {-S::inf, T(2)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "erfc", [](auto x) { return erfc(x); });
  const lanes::FlushToZero mode;
  const T smallest = erfc(Pack<T, 4>(last))[1];
  EXPECT_GE(smallest, S::least);
  EXPECT_LT(smallest, S::least * T(1.001));
}

TYPED_TEST(SpecialValues, NormalCdf) {
  using T = TypeParam;
  using S = Special<T>;
  const T first = std::is_same_v<T, float> ? T(-0x1.9e6602p3) : T(-0x1.2c27b05bf1a0ap5);
  expect_values<T>({{T(0), T(0.5)},
                    {T(-0.0), T(0.5)},
                    {S::subnormal, T(0.5)},
                    {-S::nearly_normal, T(0.5)},
                    {S::least, T(0.5)},
                    {-S::least, T(0.5)},
                    {T(10), T(1)},
                    {std::nextafter(first, -S::inf), T(0)},
                    {T(-40), T(0)},
                    {S::most, T(1)},
                    {-S::most, T(0)},
                    {S::inf, T(1)},
                    {-S::inf, T(0)},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "normal_cdf", [](auto x) { return normal_cdf(x); });
  const lanes::FlushToZero mode;
  const T smallest = normal_cdf(Pack<T, 4>(first))[1];
  EXPECT_GE(smallest, S::least);
  EXPECT_LT(smallest, S::least * T(1.001));
}

TYPED_TEST(SpecialValues, NormalQuantile) {
  using T = TypeParam;
  using S = Special<T>;
  expect_values<T>({{T(0.5), T(0)},
                    {T(0), -S::inf},
                    {T(-0.0), -S::inf},
                    {S::subnormal, -S::inf},
                    {-S::subnormal, -S::inf},
                    {S::nearly_normal, -S::inf},
                    {T(1), S::inf},
                    {-S::least, S::nan},
                    {1 + S::epsilon, S::nan},
                    {T(-1), S::nan},
                    {T(2), S::nan},
                    {S::most, S::nan},
                    {-S::most, S::nan},
                    {S::inf, S::nan},
                    {-S::inf, S::nan},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "normal_quantile", [](auto p) { return normal_quantile(p); });
  const lanes::FlushToZero mode;
  for (int i = 1; i < 4096; ++i) {
    Pack<T, 4> p = T(i) / 4096;  // so that 1 − p is exact
    p.set(1, 1 - p[0]);
    const Pack<T, 4> quantile = normal_quantile(p);
    EXPECT_EQ(quantile[0], -quantile[1]) << p[0];
  }
}

TYPED_TEST(SpecialValues, Lgamma) {
  using T = TypeParam;
  using S = Special<T>;
  const T last = std::is_same_v<T, float> ? T(0x1.895f1ap121) : T(0x1.754d9278b51a7p1014);
  expect_values<T>({{T(1), T(0)},
                    {T(2), T(0)},
                    {T(3), static_cast<T>(0.693147180559945309417232121458176568L)},
                    {T(0.5), static_cast<T>(0.572364942924700087071713675676529356L)},
                    {T(0), S::inf},
                    {T(-0.0), S::inf},
                    {S::subnormal, S::inf},
                    {-S::subnormal, S::inf},
                    {S::nearly_normal, S::inf},
                    {S::least, -std::log(S::least)},
                    {std::nextafter(last, S::inf), S::inf},
                    {S::most, S::inf},
                    {S::inf, S::inf},
                    {-S::least, S::nan},
                    {T(-1), S::nan},
                    {T(-1.5), S::nan},
                    {-S::most, S::nan},
                    {-S::inf, S::nan},
                    {S::nan, S::nan},
                    {-S::nan, S::nan}},
                   "lgamma", [](auto x) { return lgamma(x); });
  const lanes::FlushToZero mode;
  const T greatest = lgamma(Pack<T, 4>(last))[1];
  EXPECT_LE(greatest, S::most);
  EXPECT_GE(greatest, S::most * (1 - 4 * S::epsilon));
}

template <class T>
std::vector<PairValue<T>> special_sums() {
  using S = Special<T>;
  const T log_2 = static_cast<T>(0.693147180559945309417232121458176568L);
  return {{S::nan, T(1), S::nan},         {S::nan, S::inf, S::nan},        {S::nan, -S::inf, S::nan},
          {S::nan, S::nan, S::nan},       {-S::nan, T(0), S::nan},         {S::inf, S::inf, S::inf},
          {-S::inf, -S::inf, -S::inf},    {S::inf, -S::inf, S::inf},       {S::inf, T(3), S::inf},
          {S::inf, S::most, S::inf},      {S::inf, -S::most, S::inf},      {-S::inf, T(3), T(3)},
          {-S::inf, T(-3), T(-3)},        {-S::inf, T(0), T(0)},           {-S::inf, T(-0.0), T(0)},
          {-S::inf, S::most, S::most},    {-S::inf, -S::most, -S::most},   {-S::inf, S::subnormal, T(0)},
          {-S::inf, S::least, S::least},  {-S::inf, -S::least, -S::least}, {S::most, S::most, S::most},
          {-S::most, -S::most, -S::most}, {S::most, -S::most, S::most},    {T(0), T(0), log_2},
          {T(0), T(-0.0), log_2},         {S::least, S::subnormal, log_2}, {T(0), -S::most, T(0)},
          {T(0), T(-2000), T(0)},         {T(100), T(-100), T(100)}};
}

template <int W, class T>
void expect_special_sums() {
  const lanes::FlushToZero mode;
  for (const PairValue<T>& value : special_sums<T>()) {
    for (const bool is_swapped : {false, true}) {
      for (int place = 0; place < W; ++place) {
        Pack<T, W> x = T(0.5);
        Pack<T, W> y = T(0.5);
        x.set(place, is_swapped ? value.y : value.x);
        y.set(place, is_swapped ? value.x : value.y);
        const T got = logaddexp(x, y)[place];
        EXPECT_TRUE(is_same(got, value.expected))
            << "logaddexp(" << x[place] << ", " << y[place] << ") of " << sizeof(T) << " bytes, lane " << place
            << " of " << W << ": " << got << " instead of " << value.expected;
      }
    }
  }
}

TYPED_TEST(SpecialValues, Logaddexp) {
  expect_special_sums<1, TypeParam>();
  expect_special_sums<4, TypeParam>();
  expect_special_sums<16, TypeParam>();
}

}  // namespace
}  // namespace breakstep::test
