// The exponential and trigonometric functions under test; see Row in math_accuracy.hpp.
#include <numbers>

#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/rough_expm1.hpp"
#include "breakstep/lanes/math/trigonometric.hpp"
#include "math_accuracy.hpp"

namespace breakstep::test {

template <class T>
std::vector<Row<T>> elementary_rows() {
  using R = Range<T>;
  using Limits = std::numeric_limits<T>;
  using W = Wide<T>;
  constexpr bool single = std::is_same_v<T, float>;
  const T greatest = Limits::max();
  const T smallest = Limits::min();
  const T exp_end = single ? T(89) : T(710);
  const T last_exp = std::log(greatest);
  const T first_exp = std::log(smallest);
  const T last_fast_angle = single ? T(0x1p17) : T(0x1p30);
  const T pi = std::numbers::pi_v<T>;

  std::vector<Row<T>> rows;
  rows.push_back({
      .function = "exp",
      .claimed_ulp = 1.1,
      .apply = unary<T>([](auto x) { return exp(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_exp(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::exp(x); },
      .domains = {{"all", R::values(-exp_end, exp_end)},
                  {"[-1, 1]", R::values(-1, 1)},
                  {"all magnitudes", R::numbers(-exp_end, exp_end)},
                  {"largest", R::around(last_exp)},
                  {"smallest", R::around(first_exp)}},
  });
  rows.push_back({
      .function = "log",
      .claimed_ulp = 1,
      .apply = unary<T>([](auto x) { return log(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_log(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::log(x); },
      .domains = {{"all magnitudes", R::numbers(smallest, greatest)},
                  {"[1/2, 2]", R::values(T(0.5), T(2))},
                  {"1", R::around(1)},
                  {"sqrt(1/2)", R::around(std::sqrt(T(0.5)))},
                  {"sqrt(2)", R::around(std::sqrt(T(2)))}},
  });
  rows.push_back({
      .function = "log1p",
      .claimed_ulp = 1,
      .apply = unary<T>([](auto x) { return log1p(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_log1p(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::log1p(x); },
      .domains = {{"all magnitudes", R::numbers(-1, greatest)},
                  {"[-1, 2]", R::values(-1, 2)},
                  {"[2, 100]", R::values(2, 100)},
                  {"sqrt(1/2) - 1", R::around(std::sqrt(T(0.5)) - 1)},
                  {"sqrt(2) - 1", R::around(std::sqrt(T(2)) - 1)},
                  {"-1", R::around(-1 + 4096 * Limits::epsilon() / 2)},
                  {"tiny", R::around(Limits::epsilon() / 4)},
                  {"-tiny", R::around(-Limits::epsilon() / 4)}},
  });
  rows.push_back({
      .function = "expm1",
      .claimed_ulp = 1.4,
      .apply = unary<T>([](auto x) { return expm1(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_expm1(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::expm1(x); },
      .domains = {{"all", R::values(-40, exp_end)},
                  {"[-2, 2]", R::values(-2, 2)},
                  {"all magnitudes", R::numbers(-exp_end, exp_end)},
                  {"largest", R::around(last_exp)},
                  {"log(2)/2", R::around(std::log(T(2)) / 2)},
                  {"-log(2)/2", R::around(-std::log(T(2)) / 2)},
                  {"tiny", R::around(Limits::epsilon() / 4)},
                  {"-tiny", R::around(-Limits::epsilon() / 4)}},
  });
  const T rough_end = single ? T(88) : T(709);
  rows.push_back({
      .function = "rough_expm1",
      .claimed_ulp = 2.1,
      .apply = unary<T>([](auto x) { return rough_expm1(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_expm1(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::expm1(x); },
      .domains = {{"all", R::values(-40, rough_end)},
                  {"[-2, 2]", R::values(-2, 2)},
                  {"all magnitudes", R::numbers(-rough_end, rough_end)},
                  {"log(2)/2", R::around(std::log(T(2)) / 2)},
                  {"-log(2)/2", R::around(-std::log(T(2)) / 2)}},
  });
  rows.push_back({
      .function = "tanh",
      .claimed_ulp = 1.3,
      .apply = unary<T>([](auto x) { return tanh(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_tanh(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::tanh(x); },
      .domains = {{"[-20, 20]", R::values(-20, 20)},
                  {"[-1, 1]", R::values(-1, 1)},
                  {"all magnitudes", R::numbers(-greatest, greatest)},
                  {"0.625", R::around(T(0.625))},
                  {"-0.625", R::around(T(-0.625))}},
  });
  rows.push_back({
      .function = "sin",
      .claimed_ulp = 1,
      .apply = unary<T>([](auto x) { return sin(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_sin(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::sin(x); },
      .domains = {{"[-4, 4]", R::values(-4, 4)},
                  {"all fast", R::values(-last_fast_angle, last_fast_angle)},
                  {"all magnitudes", R::numbers(-greatest, greatest)},
                  {"[-1000, 1000]", R::numbers(-1000, 1000)},
                  {"pi/4", R::around(pi / 4)},
                  {"pi/2", R::around(pi / 2)},
                  {"pi", R::around(pi)},
                  {"100 pi", R::around(100 * pi)},
                  {"end of fast", R::around(last_fast_angle)},
                  {"-end of fast", R::around(-last_fast_angle)},
                  {"nearest to pi/2", R::around(single ? T(0x1.f7d2ecp+60) : T(0x1.6ac5b262ca1ffp+849))},
                  {"largest", R::numbers(greatest / 2, greatest)}},
  });
  rows.push_back({
      .function = "cos",
      .claimed_ulp = 1,
      .apply = unary<T>([](auto x) { return cos(x); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { mpfr_cos(r, x, MPFR_RNDN); },
      .fast = [](W x, W) { return std::cos(x); },
      .domains = {{"[-4, 4]", R::values(-4, 4)},
                  {"all fast", R::values(-last_fast_angle, last_fast_angle)},
                  {"all magnitudes", R::numbers(-greatest, greatest)},
                  {"[-1000, 1000]", R::numbers(-1000, 1000)},
                  {"pi/4", R::around(pi / 4)},
                  {"pi/2", R::around(pi / 2)},
                  {"pi", R::around(pi)},
                  {"100 pi", R::around(100 * pi)},
                  {"end of fast", R::around(last_fast_angle)},
                  {"-end of fast", R::around(-last_fast_angle)},
                  {"nearest to pi/2", R::around(single ? T(0x1.f7d2ecp+60) : T(0x1.6ac5b262ca1ffp+849))},
                  {"largest", R::numbers(greatest / 2, greatest)}},
  });
  const T power_end = single ? T(150) : T(1100);  // of numbers between 1/2 and 2
  rows.push_back({
      .function = "pow",
      .claimed_ulp = 1,
      .apply = binary<T>([](auto x, auto y) { return pow(x, y); }),
      .precise = [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) { mpfr_pow(r, x, y, MPFR_RNDN); },
      .fast = [](W x, W y) { return std::pow(x, y); },
      .domains = {{"all magnitudes ^ [-2, 2]", R::numbers(smallest, greatest), R::values(-2, 2)},
                  {"[1/2, 2] ^ large", R::values(T(0.5), 2), R::values(-power_end, power_end)},
                  {"[0, 10] ^ [-30, 30]", R::values(0, 10), R::values(-30, 30)},
                  {"all ^ all", R::numbers(0, greatest), R::numbers(-greatest, greatest)},
                  {"1 ^ huge", R::around(1), R::numbers(1, 1 / Limits::epsilon())},
                  {"sqrt(2) ^ large", R::around(std::sqrt(T(2))), R::values(-2 * power_end, 2 * power_end)},
                  {"sqrt(1/2) ^ large", R::around(std::sqrt(T(0.5))), R::values(-2 * power_end, 2 * power_end)}},
  });
  return rows;
}

template std::vector<Row<float>> elementary_rows();
template std::vector<Row<double>> elementary_rows();

}  // namespace breakstep::test
