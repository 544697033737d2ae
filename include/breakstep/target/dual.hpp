// Dual<Real, W, N>: a number with its derivatives in N directions, for W chains; forward differentiation.
#pragma once

#include <type_traits>

#include "breakstep/target/derivative.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Arithmetic and functions are those of derivative.hpp. One evaluation of a model costs about 1 + N times that with
/// packs, and gives N coordinates of the gradient.
template <class Real, int W, int N>
struct Dual {
  using Value = Pack<Real, W>;
  static constexpr int directions = N;

  Value value;
  Value slope[N];

  Dual() = default;  // uninitialised, as Real is
  /// A constant.
  BREAKSTEP_INLINE Dual(Value constant) : value(constant) {  // NOLINT(google-explicit-constructor)
    for (Value& s : slope) s = Value(Real(0));
  }
  template <class C>
  requires std::is_arithmetic_v<C> BREAKSTEP_INLINE Dual(C constant)  // NOLINT(google-explicit-constructor)
      : Dual(Value(static_cast<Real>(constant))) {}

  /// The variable that moves in the given direction; a constant if there is no such direction.
  static BREAKSTEP_INLINE Dual variable(Value value, int direction) {
    Dual x(value);
    if (direction >= 0 && direction < N) x.slope[direction] = Value(Real(1));
    return x;
  }

  [[nodiscard]] BREAKSTEP_INLINE Dual through(Value y, Value dy) const {
    Dual r;
    r.value = y;
    for (int k = 0; k < N; ++k) r.slope[k] = dy * slope[k];
    return r;
  }
  static BREAKSTEP_INLINE Dual through(const Dual& a, const Dual& b, Value y, Value da, Value db) {
    Dual r;
    r.value = y;
    for (int k = 0; k < N; ++k) r.slope[k] = fma(da, a.slope[k], db * b.slope[k]);
    return r;
  }
  [[nodiscard]] BREAKSTEP_INLINE Dual shifted(Value y) const {
    Dual r = *this;
    r.value = y;
    return r;
  }
  static BREAKSTEP_INLINE Dual chosen(Truth<sizeof(Real), W> condition, const Dual& a, const Dual& b) {
    Dual r;
    r.value = select(condition, a.value, b.value);
    for (int k = 0; k < N; ++k) r.slope[k] = select(condition, a.slope[k], b.slope[k]);
    return r;
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
