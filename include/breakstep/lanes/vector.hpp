// Vector<T, W, storage>: the vectors of W chains, in one of two storages, and the few operations sampler blocks use on
// them.
//
// interleaved: coordinate i of all W chains forms a pack (small d).
// contiguous:  each chain's coordinates lie together and operations run over the lanes of the mask, SIMD over d (large
// d). Both do the same IEEE operations in the same order on every coordinate, so a chain's bits do not depend on the
// choice.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

enum class Storage { interleaved, contiguous };

/// Coordinates are summed in this many accumulators (coordinate i goes to accumulator i mod 16), which are then added
/// as a tree: k with k+8, then k+4, k+2, k+1. The order is the same for every width, storage and instruction set.
inline constexpr int accumulators = 16;

/// `length` rounded up to whole groups of accumulators, so that SIMD over d needs no tails except in sums.
constexpr int padded(int length) { return (length + accumulators - 1) / accumulators * accumulators; }

/// A view of W chains' vectors of run-time length; whoever binds it owns the memory (64-byte aligned, initialised).
template <class T, int W, Storage S>
class Vector {
 public:
  using Real = T;
  static constexpr int width = W;
  static constexpr Storage storage = S;

  Vector() = default;
  Vector(T* data, int length) : data_(data), length_(length) {}

  /// Elements of memory that a vector of this length needs.
  static constexpr std::size_t elements(int length) {
    return static_cast<std::size_t>(S == Storage::interleaved ? length : padded(length)) * W;
  }

  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] T* data() const { return data_; }

  /// Coordinate i of one chain.
  [[nodiscard]] T at(int lane, int i) const { return data_[offset(lane, i)]; }
  void set(int lane, int i, T value) const { data_[offset(lane, i)] = value; }

  /// Coordinate i of all chains. Interleaved storage only.
  [[nodiscard]] BREAKSTEP_INLINE Pack<T, W> operator[](int i) const requires(S == Storage::interleaved) {
    return Pack<T, W>::load(data_ + static_cast<std::ptrdiff_t>(i) * W);
  }
  BREAKSTEP_INLINE void store(int i, Pack<T, W> value) const requires(S == Storage::interleaved) {
    value.store(data_ + static_cast<std::ptrdiff_t>(i) * W);
  }

  /// One chain's coordinates. Contiguous storage only.
  [[nodiscard]] BREAKSTEP_INLINE T* lane_data(int lane) const requires(S == Storage::contiguous) {
    return data_ + static_cast<std::ptrdiff_t>(lane) * padded(length_);
  }

 private:
  [[nodiscard]] std::ptrdiff_t offset(int lane, int i) const {
    assert(lane >= 0 && lane < W && i >= 0 && i < length_);
    if constexpr (S == Storage::interleaved) {
      return static_cast<std::ptrdiff_t>(i) * W + lane;
    } else {
      return static_cast<std::ptrdiff_t>(lane) * padded(length_) + i;
    }
  }

  T* data_ = nullptr;
  int length_ = 0;
};

/// Several vectors of equal length under one name (the checkpoints of a NUTS trajectory): row r is a Vector.
template <class T, int W, Storage S>
class Table {
 public:
  using Real = T;
  using Row = Vector<T, W, S>;
  static constexpr int width = W;

  Table() = default;
  Table(T* data, int rows, int length) : data_(data), rows_(rows), length_(length) {}

  static constexpr std::size_t elements(int rows, int length) {
    return static_cast<std::size_t>(rows) * Row::elements(length);
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] Row operator[](int row) const {
    assert(row >= 0 && row < rows_);
    return Row(data_ + static_cast<std::size_t>(row) * Row::elements(length_), length_);
  }

 private:
  T* data_ = nullptr;
  int rows_ = 0;
  int length_ = 0;
};

