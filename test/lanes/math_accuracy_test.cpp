// Every function's worst error stays within its claim: 10^7 points against libm in a wider type, 10^5 against MPFR.
//
// BREAKSTEP_MATH_POINTS=N takes N points (and N/100 against MPFR) instead, for a longer search.
#include "math_accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace breakstep::test {
namespace {

// Without optimisation and under sanitizers the tests are about the code's behaviour, not about its error.
#ifdef NDEBUG
constexpr double default_points = 1e7;
#else
constexpr double default_points = 1e6;
#endif

double points_to_try() {
  const char* asked = std::getenv("BREAKSTEP_MATH_POINTS");  // NOLINT(concurrency-mt-unsafe): before any thread
  return asked != nullptr ? std::atof(asked) : default_points;
}

struct Worst {
  double ulp = 0;
  double x = 0;
  double y = 0;
  std::string domain;
};

/// Oracles give a value in [half, 1)·2^exponent; the last place of a T of that size is 2^(this).
template <class T>
int last_place(int exponent) {
  using Limits = std::numeric_limits<T>;
  return std::max(exponent, Limits::min_exponent) - Limits::digits;
}

template <class T>
int smallest_exponent_of(const Row<T>& row) {
  int exponent = std::numeric_limits<T>::min_exponent;
  if (row.smallest_scale > 0) std::frexp(row.smallest_scale, &exponent);
  return exponent;
}

constexpr double infinite_error = std::numeric_limits<double>::infinity();

/// |computed − truth| in units in the last place of the truth, or of the smallest scale if that is larger; a zero is
/// right for whatever is below the normal numbers.
template <class T>
double error_of(T computed, Wide<T> truth, int smallest_exponent) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(computed) || std::isnan(truth)) return std::isnan(computed) && std::isnan(truth) ? 0 : infinite_error;
  if (static_cast<Wide<T>>(computed) == truth) return 0;
  if (computed == 0 && std::abs(truth) < Limits::min()) return 0;
  const Wide<T> overflow = std::scalbn(Wide<T>(2) - Limits::epsilon() / 2, Limits::max_exponent - 1);
  const bool too_large = std::abs(truth) >= overflow;
  if (too_large) return std::isinf(computed) && std::signbit(computed) == std::signbit(truth) ? 0 : infinite_error;
  if (std::isinf(computed)) return infinite_error;
  int exponent = Limits::min_exponent;  // for a truth of zero
  if (truth != 0) std::frexp(truth, &exponent);
  exponent = std::max(exponent, smallest_exponent);
  return static_cast<double>(std::scalbn(std::abs(static_cast<Wide<T>>(computed) - truth), -last_place<T>(exponent)));
}

/// The same against MPFR.
template <class T>
double error_of(T computed, mpfr_srcptr truth, mpfr_ptr scratch, int smallest_exponent) {
  const long double rounded = mpfr_get_ld(truth, MPFR_RNDN);
  if (mpfr_regular_p(truth) == 0 || !std::isfinite(computed)) {
    return error_of<T>(computed, static_cast<Wide<T>>(rounded), smallest_exponent);
  }
  if (computed == 0 && std::abs(rounded) < std::numeric_limits<T>::min()) return 0;
  mpfr_sub_d(scratch, truth, static_cast<double>(computed), MPFR_RNDN);
  const int place = last_place<T>(std::max(static_cast<int>(mpfr_get_exp(truth)), smallest_exponent));
  mpfr_mul_2si(scratch, scratch, -place, MPFR_RNDN);
  return std::abs(mpfr_get_d(scratch, MPFR_RNDN));
}

