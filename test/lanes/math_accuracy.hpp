// The list of functions under test, how their arguments are sampled, and how far a result is from the truth.
//
// One Row per function serves three tests: accuracy against MPFR and libm (math_accuracy_test), equal bits at every
// width (math_widths_test) and equal bits on every instruction set (math_hash). To add a function, add its Row to a
// list of math_rows_*.cpp.
#pragma once

#include <mpfr.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::test {

/// The type of the fast oracle, wide enough that its own error does not count.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// out[i] = f(x[i], y[i]); functions of one argument ignore y. `count` is a multiple of 16.
template <class T>
using Apply = void (*)(const T* x, const T* y, T* out, std::size_t count);

inline constexpr std::array<int, 5> widths = {1, 2, 4, 8, 16};

/// The numbers of T in order: order(−0) = −1, order(+0) = 0, neighbours differ by one.
template <class T>
std::int64_t order(T x) {
  using Int = lanes::Signed<sizeof(T)>;
  const Int bits = std::bit_cast<Int>(x);
  return bits >= 0 ? bits : std::int64_t(std::numeric_limits<Int>::min() - bits) - 1;
}
template <class T>
T from_order(std::int64_t number) {
  using Int = lanes::Signed<sizeof(T)>;
  return std::bit_cast<T>(static_cast<Int>(number >= 0 ? number : std::numeric_limits<Int>::min() - (number + 1)));
}

/// Fixed on every machine: Vigna's splitmix64.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double fraction() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Where arguments come from. Subnormal ones become zero, since that is what the functions see.
template <class T>
struct Range {
  enum class Kind { values, numbers };
  Kind kind = Kind::values;
  T low = 0;
  T high = 0;

  /// Uniform on the real line.
  static Range values(T low, T high) { return {Kind::values, low, high}; }
  /// Each representable number equally likely: all magnitudes, down to zero if the range spans it.
  static Range numbers(T low, T high) { return {Kind::numbers, low, high}; }
  /// The 8193 numbers nearest to a point where something changes.
  static Range around(T point) {
    return {Kind::numbers, from_order<T>(order(point) - 4096), from_order<T>(order(point) + 4096)};
  }

  /// How many points can differ.
  [[nodiscard]] double size() const {
    return kind == Kind::values ? 0x1p62 : static_cast<double>(order(high)) - static_cast<double>(order(low)) + 1;
  }

  /// The number at `position` in [0, 1] between the ends, both of which are hit.
  [[nodiscard]] T at(double position) const {
    T x = 0;
    if (kind == Kind::values) {
      x = static_cast<T>(static_cast<Wide<T>>(low) +
                         (static_cast<Wide<T>>(high) - static_cast<Wide<T>>(low)) * static_cast<Wide<T>>(position));
    } else {
      // Positions have 53 bits, the numbers of double span 64: the low end is added as an integer.
      const double span = static_cast<double>(order(high)) - static_cast<double>(order(low));
      const auto steps = static_cast<std::uint64_t>(std::llround(position * span));
      const auto number = static_cast<std::int64_t>(static_cast<std::uint64_t>(order(low)) + steps);
      x = from_order<T>(number > order(high) ? order(high) : number);
    }
    return std::abs(x) < std::numeric_limits<T>::min() ? std::copysign(T(0), x) : x;
  }
};

template <class T>
struct Domain {
  std::string name;
  Range<T> x;
  Range<T> y = {};
};

/// One function of one or two arguments under test.
template <class T>
struct Row {
  std::string function;
  double claimed_ulp;                                              // worst error in units in the last place
  std::array<Apply<T>, widths.size()> apply;                       // at each of `widths`; see unary and binary
  void (*precise)(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y);  // at 160 bits
  Wide<T> (*fast)(Wide<T> x, Wide<T> y);                           // null if libm has no such function
  std::vector<Domain<T>> domains;                                  // the points are shared out among them
  // Of a function that has a root which no formula hits: results below this are judged as this is.
  double smallest_scale = 0;
};

/// How GoogleTest, and so ctest, names a test of this row.
template <class T>
void PrintTo(const Row<T>& row, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << row.function;
}

/// A claim that differs between float and double.
template <class T>
constexpr double claim(double for_float, double for_double) {
  return std::is_same_v<T, float> ? for_float : for_double;
}

namespace detail {

template <class T, int W, class F>
void apply_unary(const T* x, const T* /*y*/, T* out, std::size_t count) {
  using P = lanes::Pack<T, W>;
  const lanes::FlushToZero mode;
  for (std::size_t i = 0; i < count; i += W) F{}(P::load(x + i)).store(out + i);
}
template <class T, int W, class F>
void apply_binary(const T* x, const T* y, T* out, std::size_t count) {
  using P = lanes::Pack<T, W>;
  const lanes::FlushToZero mode;
  for (std::size_t i = 0; i < count; i += W) F{}(P::load(x + i), P::load(y + i)).store(out + i);
}

}  // namespace detail

/// The field `apply` of a row for `[](auto x) { return f(x); }`.
template <class T, class F>
std::array<Apply<T>, widths.size()> unary(F) {
  return {detail::apply_unary<T, 1, F>, detail::apply_unary<T, 2, F>, detail::apply_unary<T, 4, F>,
          detail::apply_unary<T, 8, F>, detail::apply_unary<T, 16, F>};
}
/// The field `apply` of a row for `[](auto x, auto y) { return f(x, y); }`.
template <class T, class F>
std::array<Apply<T>, widths.size()> binary(F) {
  return {detail::apply_binary<T, 1, F>, detail::apply_binary<T, 2, F>, detail::apply_binary<T, 4, F>,
          detail::apply_binary<T, 8, F>, detail::apply_binary<T, 16, F>};
}

/// Defined for float and double in math_rows_elementary.cpp and math_rows_special.cpp.
template <class T>
std::vector<Row<T>> elementary_rows();
template <class T>
std::vector<Row<T>> special_rows();

template <class T>
std::vector<Row<T>> all_rows() {
  std::vector<Row<T>> rows = elementary_rows<T>();
  for (Row<T>& row : special_rows<T>()) rows.push_back(row);
  return rows;
}

template <class T>
constexpr const char* type_name() {
  return std::is_same_v<T, float> ? "float" : "double";
}

}  // namespace breakstep::test
