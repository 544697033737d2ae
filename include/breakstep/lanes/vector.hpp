// Vector<T, W, storage>: the vectors of W chains, in one of two storages, and the few operations sampler blocks use on
// them.
//
// interleaved: coordinate i of all W chains forms a pack (small d).
// contiguous:  each chain's coordinates lie together and operations run over the lanes of the mask, SIMD over d (large
// d). Both do the same IEEE operations in the same order on every coordinate, so a chain's bits do not depend on the
// choice.
#pragma once

#include <algorithm>
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
constexpr int padded(int length) { return (length + accumulators - 1) & -accumulators; }

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

/// A Vector, or what stands for one (shared_vector.hpp): one chain's coordinates are at lane_data(lane) in contiguous
/// storage, coordinate i of all chains at data() + i·W in interleaved.
template <class V>
concept AnyVector = requires(const V& v) {
  typename V::Real;
  V::width;
  V::storage;
  v.length();
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
    const auto all = (__m256)sums.part[0];
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  } else {
    const auto all = (__m256d)sums.part[0];
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
}

/// Adds one chain's 16 accumulators, held side by side in registers, until one register of sums is left.
template <class T, int N>
BREAKSTEP_INLINE Pack<T, N> add_registers(const Pack<T, N> (&sums)[accumulators / N]) {
  constexpr int registers = accumulators / N;
  Pack<T, N> left[registers];
#pragma GCC unroll 4
  for (int k = 0; k < registers; ++k) left[k] = sums[k];
#pragma GCC unroll 4
  for (int half = registers / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
    for (int k = 0; k < half; ++k) left[k] = left[k] + left[k + half];
  }
  return left[0];
}

/// Adds 16 accumulators of one chain as the tree orders.
template <class T, int N>
BREAKSTEP_INLINE T add_accumulators(const Pack<T, N> (&sums)[accumulators / N]) {
  return add_lanes(add_registers<T, N>(sums));
}

/// Exchanges the odd blocks of `Size` numbers of a with the even ones of b.
template <int Size, class T, int N, int... K>
BREAKSTEP_INLINE void exchange_blocks(Pack<T, N>& a, Pack<T, N>& b, std::integer_sequence<int, K...>) {
  const auto x = a.part[0], y = b.part[0];
  a.part[0] = __builtin_shufflevector(x, y, ((K & Size) != 0 ? N + K - Size : K)...);
  b.part[0] = __builtin_shufflevector(x, y, ((K & Size) != 0 ? N + K : K + Size)...);
}