namespace detail {

/// dst_i = f(elements_i...) for the chains of `where`, register by register. `f` is generic in the pack it is given,
/// and scalars reach it through `per_lane(pack)`, which is the pack itself or one lane's value spread, as the storage
/// needs.
template <class T, int W, Storage S, class F, class... Vectors>
BREAKSTEP_INLINE void update(Mask<W> where, const Vector<T, W, S>& dst, F f, const Vectors&... sources) {
  assert(((sources.length() == dst.length()) && ...));
  if constexpr (S == Storage::interleaved) {
    const auto per_lane = [](const Pack<T, W>& scalar) { return scalar; };
    if (where.all()) {
      for (int i = 0; i < dst.length(); ++i) dst.store(i, f(per_lane, sources[i]...));
    } else {
      const Truth<sizeof(T), W> chosen(where);
      for (int i = 0; i < dst.length(); ++i) dst.store(i, select(chosen, f(per_lane, sources[i]...), dst[i]));
    }
  } else {
    using Native = Pack<T, native_width<T>>;
    for_each_lane(where, [&](int lane) {
      const auto per_lane = [lane](const Pack<T, W>& scalar) { return Native(scalar[lane]); };
      T* to = dst.lane_data(lane);
      for (int i = 0; i < padded(dst.length()); i += Native::width) {
        f(per_lane, Native::load(sources.lane_data(lane) + i)...).store(to + i);
      }
    });
  }
}

/// Adds 16 accumulators of one chain as the tree orders, from packs that hold them side by side.
template <class T, int N>
BREAKSTEP_INLINE T add_accumulators(const Pack<T, N> (&sums)[accumulators / N]) {
  T values[accumulators];
  for (int k = 0; k < accumulators / N; ++k) sums[k].store(values + k * N);
#pragma GCC unroll 4
  for (int half = accumulators / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) values[k] = values[k] + values[k + half];
  }
  return values[0];
}

/// One chain's Σ term(x_i, …) over contiguous coordinates, in the fixed order; term(sum, x…) continues an accumulator.
template <class T, class Term, class... Pointers>
BREAKSTEP_INLINE T sum_contiguous(int length, Term term, Pointers... coordinates) {
  constexpr int N = native_width<T>;
  constexpr int registers = accumulators / N;
  Pack<T, N> sums[registers];
  for (auto& sum : sums) sum = Pack<T, N>(T(0));
  int i = 0;
  for (; i + accumulators <= length; i += accumulators) {
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) sums[k] = term(sums[k], Pack<T, N>::load(coordinates + i + k * N)...);
  }
  // What lies in the padding is no coordinate and may be anything, so the accumulators beyond the end must not move.
  for (int k = 0; k < registers && i + k * N < length; ++k) {
    const auto inside = Mask<N>::first_lanes(length - i - k * N < N ? length - i - k * N : N);
    sums[k] = select(inside, term(sums[k], Pack<T, N>::load(coordinates + i + k * N)...), sums[k]);
  }
  return add_accumulators<T, N>(sums);
}

/// The same sum for W interleaved chains at once.
template <class T, int W, class Term, class... Vectors>
BREAKSTEP_INLINE Pack<T, W> sum_interleaved(int length, Term term, const Vectors&... vectors) {
  // Up to four coordinates the tree is written out, so that the sums stay in registers.
  if (length <= 4) {
    const auto alone = [&](int i) { return term(Pack<T, W>(T(0)), vectors[i]...); };
    switch (length) {
      case 0:
        return Pack<T, W>(T(0));
      case 1:
        return alone(0);
      case 2:
        return alone(0) + alone(1);
      case 3:
        return (alone(0) + alone(2)) + alone(1);
      default:
        return (alone(0) + alone(2)) + (alone(1) + alone(3));
    }
  }
  Pack<T, W> sums[accumulators];
  for (auto& sum : sums) sum = Pack<T, W>(T(0));
  int i = 0;
  for (; i + accumulators <= length; i += accumulators) {
#pragma GCC unroll 16
    for (int k = 0; k < accumulators; ++k) sums[k] = term(sums[k], vectors[i + k]...);
  }
  for (int k = 0; i + k < length; ++k) sums[k] = term(sums[k], vectors[i + k]...);
  // Accumulators that no coordinate reached are +0 and adding them changes nothing but the sign of a zero, which
  // `sum_over` settles; so short vectors need only the lower levels of the tree.
  int half = accumulators / 2;
  while (half >= length && half > 0) half /= 2;
  for (; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) sums[k] = sums[k] + sums[k + half];
  }
  return sums[0];
}

template <class T, int W, Storage S, class Term, class... Vectors>
BREAKSTEP_INLINE Pack<T, W> sum_over(Mask<W> where, Term term, const Vector<T, W, S>& first, const Vectors&... rest) {
  assert(((rest.length() == first.length()) && ...));
  Pack<T, W> total(T(0));
  if constexpr (S == Storage::interleaved) {
    total = select(where, sum_interleaved<T, W>(first.length(), term, first, rest...), total);
  } else {
    for_each_lane(where, [&](int lane) {
      total.set(lane, sum_contiguous<T>(first.length(), term, first.lane_data(lane), rest.lane_data(lane)...));
    });
  }
  return total + Pack<T, W>(T(0));  // −0 becomes +0: how many zeros a storage has added must not show
}

}  // namespace detail

