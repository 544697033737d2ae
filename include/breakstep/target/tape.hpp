// Tape<Real, W> and Variable<Real, W>: reverse differentiation for W chains at once.
//
// Every operation on variables leaves a node on the tape; propagate() goes back over them. A node costs several times
// the operation it stands for, so a sum over data should be one node: see numbers.hpp, linear.hpp, likelihood.hpp.
#pragma once

#include <type_traits>

#include "breakstep/target/arena.hpp"
#include "breakstep/target/derivative.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// What was done with variables, last first. While it lives, the tape belongs to this thread, and operations on
/// Variable<Real, W> are recorded on it; tapes nest, and the inner one must go first. Its memory is this thread's
/// arena: a tape of the same length as an earlier one allocates nothing.
template <class Real, int W>
class Tape {
 public:
  using Value = Pack<Real, W>;

  /// The head of each node; what it needs to propagate follows in a derived struct.
  struct Node {
    Node* previous;
    void (*propagate)(Node&);
  };

  Tape() : outer_(active_) { active_ = this; }
  ~Tape() { active_ = outer_; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  static BREAKSTEP_INLINE Tape& active() { return *active_; }

  /// Memory that lives as long as the tape.
  template <class T>
  BREAKSTEP_INLINE T* take(int count) {
    return scope_.arena().template take<T>(static_cast<std::size_t>(count));
  }
  /// Adjoints of new variables, not yet reached by propagation.
  BREAKSTEP_INLINE Value* adjoints(int count) {
    Value* zeros = take<Value>(count);
    for (int i = 0; i < count; ++i) zeros[i] = Value(Real(0));
    return zeros;
  }

  /// A new last node; its `static void back(Derived&)` adds to the adjoints of what it was computed from.
  template <class Derived>
  BREAKSTEP_INLINE Derived& add() {
    auto* node = scope_.arena().template take<Derived>();
    node->previous = last_;
    node->propagate = [](Node& head) { Derived::back(static_cast<Derived&>(head)); };
    last_ = node;
    return *node;
  }

  /// Adds to every adjoint what it gets from later ones. Set those of the results before.
  void propagate() {
    for (Node* node = last_; node != nullptr; node = node->previous) node->propagate(*node);
  }

 private:
  static inline constinit thread_local Tape* active_ = nullptr;

  ArenaScope scope_;
  Tape* outer_;
  Node* last_ = nullptr;
};

/// Adds adjoint·slope. Nothing comes from an adjoint of zero, even if the slope is infinite: what select() has not
/// chosen stays out.
template <class P>
BREAKSTEP_INLINE void add_product(P& sum, P adjoint, P slope) {
  sum = select(adjoint == P(typename P::Element(0)), sum, fma(adjoint, slope, sum));
}

/// A number on this thread's tape: its value, and where its adjoint lies. Without an adjoint it is a constant.
template <class Real, int W>
struct Variable {
  using Value = Pack<Real, W>;
  using Recorder = Tape<Real, W>;

  Value value;
  Value* adjoint = nullptr;

  Variable() = default;  // uninitialised, as Real is
  /// A constant.
  BREAKSTEP_INLINE Variable(Value constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  template <class C>
  requires std::is_arithmetic_v<C> BREAKSTEP_INLINE Variable(C constant)  // NOLINT(google-explicit-constructor)
      : value(Value(static_cast<Real>(constant))) {}
  BREAKSTEP_INLINE Variable(Value v, Value* a) : value(v), adjoint(a) {}

  struct Unary : Recorder::Node {
    Value* input;
    Value adjoint;
    Value slope;

    static void back(Unary& node) { add_product(*node.input, node.adjoint, node.slope); }
  };
  struct Binary : Recorder::Node {
    Value* a;
    Value* b;
    Value adjoint;
    Value slope_a;
    Value slope_b;

    static void back(Binary& node) {
      add_product(*node.a, node.adjoint, node.slope_a);
      add_product(*node.b, node.adjoint, node.slope_b);
    }
  };

  [[nodiscard]] BREAKSTEP_INLINE Variable through(Value y, Value dy) const {
    if (adjoint == nullptr) return y;
    auto& node = Recorder::active().template add<Unary>();
    node.input = adjoint;
    node.adjoint = Value(Real(0));
    node.slope = dy;
    return {y, &node.adjoint};
  }
  static BREAKSTEP_INLINE Variable through(const Variable& a, const Variable& b, Value y, Value da, Value db) {
    if (a.adjoint == nullptr) return b.through(y, db);
    if (b.adjoint == nullptr) return a.through(y, da);
    auto& node = Recorder::active().template add<Binary>();
    node.a = a.adjoint;
    node.b = b.adjoint;
    node.adjoint = Value(Real(0));
    node.slope_a = da;
    node.slope_b = db;
    return {y, &node.adjoint};
  }
  /// Has the same adjoint: a constant that is added leaves no trace.
  [[nodiscard]] BREAKSTEP_INLINE Variable shifted(Value y) const { return {y, adjoint}; }
  static BREAKSTEP_INLINE Variable chosen(Truth<sizeof(Real), W> condition, const Variable& a, const Variable& b) {
    const Value one(Real(1)), zero(Real(0));
    return through(a, b, select(condition, a.value, b.value), select(condition, one, zero),
                   select(condition, zero, one));
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
