// Vector<T, W, storage>: the vectors of W chains, in one of two storages, and the few operations sampler blocks use on
// them.
//
// interleaved: coordinate i of all W chains forms a pack (small d).
// contiguous:  each chain's coordinates lie together and operations run over the lanes of the mask, SIMD over d (large
// d). Both do the same IEEE operations in the same order on every coordinate, so a chain's bits do not depend on the
// choice.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <tuple>
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

/// The sum of one register's lanes as the tree orders: k with k + N/2, then k + N/4, ….
template <class T, int N>
BREAKSTEP_INLINE T add_lanes(Pack<T, N> sums) {
  static_assert(Pack<T, N>::parts == 1);
  if constexpr (N == 16 || (N == 8 && sizeof(T) == 8)) {
    Pack<T, N / 2> low, high;
    std::memcpy(&low, &sums, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&sums) + sizeof low, sizeof high);
    return add_lanes(low + high);
  } else if constexpr (sizeof(T) == 4) {
    const __m256 all = (__m256)sums.part[0];
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  } else {
    const __m256d all = (__m256d)sums.part[0];
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
}

/// Adds 16 accumulators of one chain as the tree orders, from packs that hold them side by side.
template <class T, int N>
BREAKSTEP_INLINE T add_accumulators(const Pack<T, N> (&sums)[accumulators / N]) {
  constexpr int registers = accumulators / N;
  Pack<T, N> left[registers];
#pragma GCC unroll 4
  for (int k = 0; k < registers; ++k) left[k] = sums[k];
#pragma GCC unroll 4
  for (int half = registers / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
    for (int k = 0; k < half; ++k) left[k] = left[k] + left[k + half];
  }
  return add_lanes(left[0]);
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

/// Marks a vector that a sweep changes.
template <class T, int W, Storage S>
struct Changing {
  Vector<T, W, S> vector;
};
template <class T, int W, Storage S>
Changing<T, W, S> changing(const Vector<T, W, S>& vector) {
  return {vector};
}

namespace detail {

template <class T, int W, Storage S>
BREAKSTEP_INLINE const Vector<T, W, S>& view(const Vector<T, W, S>& vector) {
  return vector;
}
template <class T, int W, Storage S>
BREAKSTEP_INLINE const Vector<T, W, S>& view(const Changing<T, W, S>& changed) {
  return changed.vector;
}
template <class V>
inline constexpr bool is_changing = false;
template <class T, int W, Storage S>
inline constexpr bool is_changing<Changing<T, W, S>> = true;

/// One chain's sweep over contiguous coordinates. Padding is swept too, but never summed.
template <int Sums, class T, class F, class... Operands>
BREAKSTEP_INLINE std::array<T, Sums> sweep_contiguous(int length, F f, int lane, const Operands&... operands) {
  constexpr int N = native_width<T>;
  constexpr int registers = accumulators / N;
  using P = Pack<T, N>;
  P sums[Sums > 0 ? Sums : 1][registers];
  for (auto& sum : sums) {
#pragma GCC unroll 4
    for (auto& part : sum) part = P(T(0));
  }
  const auto at = [&](int i, std::array<P, Sums>& totals) BREAKSTEP_INLINE_LAMBDA {
    std::tuple<decltype((static_cast<void>(operands), P()))...> values{P::load(view(operands).lane_data(lane) + i)...};
    std::apply(
        [&](auto&... value) BREAKSTEP_INLINE_LAMBDA {
          f(totals, value...);
          const auto put = [&](const auto& operand, const P& x) BREAKSTEP_INLINE_LAMBDA {
            if constexpr (is_changing<std::remove_cvref_t<decltype(operand)>>)
              x.store(view(operand).lane_data(lane) + i);
          };
          (put(operands, value), ...);
        },
        values);
  };
  int i = 0;
  for (; i + accumulators <= length; i += accumulators) {
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) {
      std::array<P, Sums> totals;
      for (int s = 0; s < Sums; ++s) totals[s] = sums[s][k];
      at(i + k * N, totals);
      for (int s = 0; s < Sums; ++s) sums[s][k] = totals[s];
    }
  }
  for (int k = 0; k < registers && i + k * N < length; ++k) {
    const auto inside = Truth<sizeof(T), N>(Mask<N>::first_lanes(length - i - k * N < N ? length - i - k * N : N));
    std::array<P, Sums> totals;
    for (int s = 0; s < Sums; ++s) totals[s] = sums[s][k];
    at(i + k * N, totals);
    for (int s = 0; s < Sums; ++s) sums[s][k] = select(inside, totals[s], sums[s][k]);
  }
  std::array<T, Sums> result;
  for (int s = 0; s < Sums; ++s) result[s] = add_accumulators<T, N>(sums[s]);
  return result;
}

/// The same for W interleaved chains.
template <int Sums, class T, int W, class F, class... Operands>
BREAKSTEP_INLINE std::array<Pack<T, W>, Sums> sweep_interleaved(Mask<W> where, int length, F f,
                                                                const Operands&... operands) {
  using P = Pack<T, W>;
  const Truth<sizeof(T), W> chosen(where);
  P sums[Sums > 0 ? Sums : 1][accumulators];
  for (auto& sum : sums) {
    for (auto& part : sum) part = P(T(0));
  }
  for (int i = 0; i < length; ++i) {
    std::array<P, Sums> totals;
    for (int s = 0; s < Sums; ++s) totals[s] = sums[s][i % accumulators];
    std::tuple<decltype((static_cast<void>(operands), P()))...> values{view(operands)[i]...};
    std::apply(
        [&](auto&... value) {
          f(totals, value...);
          const auto put = [&](const auto& operand, const P& x) {
            if constexpr (is_changing<std::remove_cvref_t<decltype(operand)>>) {
              view(operand).store(i, select(chosen, x, view(operand)[i]));
            }
          };
          (put(operands, value), ...);
        },
        values);
    for (int s = 0; s < Sums; ++s) sums[s][i % accumulators] = totals[s];
  }
  std::array<P, Sums> result;
  for (int s = 0; s < Sums; ++s) {
    for (int half = accumulators / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) sums[s][k] = sums[s][k] + sums[s][k + half];
    }
    result[s] = sums[s][0];
  }
  return result;
}

}  // namespace detail

