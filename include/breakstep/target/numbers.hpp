// Vector<Number>: several numbers of a model, whatever their type, and the functions that take many numbers at once.
//
// A model is written once and evaluated with packs (the value alone), with duals or on the tape. Functions of vectors
// are one node of the tape, however long the vector.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <limits>
#include <span>
#include <type_traits>

#include "breakstep/lanes/vector.hpp"
#include "breakstep/target/arena.hpp"
#include "breakstep/target/dual.hpp"
#include "breakstep/target/tape.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace detail {

template <class Number>
struct Traits;
template <class T, int W>
struct Traits<Pack<T, W>> {
  using Real = T;
  using Value = Pack<T, W>;
  static constexpr bool is_pack = true, is_variable = false;
};
template <class T, int W, int N>
struct Traits<Dual<T, W, N>> {
  using Real = T;
  using Value = Pack<T, W>;
  static constexpr bool is_pack = false, is_variable = false;
};
template <class T, int W>
struct Traits<Variable<T, W>> {
  using Real = T;
  using Value = Pack<T, W>;
  static constexpr bool is_pack = false, is_variable = true;
};
template <class Number>
inline constexpr bool is_pack = Traits<Number>::is_pack;
template <class Number>
inline constexpr bool is_variable = Traits<Number>::is_variable;

}  // namespace detail

/// float or double, of a number of any of the three types.
template <class Number>
using RealOf = typename detail::Traits<Number>::Real;
/// The pack that holds a number's value.
template <class Number>
using ValueOf = typename detail::Traits<Number>::Value;

/// A constant of the model, rounded to the precision of the evaluation.
template <class Number>
BREAKSTEP_INLINE Number constant(double value) {
  return Number(ValueOf<Number>(static_cast<RealOf<Number>>(value)));
}

/// A number's value without its derivatives.
template <class Number>
BREAKSTEP_INLINE ValueOf<Number> value_of(const Number& x) {
  if constexpr (detail::is_pack<Number>) {
    return x;
  } else {
    return x.value;
  }
}

/// A view of numbers that this evaluation owns; valid until it ends.
template <class Number>
class Vector {
 public:
  Vector() = default;
  Vector(const Number* data, int size) : data_(data), size_(size) {}

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] BREAKSTEP_INLINE const Number& operator[](int i) const {
    assert(i >= 0 && i < size_);
    return data_[i];
  }
  [[nodiscard]] Vector slice(int first, int count) const {
    assert(first >= 0 && count >= 0 && first + count <= size_);
    return {data_ + first, count};
  }
  [[nodiscard]] const Number* data() const { return data_; }

 private:
  const Number* data_ = nullptr;
  int size_ = 0;
};

/// On the tape values lie together, and so do adjoints: what a node sweeps over.
template <class Real, int W>
class Vector<Variable<Real, W>> {
 public:
  using Value = Pack<Real, W>;

  Vector() = default;
  Vector(const Value* values, Value* adjoints, int size) : values_(values), adjoints_(adjoints), size_(size) {}

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] BREAKSTEP_INLINE Variable<Real, W> operator[](int i) const {
    assert(i >= 0 && i < size_);
    return {values_[i], adjoints_ + i};
  }
  [[nodiscard]] Vector slice(int first, int count) const {
    assert(first >= 0 && count >= 0 && first + count <= size_);
    return {values_ + first, adjoints_ + first, count};
  }
  [[nodiscard]] const Value* values() const { return values_; }
  [[nodiscard]] Value* adjoints() const { return adjoints_; }

 private:
  const Value* values_ = nullptr;
  Value* adjoints_ = nullptr;
  int size_ = 0;
};

/// Where a model is evaluated: its unconstrained coordinates.
template <class Number>
using Position = Vector<Number>;

namespace detail {

template <class T>
BREAKSTEP_INLINE T* take(int count) {
  return Arena::of_this_thread().take<T>(static_cast<std::size_t>(count));
}

/// Many separate variables become one vector.
template <class Real, int W>
struct Gather : Tape<Real, W>::Node {
  int size;
  Pack<Real, W>** inputs;  // null for constants
  Pack<Real, W>* adjoints;

  static void back(Gather& node) {
    for (int i = 0; i < node.size; ++i) {
      if (node.inputs[i] != nullptr) *node.inputs[i] = *node.inputs[i] + node.adjoints[i];
    }
  }
};

}  // namespace detail