/// The sums of N registers' lanes, one register for each chain, all at once: the tree of add_lanes for each, without
/// waiting for one after the other.
template <int Size, class T, int N>
BREAKSTEP_INLINE Pack<T, N> add_lanes_of_all(Pack<T, N> (&chain)[N]) {
#pragma GCC unroll 16
  for (int r = 0; r < Size; ++r) {
    exchange_blocks<Size>(chain[r], chain[r + Size], std::make_integer_sequence<int, N>{});
    chain[r] = chain[r] + chain[r + Size];
  }
  if constexpr (Size == 1) {
    return chain[0];
  } else {
    return add_lanes_of_all<Size / 2>(chain);
  }
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

/// The same sum for W interleaved chains at once, of five coordinates or more.
template <class T, int W, class Term, class... Vectors>
__attribute__((noinline)) Pack<T, W> sum_long_interleaved(int length, Term term, const Vectors... vectors) {
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

/// For any number of coordinates. Up to four the tree is written out, so that the sums stay in registers.
template <class T, int W, class Term, class... Vectors>
BREAKSTEP_INLINE Pack<T, W> sum_interleaved(int length, Term term, const Vectors&... vectors) {
  const auto alone = [&](int i) BREAKSTEP_INLINE_LAMBDA { return term(Pack<T, W>(T(0)), vectors[i]...); };
  switch (length) {
    case 0:
      return Pack<T, W>(T(0));
    case 1:
      return alone(0);
    case 2:
      return alone(0) + alone(1);
    case 3:
      return (alone(0) + alone(2)) + alone(1);
    case 4:
      return (alone(0) + alone(2)) + (alone(1) + alone(3));
    default:
      return sum_long_interleaved<T, W>(length, term, vectors...);
  }
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

/// Marks a vector that a sweep changes.
template <AnyVector V>
struct Changing {
  V vector;
};
template <AnyVector V>
BREAKSTEP_INLINE Changing<V> changing(const V& vector) {
  return {vector};
}

namespace detail {

// What a sweep reads at coordinate i: cursors are made once per chain (or pack of chains) and hold by value all that
// the loop needs, since whatever it reads through a reference might be what it has just stored.

template <class P, bool stored, Storage storage>
struct VectorCursor {
  using T = typename P::Element;
  T* data;
  BREAKSTEP_INLINE P get(std::ptrdiff_t at) const {
    P value = P::load(data + at);
    if constexpr (storage == Storage::contiguous) {
      // Else g++ would load the value again wherever an operand may come from memory.
      static_assert(P::parts == 1);
      asm("" : "+v"(value.part[0]));
    }
    return value;
  }
  BREAKSTEP_INLINE void put(std::ptrdiff_t at, const P& value) const {
    if constexpr (stored) value.store(data + at);
  }
  BREAKSTEP_INLINE void put(std::ptrdiff_t at, const P& value, const typename P::Bools& chosen) const {
    if constexpr (stored) merge(chosen, value, P::load(data + at)).store(data + at);
  }
};
template <class P>
struct ScalarCursor {
  P value;
  BREAKSTEP_INLINE P get(std::ptrdiff_t) const { return value; }
  BREAKSTEP_INLINE void put(std::ptrdiff_t, const P&) const {}
  BREAKSTEP_INLINE void put(std::ptrdiff_t, const P&, const typename P::Bools&) const {}
};

/// `lane` < 0 means all lanes of interleaved storage.
template <class P, bool stored, AnyVector V>
BREAKSTEP_INLINE VectorCursor<P, stored, V::storage> vector_cursor(const V& v, int lane) {
  if constexpr (V::storage == Storage::contiguous) {
    return {v.lane_data(lane)};
  } else {
    return {v.data()};
  }
}
template <class P, AnyVector V>
BREAKSTEP_INLINE auto cursor(const V& v, int lane) {
  return vector_cursor<P, false>(v, lane);
}
template <class P, AnyVector V>
BREAKSTEP_INLINE auto cursor(const Changing<V>& v, int lane) {
  return vector_cursor<P, true>(v.vector, lane);
}
template <class P, class T, int W>
BREAKSTEP_INLINE ScalarCursor<P> cursor(const Pack<T, W>& scalar, int lane) {
  if constexpr (std::is_same_v<P, Pack<T, W>>) {
    return lane < 0 ? ScalarCursor<P>{scalar} : ScalarCursor<P>{P(scalar[lane])};
  } else {
    return {P(scalar[lane])};
  }
}

/// f at one place: loads, calls, stores back.
template <class Sums, class F, class Store, class... Cursors>
BREAKSTEP_INLINE void visit(std::ptrdiff_t at, Sums& sums, F& f, Store store, const Cursors&... cursors) {
  auto values = std::make_tuple(cursors.get(at)...);
  std::apply(
      [&](auto&... value) BREAKSTEP_INLINE_LAMBDA {
        f(sums, value...);
        (store(cursors, value), ...);
      },
      values);
}

/// Which numbers of the last group of 16 are coordinates.
template <class T>
struct LastGroup {
  static constexpr int N = native_width<T>, registers = accumulators / N;
  Truth<sizeof(T), N> inside[registers];
  explicit BREAKSTEP_INLINE LastGroup(int length) {
    const int left = length & (accumulators - 1);
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) {
      const int own = left - k * N;
      inside[k] = Truth<sizeof(T), N>(Mask<N>::first_lanes(own < 0 ? 0 : own));
    }
  }
};

/// One chain's sweep over contiguous coordinates. Padding is swept too, but never summed. keep(s, register) takes sum
/// s, whose lanes are left to be added.
template <int Sums, class T, class F, class Keep, class... Cursors>
BREAKSTEP_INLINE void sweep_contiguous(int length, const LastGroup<T>& last, F f, Keep keep, const Cursors... cursors) {
  constexpr int N = native_width<T>;
  constexpr int registers = accumulators / N;
  using P = Pack<T, N>;
  std::array<P, Sums> sums[registers];
#pragma GCC unroll 4
  for (auto& part : sums) {
    for (auto& sum : part) sum = P(T(0));
  }
  const auto group = [&](std::ptrdiff_t i, auto& own) BREAKSTEP_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) {
      const std::ptrdiff_t at = i + k * N;
      visit(
          at, own[k], f, [at](const auto& c, const P& x) BREAKSTEP_INLINE_LAMBDA { c.put(at, x); }, cursors...);
    }
  };
  const std::ptrdiff_t whole = Sums > 0 ? length & -accumulators : padded(length);
#pragma GCC unroll 2
  for (std::ptrdiff_t i = 0; i < whole; i += accumulators) group(i, sums);
  if (Sums > 0 && whole < length) {
    std::array<P, Sums> with_last[registers];
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) with_last[k] = sums[k];
    group(whole, with_last);
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) {
      for (int s = 0; s < Sums; ++s) sums[k][s] = select(last.inside[k], with_last[k][s], sums[k][s]);
    }
  }
  for (int s = 0; s < Sums; ++s) {
    P parts[registers];
#pragma GCC unroll 4
    for (int k = 0; k < registers; ++k) parts[k] = sums[k][s];
    keep(s, add_registers<T, N>(parts));
  }
}

