// The special functions under test; see Row in math_accuracy.hpp.
#include <algorithm>

#include "breakstep/lanes/math/special.hpp"
#include "math_accuracy.hpp"

namespace breakstep::test {
namespace {

/// Φ(x) = erfc(−x/√2)/2. A relative error e of erfc's argument costs 2·s²·e in the tail, so that 160 bits are ample.
void precise_normal_cdf(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr /*y*/) {
  mpfr_t root;
  mpfr_init2(root, 160);
  mpfr_sqrt_ui(root, 2, MPFR_RNDN);
  mpfr_div(root, x, root, MPFR_RNDN);
  mpfr_neg(root, root, MPFR_RNDN);
  mpfr_erfc(result, root, MPFR_RNDN);
  mpfr_div_2ui(result, result, 1, MPFR_RNDN);
  mpfr_clear(root);
}

/// The same in W. In the tail erfc magnifies the relative error of its argument s by 2·s², so that a first-order
/// correction for that error follows: erfc′(s) = −2/√π·exp(−s²).
template <class W>
W fast_normal_cdf(W x, W /*y*/) {
  const W root_half = std::sqrt(W(0.5));
  const W root_half_low = std::fma(-root_half, root_half, W(0.5)) / (2 * root_half);
  const W s = -x * root_half;
  const W s_low = std::fma(-x, root_half, -s) - x * root_half_low;
  const W slope = static_cast<W>(-1.128379167095512573896158903121545172L) * std::exp(-s * s);
  return (std::erfc(s) + s_low * slope) / 2;
}

/// Φ⁻¹(p) in W: a start of three digits (Abramowitz and Stegun 26.2.23), then Newton's method, on erf near p = 1/2 for
/// the sake of relative accuracy there and on log Φ in the tails.
template <class W>
W fast_normal_quantile(W p, W /*y*/) {
  using Limits = std::numeric_limits<W>;
  if (p == 0) return -Limits::infinity();
  if (p == 1) return Limits::infinity();
  if (std::isnan(p) || p < 0 || p > 1) return Limits::quiet_NaN();
  const W m = p > W(0.5) ? 1 - p : p;
  const W r = std::sqrt(-2 * std::log(m));
  W t = r - (W(2.515517) + r * (W(0.802853) + r * W(0.010328))) /
                (1 + r * (W(1.432788) + r * (W(0.189269) + r * W(0.001308))));
  const W root_two_pi = static_cast<W>(2.506628274631000502415765284811045253L);
  for (int i = 0; i < 3; ++i) {
    const W density = std::exp(-t * t / 2) / root_two_pi;
    if (m > W(0.2)) {
      t -= (std::erf(t * std::sqrt(W(0.5))) - (1 - 2 * m)) / (2 * density);
    } else {
      const W tail = fast_normal_cdf<W>(-t, 0);
      const W step = -std::log(tail / m) * tail / density;
      t -= step + step * step * (density / tail - t) / 2;
    }
  }
  return p > W(0.5) ? t : -t;
}

/// Φ⁻¹(p) by Newton's method on log Φ in the nearer tail, which is exact at 160 bits.
void precise_normal_quantile(mpfr_ptr result, mpfr_srcptr p, mpfr_srcptr /*y*/) {
  const long double start = fast_normal_quantile(mpfr_get_ld(p, MPFR_RNDN), 0.0L);
  if (start == 0 || !std::isfinite(start)) {
    mpfr_set_ld(result, start, MPFR_RNDN);
    return;
  }
  mpfr_t tail, t, cdf, step, density;  // NOLINT(readability-isolate-declaration)
  mpfr_inits2(160, tail, t, cdf, step, density, static_cast<mpfr_ptr>(nullptr));
  mpfr_set(tail, p, MPFR_RNDN);
  if (start > 0) mpfr_ui_sub(tail, 1, p, MPFR_RNDN);
  mpfr_set_ld(t, -std::abs(start), MPFR_RNDN);
  do {
    precise_normal_cdf(cdf, t, t);
    mpfr_sqr(density, t, MPFR_RNDN);
    mpfr_div_si(density, density, -2, MPFR_RNDN);
    mpfr_exp(density, density, MPFR_RNDN);
    mpfr_const_pi(step, MPFR_RNDN);
    mpfr_mul_2ui(step, step, 1, MPFR_RNDN);
    mpfr_rec_sqrt(step, step, MPFR_RNDN);
    mpfr_mul(density, density, step, MPFR_RNDN);
    mpfr_div(step, cdf, tail, MPFR_RNDN);
    mpfr_log(step, step, MPFR_RNDN);
    mpfr_mul(step, step, cdf, MPFR_RNDN);
    mpfr_div(step, step, density, MPFR_RNDN);
    mpfr_sub(t, t, step, MPFR_RNDN);
  } while (mpfr_zero_p(step) == 0 && mpfr_get_exp(step) > mpfr_get_exp(t) - 45);
  mpfr_set(result, t, MPFR_RNDN);
  if (start > 0) mpfr_neg(result, t, MPFR_RNDN);
  mpfr_clears(tail, t, cdf, step, density, static_cast<mpfr_ptr>(nullptr));
}

/// log(e^x + e^y) = max + log1p(exp(−|x − y|)), at 160 bits without regard to cancellation below 2^−100.
void precise_logaddexp(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y) {
  mpfr_t difference;
  mpfr_init2(difference, 160);
  mpfr_sub(difference, x, y, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  mpfr_neg(difference, difference, MPFR_RNDN);
  mpfr_exp(difference, difference, MPFR_RNDN);
  mpfr_log1p(difference, difference, MPFR_RNDN);
  mpfr_max(result, x, y, MPFR_RNDN);
  mpfr_add(result, result, difference, MPFR_RNDN);
  mpfr_clear(difference);
}

/// 1/(1 + e^−x).
void precise_logistic(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr /*y*/) {
  mpfr_neg(result, x, MPFR_RNDN);
  mpfr_exp(result, result, MPFR_RNDN);
  mpfr_add_ui(result, result, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

/// log(1 + e^x).
void precise_softplus(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr /*y*/) {
  mpfr_exp(result, x, MPFR_RNDN);
  mpfr_log1p(result, result, MPFR_RNDN);
}

/// log Φ(x), from the smaller tail.
void precise_log_normal_cdf(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y) {
  if (mpfr_sgn(x) <= 0) {
    precise_normal_cdf(result, x, y);
    mpfr_log(result, result, MPFR_RNDN);
    return;
  }
  mpfr_t minus_x;
  mpfr_init2(minus_x, 160);
  mpfr_neg(minus_x, x, MPFR_RNDN);
  precise_normal_cdf(result, minus_x, y);
  mpfr_neg(result, result, MPFR_RNDN);
  mpfr_log1p(result, result, MPFR_RNDN);
  mpfr_clear(minus_x);
}

}  // namespace

template <class T>
std::vector<Row<T>> special_rows() {
  using R = Range<T>;
  using Limits = std::numeric_limits<T>;
  using W = Wide<T>;
  constexpr bool single = std::is_same_v<T, float>;
  const T greatest = Limits::max();
  const T erf_end = single ? T(4) : T(6);
  const T erfc_end = single ? T(9.3) : T(26.6);
  const T cdf_end = single ? T(13) : T(37.6);
  const T logistic_end = single ? T(90) : T(715);

  std::vector<Row<T>> rows;
  rows.push_back({
      .function = "erf",
      .claimed_ulp = 1.2,
      .apply = unary<T>([](auto x) { return erf(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_erf(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::erf(x); },
      .domains = {{"all", R::values(-erf_end, erf_end)},
                  {"[-1, 1]", R::values(-1, 1)},
                  {"[1, 2]", R::values(1, 2)},
                  {"all magnitudes", R::numbers(-greatest, greatest)},
                  {"1", R::around(1)},
                  {"-1", R::around(-1)},
                  {"end", R::around(erf_end)}},
  });
  rows.push_back({
      .function = "erfc",
      .claimed_ulp = 1.5,
      .apply = unary<T>([](auto x) { return erfc(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_erfc(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::erfc(x); },
      .domains = {{"all", R::values(-erf_end, erfc_end)},
                  {"[-1, 3]", R::values(-1, 3)},
                  {"all magnitudes", R::numbers(-erfc_end, erfc_end)},
                  {"0", R::around(0)},
                  {"end", R::around(single ? T(9.1945486) : T(26.543258454250978))}},
  });
  rows.push_back({
      .function = "normal_cdf",
      .claimed_ulp = 1.5,
      .apply = unary<T>([](auto x) { return normal_cdf(x); }),
      .precise = precise_normal_cdf,
      .fast = fast_normal_cdf<W>,
      .domains = {{"left", R::values(-cdf_end, 0)},
                  {"[-4, 4]", R::values(-4, 4)},
                  {"right", R::values(0, cdf_end)},
                  {"all magnitudes", R::numbers(-cdf_end, cdf_end)},
                  {"0", R::around(0)},
                  {"end", R::around(single ? T(-12.949952) : T(-37.51937934714449))}},
  });
  rows.push_back({
      .function = "normal_quantile",
      .claimed_ulp = 1.7,
      .apply = unary<T>([](auto x) { return normal_quantile(x); }),
      .precise = precise_normal_quantile,
      .fast = fast_normal_quantile<W>,
      .domains = {{"[0, 1]", R::values(0, 1)},
                  {"[1/4, 3/4]", R::values(T(0.25), T(0.75))},
                  {"left", R::values(0, T(0.01))},
                  {"right", R::values(T(0.99), 1)},
                  {"all magnitudes", R::numbers(Limits::min(), 1)},
                  {"1/2", R::around(T(0.5))},
                  {"1/4", R::around(T(0.25))},
                  {"left joint", R::around(T(0.0017))},
                  {"right joint", R::around(1 - T(0.0017))},
                  {"1", R::numbers(1 - 8192 * Limits::epsilon(), 1)},
                  {"0", R::around(Limits::min())}},
  });
  rows.push_back({
      .function = "lgamma",
      .claimed_ulp = 1,
      .apply = unary<T>([](auto x) { return lgamma(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_lngamma(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::lgamma(x); },
      .domains = {{"[0, 3]", R::values(0, 3)},
                  {"[3, 50]", R::values(3, 50)},
                  {"[50, 10000]", R::values(50, 10000)},
                  {"all magnitudes", R::numbers(Limits::min(), greatest)},
                  {"1", R::around(1)},
                  {"2", R::around(2)},
                  {"3", R::around(3)},
                  {"above 1", R::numbers(1, T(1.01))},
                  {"below 1", R::numbers(T(0.99), 1)},
                  {"above 2", R::numbers(2, T(2.01))},
                  {"below 2", R::numbers(T(1.99), 2)},
                  {"largest", R::around(single ? T(4.0850031e36) : T(2.5599833278516383e305))},
                  {"smallest", R::around(Limits::min())}},
  });
  // Where the terms cancel the error is measured otherwise, by math_special_logaddexp_test.
  rows.push_back({
      .function = "digamma",
      .claimed_ulp = claim<T>(6, 10),
      .apply = unary<T>([](auto x) { return digamma(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_digamma(r, x, MPFR_RNDN); },
      .fast = nullptr,
      .domains = {{"[0, 3]", R::values(0, 3)},
                  {"[3, 50]", R::values(3, 50)},
                  {"all magnitudes", R::numbers(Limits::min() * 4, greatest)},
                  {"root", R::around(T(1.4616321449683623))},
                  {"series", R::around(single ? T(6) : T(10))}},
      .smallest_scale = 1,
  });
  rows.push_back({
      .function = "logistic",
      .claimed_ulp = 3,
      .apply = unary<T>([](auto x) { return logistic(x); }),
      .precise = precise_logistic,
      .fast = [](W x, W) { return 1 / (1 + std::exp(-x)); },
      .domains = {{"[-1, 1]", R::values(-1, 1)},
                  {"all", R::values(-logistic_end, logistic_end)},
                  {"all magnitudes", R::numbers(-logistic_end, logistic_end)},
                  {"0", R::around(0)}},
  });
  rows.push_back({
      .function = "softplus",
      .claimed_ulp = 3,
      .apply = unary<T>([](auto x) { return softplus(x); }),
      .precise = precise_softplus,
      .fast = [](W x, W) { return std::max(x, W(0)) + std::log1p(std::exp(-std::abs(x))); },
      .domains = {{"[-1, 1]", R::values(-1, 1)},
                  {"all", R::values(-logistic_end, logistic_end)},
                  {"all magnitudes", R::numbers(-logistic_end, logistic_end)},
                  {"0", R::around(0)}},
  });
  rows.push_back({
      .function = "log_normal_cdf",
      .claimed_ulp = claim<T>(3, 6),
      .apply = unary<T>([](auto x) { return log_normal_cdf(x); }),
      .precise = precise_log_normal_cdf,
      .fast = nullptr,
      .domains = {{"[-4, 4]", R::values(-4, 4)},
                  {"far left", R::values(-1000, 0)},
                  {"right", R::values(0, cdf_end)},
                  {"all magnitudes", R::numbers(-cdf_end, cdf_end)},
                  {"joint", R::around(-1)},
                  {"0", R::around(0)}},
  });
  rows.push_back({
      .function = "logaddexp",
      .claimed_ulp = 1,
      .apply = binary<T>([](auto x, auto y) { return logaddexp(x, y); }),
      .precise = precise_logaddexp,
      .fast = [](W x, W y) { return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y))); },
      .domains = {{"positive", R::values(0, 50), R::values(-50, 50)},
                  {"near 0", R::values(0, 1), R::values(0, 1)},
                  {"zero and magnitudes", R::numbers(0, 0), R::numbers(-800, -Limits::min())},
                  {"magnitudes", R::numbers(Limits::min(), greatest), R::numbers(Limits::min(), greatest)},
                  {"negative", R::values(-1000, -2), R::values(-1000, -2)},
                  {"negative and near", R::values(-30, -4), R::values(-30, -4)}},
  });
  return rows;
}

template std::vector<Row<float>> special_rows();
template std::vector<Row<double>> special_rows();

}  // namespace breakstep::test