/// The vector of f(0), f(1), …, called in this order.
template <class Number, class F>
Vector<Number> make_vector(int size, F f) {
  if constexpr (detail::is_variable<Number>) {
    using Real = RealOf<Number>;
    using Value = ValueOf<Number>;
    constexpr int W = Value::width;
    auto& tape = Tape<Real, W>::active();
    auto* values = tape.template take<Value>(size);
    auto** inputs = tape.template take<Value*>(size);
    for (int i = 0; i < size; ++i) {
      const Number x = f(i);
      values[i] = x.value;
      inputs[i] = x.adjoint;
    }
    auto* adjoints = tape.adjoints(size);
    auto& node = tape.template add<detail::Gather<Real, W>>();
    node.size = size;
    node.inputs = inputs;
    node.adjoints = adjoints;
    return {values, adjoints, size};
  } else {
    auto* numbers = detail::take<Number>(size);
    for (int i = 0; i < size; ++i) numbers[i] = f(i);
    return {numbers, size};
  }
}
template <class Number>
Vector<Number> make_vector(std::span<const Number> numbers) {
  return make_vector<Number>(static_cast<int>(numbers.size()), [&](int i) { return numbers[i]; });
}

/// The values of a vector, without derivatives.
template <class Number>
const ValueOf<Number>* values_of(const Vector<Number>& x) {
  if constexpr (detail::is_pack<Number>) {
    return x.data();
  } else if constexpr (detail::is_variable<Number>) {
    return x.values();
  } else {
    auto* values = detail::take<ValueOf<Number>>(x.size());
    for (int i = 0; i < x.size(); ++i) values[i] = x[i].value;
    return values;
  }
}

namespace detail {

/// The slopes of a result with respect to a vector, or to one number. For packs there are none, and the pointer is
/// null.
template <class Number>
struct VectorSlopes {
  Vector<Number> input;
  const ValueOf<Number>* slopes;
};
template <class Number>
struct NumberSlope {
  Number input;
  ValueOf<Number> slope;
};

template <class Real, int W>
struct Reduction : Tape<Real, W>::Node {
  using Value = Pack<Real, W>;
  int size;
  Value* inputs;
  const Value* slopes;
  Value* shared;  // the adjoint of the result

  static void back(Reduction& node) {
    const Value adjoint = *node.shared;
    for (int i = 0; i < node.size; ++i) add_product(node.inputs[i], adjoint, node.slopes[i]);
  }
};

template <class Real, int W>
BREAKSTEP_INLINE void record(Pack<Real, W>* result, const VectorSlopes<Variable<Real, W>>& part) {
  auto& node = Tape<Real, W>::active().template add<Reduction<Real, W>>();
  node.size = part.input.size();
  node.inputs = part.input.adjoints();
  node.slopes = part.slopes;
  node.shared = result;
}
template <class Real, int W>
BREAKSTEP_INLINE void record(Pack<Real, W>* result, const NumberSlope<Variable<Real, W>>& part) {
  if (part.input.adjoint == nullptr) return;
  auto& tape = Tape<Real, W>::active();
  auto* slope = tape.template take<Pack<Real, W>>(1);
  *slope = part.slope;
  auto& node = tape.template add<Reduction<Real, W>>();
  node.size = 1;
  node.inputs = part.input.adjoint;
  node.slopes = slope;
  node.shared = result;
}

template <class Real, int W, int N>
BREAKSTEP_INLINE void accumulate(Dual<Real, W, N>& result, const VectorSlopes<Dual<Real, W, N>>& part) {
  for (int i = 0; i < part.input.size(); ++i) {
    for (int k = 0; k < N; ++k) result.slope[k] = fma(part.slopes[i], part.input[i].slope[k], result.slope[k]);
  }
}
template <class Real, int W, int N>
BREAKSTEP_INLINE void accumulate(Dual<Real, W, N>& result, const NumberSlope<Dual<Real, W, N>>& part) {
  for (int k = 0; k < N; ++k) result.slope[k] = fma(part.slope, part.input.slope[k], result.slope[k]);
}

/// The number with this value and these slopes.
template <class Number, class... Parts>
Number reduced(ValueOf<Number> value, const Parts&... parts) {
  if constexpr (is_pack<Number>) {
    return value;
  } else if constexpr (is_variable<Number>) {
    using Recorder = typename Number::Recorder;
    auto* adjoint = Recorder::active().adjoints(1);
    (record(adjoint, parts), ...);
    return {value, adjoint};
  } else {
    Number result(value);
    (accumulate(result, parts), ...);
    return result;
  }
}

/// Room for the slopes of a vector; none for packs.
template <class Number>
ValueOf<Number>* take_slopes(int size) {
  if constexpr (is_pack<Number>) {
    return nullptr;
  } else {
    return take<ValueOf<Number>>(size);
  }
}

/// Adds terms 0, 1, … length − 1 in the library's fixed order: sixteen accumulators, then a tree. Accumulators that no
/// term reaches are left out of both.
template <class P>
class OrderedSum {
 public:
  explicit OrderedSum(int length) : used_(std::min(length, lanes::accumulators)) {
    sums_[0] = literal<P>(0);
    for (int k = 1; k < used_; ++k) sums_[k] = literal<P>(0);
  }
  BREAKSTEP_INLINE void add(int i, P term) {
    P& sum = sums_[i % lanes::accumulators];
    sum = sum + term;
  }
  [[nodiscard]] P total() {
    for (int half = lanes::accumulators / 2; half > 0; half /= 2) {
      for (int k = 0; k + half < used_; ++k) sums_[k] = sums_[k] + sums_[k + half];
      used_ = std::min(used_, half);
    }
    return sums_[0];
  }