/// Calls check(x, y, computed, domain) for about `points` arguments from all the row's domains.
template <class T, class Check>
void visit_points(const Row<T>& row, double points, Check check) {
  constexpr std::size_t chunk = 4096;
  std::vector<T> x(chunk);
  std::vector<T> y(chunk);
  std::vector<T> computed(chunk);
  Generator generator(20240501);
  const Apply<T> apply = row.apply[std::is_same_v<T, float> ? 3 : 2];
  for (const Domain<T>& domain : row.domains) {
    const double share = std::min(points / static_cast<double>(row.domains.size()), domain.x.size());
    const bool every_number = share == domain.x.size();
    for (double done = 0; done < share; done += chunk) {
      for (std::size_t i = 0; i < chunk; ++i) {
        const double at = done + static_cast<double>(i);
        const double jitter = every_number || at == 0 || at >= share - 1 ? 0 : generator.fraction() - 0.5;
        x[i] = domain.x.at(std::min(1.0, (at + jitter) / std::max(1.0, share - 1)));
        y[i] = domain.y.at(generator.fraction());
      }
      apply(x.data(), y.data(), computed.data(), chunk);
      for (std::size_t i = 0; i < chunk; ++i) check(x[i], y[i], computed[i], domain);
    }
  }
}

template <class T>
void remember(Worst& worst, double ulp, T x, T y, const Domain<T>& domain) {
  if (!(ulp > worst.ulp)) return;
  worst = {ulp, static_cast<double>(x), static_cast<double>(y), domain.name};
}

template <class T>
Worst worst_against_libm(const Row<T>& row, double points) {
  Worst worst;
  visit_points(row, points, [&](T x, T y, T computed, const Domain<T>& domain) {
    remember(worst, error_of<T>(computed, row.fast(x, y), smallest_exponent_of(row)), x, y, domain);
  });
  return worst;
}

template <class T>
Worst worst_against_mpfr(const Row<T>& row, double points) {
  mpfr_t px, py, truth, scratch;  // NOLINT(readability-isolate-declaration)
  mpfr_inits2(160, px, py, truth, scratch, static_cast<mpfr_ptr>(nullptr));
  Worst worst;
  visit_points(row, points, [&](T x, T y, T computed, const Domain<T>& domain) {
    mpfr_set_d(px, static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(py, static_cast<double>(y), MPFR_RNDN);
    row.precise(truth, px, py);
    remember(worst, error_of<T>(computed, truth, scratch, smallest_exponent_of(row)), x, y, domain);
  });
  mpfr_clears(px, py, truth, scratch, static_cast<mpfr_ptr>(nullptr));
  return worst;
}

template <class T>
void expect_within_claim(const Row<T>& row, const char* oracle, double points, const Worst& worst) {
  std::printf("%-14s %-6s %-5s %9.1e points: worst %6.3f ulp (claimed %.2f) at %.17g, %.17g in %s\n",
              row.function.c_str(), type_name<T>(), oracle, points, worst.ulp, row.claimed_ulp, worst.x, worst.y,
              worst.domain.c_str());
  EXPECT_LE(worst.ulp, row.claimed_ulp) << row.function << " of " << type_name<T>() << " against " << oracle;
}

template <class T>
class Accuracy : public testing::TestWithParam<Row<T>> {
 protected:
  void check() {
    const Row<T>& row = this->GetParam();
    const double points = points_to_try();
    if (row.fast != nullptr) expect_within_claim(row, "libm", points, worst_against_libm(row, points));
    expect_within_claim(row, "MPFR", points / 100, worst_against_mpfr(row, points / 100));
  }
};

template <class T>
std::string name_of_row(const testing::TestParamInfo<Row<T>>& info) {
  return info.param.function;
}

using AccuracyFloat = Accuracy<float>;
using AccuracyDouble = Accuracy<double>;
TEST_P(AccuracyFloat, StaysWithinItsClaim) { check(); }
TEST_P(AccuracyDouble, StaysWithinItsClaim) { check(); }
INSTANTIATE_TEST_SUITE_P(Rows, AccuracyFloat, testing::ValuesIn(all_rows<float>()), name_of_row<float>);
INSTANTIATE_TEST_SUITE_P(Rows, AccuracyDouble, testing::ValuesIn(all_rows<double>()), name_of_row<double>);

}  // namespace
}  // namespace breakstep::test
