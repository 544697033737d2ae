// Sums and products with their rounding errors, and numbers held as an unevaluated sum of two.
#pragma once

#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// The unevaluated sum high + low. The functions below return |low| ≤ half a unit in the last place of high.
template <class T, int W>
struct DoubleWord {
  Pack<T, W> high;
  Pack<T, W> low;
};

/// a + b exactly, if |a| ≥ |b| or a = 0.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> fast_two_sum(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  const Pack<T, W> sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly, whichever is larger.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> two_sum(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  const Pack<T, W> sum = a + b;
  const Pack<T, W> b_part = sum - a;
  const Pack<T, W> a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// a·b exactly, unless the low part falls below the smallest normal number.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> two_product(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  const Pack<T, W> product = a * b;
  return {product, fma(a, b, -product)};
}

/// a + b for |a| ≥ |b| (or a = 0); relative error about 2^(1 − 2p), where p is the precision of T.
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> fast_add(DoubleWord<T, W> a, DoubleWord<T, W> b) {
  const DoubleWord<T, W> sum = fast_two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

/// a + b for |a| ≥ |b| (or a = 0).
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> fast_add(Pack<T, W> a, DoubleWord<T, W> b) {
  const DoubleWord<T, W> sum = fast_two_sum(a, b.high);
  return fast_two_sum(sum.high, sum.low + b.low);
}

/// a·b; relative error about 2^(3 − 2p).
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> multiply(DoubleWord<T, W> a, DoubleWord<T, W> b) {
  const DoubleWord<T, W> product = two_product(a.high, b.high);
  const Pack<T, W> cross = fma(a.high, b.low, a.low * b.high);
  return fast_two_sum(product.high, product.low + cross);
}

/// a·b; relative error about 2^(2 − 2p).
template <class T, int W>
BREAKSTEP_INLINE DoubleWord<T, W> multiply(DoubleWord<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  const DoubleWord<T, W> product = two_product(a.high, b);
  return fast_two_sum(product.high, fma(a.low, b, product.low));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
