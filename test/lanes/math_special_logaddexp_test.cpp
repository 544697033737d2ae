// What the rows of math_accuracy_test cannot say of logaddexp: its error where the terms cancel, and that it commutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "breakstep/lanes/math/special.hpp"
#include "math_inputs.hpp"

namespace breakstep::test {
namespace {

template <class T>
T logaddexp_of(T a, T b) {
  return lanes::logaddexp(lanes::Pack<T, 4>(a), lanes::Pack<T, 4>(b))[0];
}

/// log(e^a + e^b) at 300 bits, and the error of `computed` in units in the last place of the largest of |a|, |b| and
/// it.
template <class T>
double error_in_largest(T computed, T a, T b) {
  mpfr_t x, y, truth;  // NOLINT(readability-isolate-declaration)
  mpfr_inits2(300, x, y, truth, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(x, static_cast<double>(a), MPFR_RNDN);
  mpfr_set_d(y, static_cast<double>(b), MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add(truth, x, y, MPFR_RNDN);
  mpfr_log(truth, truth, MPFR_RNDN);
  const double largest = std::max(
      {std::abs(mpfr_get_d(truth, MPFR_RNDN)), static_cast<double>(std::abs(a)), static_cast<double>(std::abs(b))});
  mpfr_sub_d(truth, truth, static_cast<double>(computed), MPFR_RNDN);
  const double error = std::abs(mpfr_get_d(truth, MPFR_RNDN));
  mpfr_clears(x, y, truth, static_cast<mpfr_ptr>(nullptr));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::scalbn(error, std::numeric_limits<T>::digits - exponent);
}

/// Arguments whose result is zero but for the rounding of b, or as near as `offset` makes it.
template <class T>
void expect_small_error_under_cancellation() {
  const lanes::FlushToZero mode;
  Generator generator(7);
  double worst = 0;
  T worst_a = 0;
  T worst_b = 0;
  for (int i = 0; i < 20000; ++i) {
    const T a = static_cast<T>(-0.69 - (i % 2 == 0 ? 2.0 : 40.0) * generator.fraction());
    const double offset = i % 3 == 0 ? 0.0 : std::exp2(-40 * generator.fraction());
    const T b = static_cast<T>(std::log1p(-std::exp(static_cast<double>(a))) + offset);
    const double error = error_in_largest(logaddexp_of(a, b), a, b);
    if (error > worst) {
      worst = error;
      worst_a = a;
      worst_b = b;
    }
  }
  std::printf("logaddexp %s where terms cancel: worst %.3f ulp of the largest of |a|, |b|, |result| at %.17g, %.17g\n",
              type_name<T>(), worst, static_cast<double>(worst_a), static_cast<double>(worst_b));
  EXPECT_LE(worst, 1);
}

template <class T>
void expect_commutes() {
  using P = lanes::Pack<T, 4>;
  const lanes::FlushToZero mode;
  constexpr std::size_t count = std::size_t(1) << 18;
  const std::vector<T> a = fixed_inputs<T>(count, 8);
  const std::vector<T> b = fixed_inputs<T>(count, 9);
  for (std::size_t i = 0; i < count; i += 4) {
    const P one_way = lanes::logaddexp(P::load(&a[i]), P::load(&b[i]));
    const P other_way = lanes::logaddexp(P::load(&b[i]), P::load(&a[i]));
    for (int lane = 0; lane < 4; ++lane) {
      using U = lanes::Unsigned<sizeof(T)>;
      ASSERT_EQ(std::bit_cast<U>(one_way[lane]), std::bit_cast<U>(other_way[lane]))
          << a[i + lane] << ", " << b[i + lane];
    }
  }
}

TEST(Logaddexp, HasASmallErrorUnderCancellation) {
  expect_small_error_under_cancellation<float>();
  expect_small_error_under_cancellation<double>();
}

TEST(Logaddexp, Commutes) {
  expect_commutes<float>();
  expect_commutes<double>();
}

}  // namespace
}  // namespace breakstep::test
