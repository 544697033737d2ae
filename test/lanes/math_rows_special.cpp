// The special functions under test; see Row in math_accuracy.hpp.
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
      .claimed_ulp = 1.3,
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
      .claimed_ulp = 1.3,
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
  return rows;
}

template std::vector<Row<float>> special_rows();
template std::vector<Row<double>> special_rows();

}  // namespace breakstep::test