 private:
  int used_;
  P sums_[lanes::accumulators];
};

/// A function of each number of a vector.
template <class Real, int W>
struct Elementwise : Tape<Real, W>::Node {
  int size;
  Pack<Real, W>* inputs;
  Pack<Real, W>* adjoints;
  const Pack<Real, W>* slopes;

  static void back(Elementwise& node) {
    for (int i = 0; i < node.size; ++i) add_product(node.inputs[i], node.adjoints[i], node.slopes[i]);
  }
};

template <class Number, class Rule>
Vector<Number> apply_each(const Vector<Number>& x, const Rule& rule) {
  if constexpr (is_variable<Number>) {
    using Real = RealOf<Number>;
    using Value = ValueOf<Number>;
    constexpr int W = Value::width;
    auto& tape = Tape<Real, W>::active();
    auto* values = tape.template take<Value>(x.size());
    auto* slopes = tape.template take<Value>(x.size());
    for (int i = 0; i < x.size(); ++i) {
      const auto y = rule.at(x.values()[i]);
      values[i] = y.value;
      slopes[i] = y.slope;
    }
    auto* adjoints = tape.adjoints(x.size());
    auto& node = tape.template add<Elementwise<Real, W>>();
    node.size = x.size();
    node.inputs = x.adjoints();
    node.adjoints = adjoints;
    node.slopes = slopes;
    return {values, adjoints, x.size()};
  } else if constexpr (is_pack<Number>) {
    return make_vector<Number>(x.size(), [&](int i) { return rule.at(x[i]).value; });
  } else {
    return make_vector<Number>(x.size(), [&](int i) {
      const auto y = rule.at(x[i].value);
      return x[i].through(y.value, y.slope);
    });
  }
}

}  // namespace detail

template <class Number>
Vector<Number> exp(const Vector<Number>& x) {
  return detail::apply_each(x, detail::Exp{});
}
template <class Number>
Vector<Number> log(const Vector<Number>& x) {
  return detail::apply_each(x, detail::Log{});
}
template <class Number>
Vector<Number> logistic(const Vector<Number>& x) {
  return detail::apply_each(x, detail::Logistic{});
}
template <class Number>
Vector<Number> softplus(const Vector<Number>& x) {
  return detail::apply_each(x, detail::Softplus{});
}

/// Σ xᵢ.
template <class Number>
Number sum(const Vector<Number>& x) {
  using Value = ValueOf<Number>;
  const auto* values = values_of(x);
  auto* slopes = detail::take_slopes<Number>(x.size());
  detail::OrderedSum<Value> total(x.size());
  for (int i = 0; i < x.size(); ++i) {
    total.add(i, values[i]);
    if constexpr (!detail::is_pack<Number>) slopes[i] = detail::literal<Value>(1);
  }
  return detail::reduced<Number>(total.total(), detail::VectorSlopes<Number>{x, slopes});
}

/// Σ xᵢ·yᵢ.
template <class Number>
Number dot(const Vector<Number>& x, const Vector<Number>& y) {
  assert(x.size() == y.size());
  const auto* a = values_of(x);
  const auto* b = values_of(y);
  detail::OrderedSum<ValueOf<Number>> total(x.size());
  for (int i = 0; i < x.size(); ++i) total.add(i, a[i] * b[i]);
  return detail::reduced<Number>(total.total(), detail::VectorSlopes<Number>{x, b}, detail::VectorSlopes<Number>{y, a});
}

/// log Σ exp(xᵢ), without overflow; −∞ for an empty vector.
template <class Number>
Number log_sum_exp(const Vector<Number>& x) {
  using Value = ValueOf<Number>;
  constexpr auto infinity = std::numeric_limits<RealOf<Number>>::infinity();
  const auto* values = values_of(x);
  Value greatest(-infinity);
  for (int i = 0; i < x.size(); ++i) greatest = max(values[i], greatest);
  const Value shift = select(abs(greatest) < Value(infinity), greatest, detail::literal<Value>(0));
  auto* slopes = detail::take_slopes<Number>(x.size());
  detail::OrderedSum<Value> total(x.size());
  for (int i = 0; i < x.size(); ++i) {
    const Value power = exp(values[i] - shift);
    if constexpr (!detail::is_pack<Number>) slopes[i] = power;
    total.add(i, power);
  }
  const Value powers = total.total();
  if constexpr (!detail::is_pack<Number>) {
    const Value reciprocal = detail::literal<Value>(1) / powers;
    for (int i = 0; i < x.size(); ++i) slopes[i] = slopes[i] * reciprocal;
  }
  return detail::reduced<Number>(shift + log(powers), detail::VectorSlopes<Number>{x, slopes});
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