/// The sums of W interleaved chains of at most four coordinates, in registers: visit(i, sums) adds coordinate i.
template <int Length, int Sums, class P, class Visit>
BREAKSTEP_INLINE std::array<P, Sums> sum_few(Visit&& visit) {
  std::array<P, Sums> own[Length];
#pragma GCC unroll 4
  for (int i = 0; i < Length; ++i) {
    for (auto& sum : own[i]) sum = P(typename P::Element(0));
    visit(i, own[i]);
  }
  for (int s = 0; s < Sums; ++s) {
    if constexpr (Length >= 3) own[0][s] = own[0][s] + own[2][s];
    if constexpr (Length == 4) own[1][s] = own[1][s] + own[3][s];
    if constexpr (Length >= 2) own[0][s] = own[0][s] + own[1][s];
  }
  return own[0];
}

/// The same for any length. All accumulators take part, so that the compiler knows how many there are.
template <int Sums, class P, class Visit>
BREAKSTEP_INLINE std::array<P, Sums> sum_many(int length, Visit&& visit) {
  std::array<P, Sums> sums[accumulators];
  for (auto& part : sums) {
    for (auto& sum : part) sum = P(typename P::Element(0));
  }
  for (int i = 0; i < length; ++i) visit(i, sums[i % accumulators]);
  std::array<P, Sums> result;
  for (int s = 0; s < Sums; ++s) {
    for (int half = accumulators / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) sums[k][s] = sums[k][s] + sums[k + half][s];
    }
    result[s] = sums[0][s];
  }
  return result;
}

/// The same for W interleaved chains.
template <int Sums, class T, int W, class F, class... Cursors>
BREAKSTEP_INLINE std::array<Pack<T, W>, Sums> sweep_interleaved(Mask<W> where, int length, F f,
                                                                const Cursors... cursors) {
  using P = Pack<T, W>;
  const auto run = [&](auto store) -> std::array<P, Sums> {
    const auto visit_one = [&](int i, auto& sums) BREAKSTEP_INLINE_LAMBDA {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * W;
      visit(
          at, sums, f, [&](const auto& c, const P& x) BREAKSTEP_INLINE_LAMBDA { store(c, at, x); }, cursors...);
    };
    if constexpr (Sums == 0) {
      std::array<P, 0> none;
      for (int i = 0; i < length; ++i) visit_one(i, none);
      return none;
    } else {
      switch (length) {
        case 1:
          return sum_few<1, Sums, P>(visit_one);
        case 2:
          return sum_few<2, Sums, P>(visit_one);
        case 3:
          return sum_few<3, Sums, P>(visit_one);
        case 4:
          return sum_few<4, Sums, P>(visit_one);
        default:
          return sum_many<Sums, P>(length, visit_one);
      }
    }
  };
  if (where.all()) return run([](const auto& c, std::ptrdiff_t at, const P& x) { c.put(at, x); });
  const Truth<sizeof(T), W> chosen(where);
  return run([&chosen](const auto& c, std::ptrdiff_t at, const P& x) { c.put(at, x, chosen); });
}

template <AnyVector V, class... Rest>
BREAKSTEP_INLINE const V& first_vector(const V& v, const Rest&...) {
  return v;
}
template <AnyVector V, class... Rest>
BREAKSTEP_INLINE const V& first_vector(const Changing<V>& v, const Rest&...) {
  return v.vector;
}
template <class T, int W, class... Rest>
BREAKSTEP_INLINE decltype(auto) first_vector(const Pack<T, W>&, const Rest&... rest) {
  return first_vector(rest...);
}

}  // namespace detail