/// dst = src for the chains of `where`.
template <class T, int W, Storage S>
void assign(Mask<W> where, const Vector<T, W, S>& dst, const Vector<T, W, S>& src) {
  detail::update(
      where, dst, [](auto, auto x) { return x; }, src);
}

/// Every coordinate of dst = the chain's `value`.
template <class T, int W, Storage S>
void fill(Mask<W> where, const Vector<T, W, S>& dst, std::type_identity_t<Pack<T, W>> value) {
  detail::update(
      where, dst, [&value](auto per_lane, auto) { return per_lane(value); }, dst);
}

/// y += a·x, one rounding per coordinate.
template <class T, int W, Storage S>
void add_scaled(Mask<W> where, const Vector<T, W, S>& y, std::type_identity_t<Pack<T, W>> a, const Vector<T, W, S>& x) {
  detail::update(
      where, y, [&a](auto per_lane, auto xi, auto yi) { return fma(per_lane(a), xi, yi); }, x, y);
}

/// dst = y + a·x, one rounding per coordinate.
template <class T, int W, Storage S>
void add_scaled(Mask<W> where, const Vector<T, W, S>& dst, const Vector<T, W, S>& y, std::type_identity_t<Pack<T, W>> a,
                const Vector<T, W, S>& x) {
  detail::update(
      where, dst, [&a](auto per_lane, auto xi, auto yi) { return fma(per_lane(a), xi, yi); }, x, y);
}

/// dst = a·x + b·y, computed as fma(a, x, b·y).
template <class T, int W, Storage S>
void combine(Mask<W> where, const Vector<T, W, S>& dst, std::type_identity_t<Pack<T, W>> a, const Vector<T, W, S>& x,
             std::type_identity_t<Pack<T, W>> b, const Vector<T, W, S>& y) {
  detail::update(
      where, dst, [&](auto per_lane, auto xi, auto yi) { return fma(per_lane(a), xi, per_lane(b) * yi); }, x, y);
}

/// y *= a.
template <class T, int W, Storage S>
void scale(Mask<W> where, const Vector<T, W, S>& y, std::type_identity_t<Pack<T, W>> a) {
  detail::update(
      where, y, [&a](auto per_lane, auto yi) { return per_lane(a) * yi; }, y);
}

/// dst = x·y, coordinate by coordinate.
template <class T, int W, Storage S>
void multiply(Mask<W> where, const Vector<T, W, S>& dst, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  detail::update(
      where, dst, [](auto, auto xi, auto yi) { return xi * yi; }, x, y);
}

/// Exchanges x and y for the chains of `where`.
template <class T, int W, Storage S>
void swap(Mask<W> where, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  assert(x.length() == y.length());
  if constexpr (S == Storage::interleaved) {
    const Truth<sizeof(T), W> chosen(where);
    for (int i = 0; i < x.length(); ++i) {
      const Pack<T, W> xi = x[i], yi = y[i];
      x.store(i, select(chosen, yi, xi));
      y.store(i, select(chosen, xi, yi));
    }
  } else {
    for_each_lane(where, [&](int lane) {
      T* a = x.lane_data(lane);
      T* b = y.lane_data(lane);
      for (int i = 0; i < padded(x.length()); ++i) std::swap(a[i], b[i]);
    });
  }
}

/// Σ xᵢ·yᵢ per chain in the fixed order, each term an fma; 0 in lanes outside `where`.
template <class T, int W, Storage S>
Pack<T, W> dot(Mask<W> where, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  return detail::sum_over(
      where, [](auto sum, auto xi, auto yi) { return fma(xi, yi, sum); }, x, y);
}

/// Σ xᵢ per chain in the fixed order; 0 in lanes outside `where`.
template <class T, int W, Storage S>
Pack<T, W> sum(Mask<W> where, const Vector<T, W, S>& x) {
  return detail::sum_over(
      where, [](auto total, auto xi) { return total + xi; }, x);
}

/// Copies the chains of `where` between storages; a density in lanes reads interleaved what blocks keep contiguous.
template <class T, int W, Storage To, Storage From>
requires(To != From) void transpose(Mask<W> where, const Vector<T, W, To>& dst, const Vector<T, W, From>& src) {
  assert(dst.length() == src.length());
  for_each_lane(where, [&](int lane) {
    for (int i = 0; i < src.length(); ++i) dst.set(lane, i, src.at(lane, i));
  });
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