/// One pass over the coordinates of several vectors, for the chains of `where`: f(per_lane, sums, x, y, …) is called
/// with a pack of each vector; those wrapped in changing() are stored back, and f adds to the `Sums` elements of
/// `sums`. Scalars of a chain reach f through per_lane(pack). Returns each chain's sums in the fixed order, 0 outside
/// `where`.
template <int Sums, int W, class F, class... Operands>
auto sweep(Mask<W> where, F f, const Operands&... operands) {
  const auto& first = detail::view(std::get<0>(std::tie(operands...)));
  using First = std::remove_cvref_t<decltype(first)>;
  using T = typename First::Real;
  constexpr Storage S = First::storage;
  const int length = first.length();
  assert(((detail::view(operands).length() == length) && ...));
  std::array<Pack<T, W>, Sums> totals;
  for (auto& total : totals) total = Pack<T, W>(T(0));
  if constexpr (S == Storage::interleaved) {
    const auto per_lane = [](const Pack<T, W>& scalar) { return scalar; };
    const auto found = detail::sweep_interleaved<Sums, T>(
        where, length, [&](auto& sums, auto&... x) { f(per_lane, sums, x...); }, operands...);
    for (int s = 0; s < Sums; ++s) totals[s] = select(where, found[s], totals[s]);
  } else {
    for_each_lane(where, [&](int lane) {
      const auto per_lane = [lane](const Pack<T, W>& scalar) { return Pack<T, native_width<T>>(scalar[lane]); };
      const auto found = detail::sweep_contiguous<Sums, T>(
          length, [&](auto& sums, auto&... x) BREAKSTEP_INLINE_LAMBDA { f(per_lane, sums, x...); }, lane, operands...);
      for (int s = 0; s < Sums; ++s) totals[s].set(lane, found[s]);
    });
  }
  for (auto& total : totals) total = total + Pack<T, W>(T(0));  // as in sum_over
  return totals;
}

namespace detail {

/// Exchanges the odd blocks of `Size` numbers of a with the even ones of b.
template <int Size, class T, int N, int... K>
BREAKSTEP_INLINE void exchange_blocks(Pack<T, N>& a, Pack<T, N>& b, std::integer_sequence<int, K...>) {
  const auto x = a.part[0], y = b.part[0];
  a.part[0] = __builtin_shufflevector(x, y, ((K & Size) != 0 ? N + K - Size : K)...);
  b.part[0] = __builtin_shufflevector(x, y, ((K & Size) != 0 ? N + K : K + Size)...);
}

/// Exchanges rows and columns of a square of N × N numbers held in N registers: blocks of N/2 first, then of half that.
template <int Size, class T, int N>
BREAKSTEP_INLINE void transpose_square(Pack<T, N> (&row)[N]) {
  if constexpr (Size > 0) {
#pragma GCC unroll 16
    for (int r = 0; r < N; ++r) {
      if ((r & Size) == 0) exchange_blocks<Size>(row[r], row[r + Size], std::make_integer_sequence<int, N>{});
    }
    transpose_square<Size / 2>(row);
  }
}

}  // namespace detail

/// Copies the chains of `where` between storages; a density in lanes reads interleaved what blocks keep contiguous.
template <class T, int W, Storage To, Storage From>
requires(To != From) void transpose(Mask<W> where, const Vector<T, W, To>& dst, const Vector<T, W, From>& src) {
  assert(dst.length() == src.length());
  int i = 0;
  if constexpr (W == native_width<T>) {
    for (; i + W <= src.length(); i += W) {
      Pack<T, W> square[W];
      if constexpr (From == Storage::contiguous) {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k] = Pack<T, W>::load(src.lane_data(k) + i);
        detail::transpose_square<W / 2>(square);
        if (where.all()) {
#pragma GCC unroll 16
          for (int k = 0; k < W; ++k) dst.store(i + k, square[k]);
        } else {
          const Truth<sizeof(T), W> chosen(where);
#pragma GCC unroll 16
          for (int k = 0; k < W; ++k) dst.store(i + k, select(chosen, square[k], dst[i + k]));
        }
      } else {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k] = src[i + k];
        detail::transpose_square<W / 2>(square);
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) {
          if (where[k]) square[k].store(dst.lane_data(k) + i);
        }
      }
    }
  }
  for_each_lane(where, [&](int lane) {
    for (int rest = i; rest < src.length(); ++rest) dst.set(lane, rest, src.at(lane, rest));
  });
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