/// One pass over the coordinates of several vectors, for the chains of `where`: f(sums, a, b, …) is called with a pack
/// of each operand. Operands are vectors, vectors wrapped in changing() (stored back), and packs (a number per chain).
/// f adds to the `Sums` elements of `sums`; returns each chain's sums in the fixed order, 0 outside `where`.
template <int Sums, int W, class F, class... Operands>
auto sweep(Mask<W> where, F f, const Operands&... operands) {
  const auto& first = detail::first_vector(operands...);
  using First = std::remove_cvref_t<decltype(first)>;
  using T = typename First::Real;
  const int length = first.length();
  if constexpr (First::storage == Storage::interleaved) {
    auto totals = detail::sweep_interleaved<Sums, T>(where, length, f, detail::cursor<Pack<T, W>>(operands, -1)...);
    for (auto& total : totals) total = select(where, total, Pack<T, W>(T(0))) + Pack<T, W>(T(0));  // as in sum_over
    return totals;
  } else {
    constexpr int N = native_width<T>;
    constexpr bool at_once = W == N && Sums > 0;
    const detail::LastGroup<T> last(length);
    Pack<T, N> found[std::max(Sums, 1)][at_once ? N : 1];  // of lanes outside `where` anything
    std::array<Pack<T, W>, Sums> totals;
    for (auto& total : totals) total = Pack<T, W>(T(0));
    for_each_lane(where, [&](int lane) BREAKSTEP_INLINE_LAMBDA {
      const auto keep = [&](int s, const Pack<T, N>& sum) BREAKSTEP_INLINE_LAMBDA {
        if constexpr (at_once) {
          found[s][lane] = sum;
        } else {
          totals[s].set(lane, detail::add_lanes(sum));
        }
      };
      detail::sweep_contiguous<Sums, T>(length, last, f, keep, detail::cursor<Pack<T, N>>(operands, lane)...);
    });
    for (int s = 0; s < Sums; ++s) {
      if constexpr (at_once) totals[s] = select(where, detail::add_lanes_of_all<N / 2>(found[s]), totals[s]);
      totals[s] = totals[s] + Pack<T, W>(T(0));  // as in sum_over
    }
    return totals;
  }
}

/// dst = src for the chains of `where`.
template <int W, AnyVector To, AnyVector From>
BREAKSTEP_INLINE void assign(Mask<W> where, const To& dst, const From& src) {
  if constexpr (requires { dst.store(0, src[0]); }) {
    // One coordinate is not worth a call.
    if (dst.length() == 1) return dst.store(0, merge(where, src[0], dst[0]));
  }
  sweep<0>(
      where, [](auto&, auto& to, auto from) { to = from; }, changing(dst), src);
}

/// Every coordinate of dst = the chain's `value`.
template <int W, AnyVector V>
void fill(Mask<W> where, const V& dst, std::type_identity_t<Pack<typename V::Real, W>> value) {
  sweep<0>(
      where, [](auto&, auto& to, auto a) { to = a; }, changing(dst), value);
}

/// y += a·x, one rounding per coordinate.
template <class T, int W, Storage S>
BREAKSTEP_INLINE void add_scaled(Mask<W> where, const Vector<T, W, S>& y, std::type_identity_t<Pack<T, W>> a,
                                 const Vector<T, W, S>& x) {
  if constexpr (S == Storage::interleaved) {
    if (y.length() == 1) return y.store(0, merge(where, fma(a, x[0], y[0]), y[0]));
  }
  sweep<0>(
      where, [](auto&, auto& yi, auto ai, auto xi) { yi = fma(ai, xi, yi); }, changing(y), a, x);
}

/// dst = y + a·x, one rounding per coordinate.
template <class T, int W, Storage S>
void add_scaled(Mask<W> where, const Vector<T, W, S>& dst, const Vector<T, W, S>& y, std::type_identity_t<Pack<T, W>> a,
                const Vector<T, W, S>& x) {
  sweep<0>(
      where, [](auto&, auto& to, auto yi, auto ai, auto xi) { to = fma(ai, xi, yi); }, changing(dst), y, a, x);
}

/// dst = a·x + b·y, computed as fma(a, x, b·y).
template <class T, int W, Storage S>
void combine(Mask<W> where, const Vector<T, W, S>& dst, std::type_identity_t<Pack<T, W>> a, const Vector<T, W, S>& x,
             std::type_identity_t<Pack<T, W>> b, const Vector<T, W, S>& y) {
  sweep<0>(
      where, [](auto&, auto& to, auto ai, auto xi, auto bi, auto yi) { to = fma(ai, xi, bi * yi); }, changing(dst), a,
      x, b, y);
}

/// y *= a.
template <int W, AnyVector V>
void scale(Mask<W> where, const V& y, std::type_identity_t<Pack<typename V::Real, W>> a) {
  sweep<0>(
      where, [](auto&, auto& yi, auto ai) { yi = ai * yi; }, changing(y), a);
}

/// dst = x·y, coordinate by coordinate.
template <class T, int W, Storage S>
void multiply(Mask<W> where, const Vector<T, W, S>& dst, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  sweep<0>(
      where, [](auto&, auto& to, auto xi, auto yi) { to = xi * yi; }, changing(dst), x, y);
}

/// Exchanges x and y for the chains of `where`.
template <class T, int W, Storage S>
void swap(Mask<W> where, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  sweep<0>(
      where, [](auto&, auto& xi, auto& yi) { std::swap(xi, yi); }, changing(x), changing(y));
}

/// Σ xᵢ·yᵢ per chain in the fixed order, each term an fma; 0 in lanes outside `where`.
template <class T, int W, Storage S>
BREAKSTEP_INLINE Pack<T, W> dot(Mask<W> where, const Vector<T, W, S>& x, const Vector<T, W, S>& y) {
  return detail::sum_over(
      where, [](auto sum, auto xi, auto yi) { return fma(xi, yi, sum); }, x, y);
}

/// Σ xᵢ per chain in the fixed order; 0 in lanes outside `where`.
template <class T, int W, Storage S>
Pack<T, W> sum(Mask<W> where, const Vector<T, W, S>& x) {
  return detail::sum_over(
      where, [](auto total, auto xi) { return total + xi; }, x);
}

namespace detail {

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

/// Copies the chains of `where` from contiguous storage into lanes, where a density reads them.
template <class T, int W, AnyVector Contiguous>
requires(Contiguous::storage == Storage::contiguous) void transpose(Mask<W> where,
                                                                    const Vector<T, W, Storage::interleaved>& dst,
                                                                    const Contiguous& src) {
  assert(dst.length() == src.length());
  const int length = src.length();
  if constexpr (W != native_width<T>) {
    for_each_lane(where, [&](int lane) {
      for (int i = 0; i < length; ++i) dst.set(lane, i, src.at(lane, i));
    });
  } else {
    using P = Pack<T, W>;
    const T* from[W];
    for (int k = 0; k < W; ++k) from[k] = src.lane_data(k);
    T* const to = dst.data();
    const Truth<sizeof(T), W> chosen(where);
    const bool all = where.all();
    for (int i = 0; i < length; i += W) {
      P square[W];
#pragma GCC unroll 16
      for (int k = 0; k < W; ++k) square[k] = P::load(from[k] + i);
      detail::transpose_square<W / 2>(square);
      T* const column = to + static_cast<std::ptrdiff_t>(i) * W;
      if (all && i + W <= length) {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k].store(column + k * W);
      } else {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) {
          if (i + k < length) merge(chosen, square[k], P::load(column + k * W)).store(column + k * W);
        }
      }
    }
  }
}

/// The way back, for what a density has answered. Padding becomes zero.
template <class T, int W, AnyVector Contiguous>
requires(Contiguous::storage == Storage::contiguous) void transpose(Mask<W> where, const Contiguous& dst,
                                                                    const Vector<T, W, Storage::interleaved>& src) {
  assert(dst.length() == src.length());
  const int length = src.length();
  if constexpr (W != native_width<T>) {
    for_each_lane(where, [&](int lane) {
      for (int i = 0; i < length; ++i) dst.set(lane, i, src.at(lane, i));
    });
  } else {
    using P = Pack<T, W>;
    const T* const from = src.data();
    T* to[W];
    for (int k = 0; k < W; ++k) to[k] = dst.lane_data(k);
    const bool all = where.all();
    for (int i = 0; i < length; i += W) {
      P square[W];
      const T* const column = from + static_cast<std::ptrdiff_t>(i) * W;
      if (i + W <= length) {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k] = P::load(column + k * W);
      } else {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k] = i + k < length ? P::load(column + k * W) : P(T(0));
      }
      detail::transpose_square<W / 2>(square);
      if (all) {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) square[k].store(to[k] + i);
      } else {
#pragma GCC unroll 16
        for (int k = 0; k < W; ++k) {
          if (where[k]) square[k].store(to[k] + i);
        }
      }
    }
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
