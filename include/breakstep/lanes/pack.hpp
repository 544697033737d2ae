// Pack<T, W>: one number of type T for each of W lanes, and Truth<Bytes, W>: one truth value for each.
//
// A pack is an array of registers of the machine's own size (or of scalars where it is too small for any), so that one
// source gives the same IEEE operations in the same order at every width and on every instruction set. Nothing here may
// depend on the width except through that array: the promise of equal bits rests on it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/mask.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

inline constexpr int native_bytes = BREAKSTEP_ISA_AVX512 ? 64 : 32;

/// Lanes that fill one register of this build: 8 float or 4 double with AVX2, twice that with AVX-512.
template <class T>
inline constexpr int native_width = native_bytes / static_cast<int>(sizeof(T));

namespace detail {

template <class T, int L>
struct Register {
  typedef T type __attribute__((vector_size(sizeof(T) * L)));  // NOLINT(modernize-use-using): GCC needs typedef here
};
template <class T>
struct Register<T, 1> {
  using type = T;
};

template <int Bytes>
struct Integers;
template <>
struct Integers<4> {
  using Signed = std::int32_t;
  using Unsigned = std::uint32_t;
};
template <>
struct Integers<8> {
  using Signed = std::int64_t;
  using Unsigned = std::uint64_t;
};

template <int L, class T, std::size_t... I>
BREAKSTEP_INLINE auto spread(T value, std::index_sequence<I...>) {
  using V = typename Register<T, L>::type;
  return V{(static_cast<void>(I), value)...};  // listing elements keeps −0, which V{} + value would lose
}

/// Numbers that differ from lane to lane are kept in memory: g++ would write them to the stack one by one and load them
/// at once, which waits until all of them have left the core.
template <class T, int W>
struct PerLane {
  alignas(native_bytes) T numbers[W];
};
template <class T, int W>
inline constexpr PerLane<T, W> lane_bits = [] {
  PerLane<T, W> table{};
  for (int i = 0; i < W; ++i) table.numbers[i] = static_cast<T>(typename Integers<sizeof(T)>::Unsigned(1) << i);
  return table;
}();
template <class T, int W>
inline constexpr PerLane<T, W> consecutive = [] {
  PerLane<T, W> table{};
  for (int i = 0; i < W; ++i) table.numbers[i] = static_cast<T>(i);
  return table;
}();

}  // namespace detail

template <int Bytes>
using Signed = typename detail::Integers<Bytes>::Signed;
template <int Bytes>
using Unsigned = typename detail::Integers<Bytes>::Unsigned;

template <int Bytes, int W>
struct Truth;

template <class T, int W>
struct Pack {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "packs hold 32- and 64-bit numbers");
  static_assert(W == 1 || W == 2 || W == 4 || W == 8 || W == 16 || W == 32, "widths are powers of two up to 32");

  using Element = T;
  using Bools = Truth<sizeof(T), W>;
  static constexpr int width = W;
  static constexpr int part_width =
      W * static_cast<int>(sizeof(T)) < 16 ? 1 : (W < native_width<T> ? W : native_width<T>);
  static constexpr int parts = W / part_width;
  using Part = typename detail::Register<T, part_width>::type;

  Part part[parts];

  Pack() = default;  // uninitialised, as T is

  /// All lanes equal to `value`. Implicit, so that constants read as constants in formulas.
  BREAKSTEP_INLINE Pack(T value) {  // NOLINT(google-explicit-constructor)
    for (Part& p : part) {
      if constexpr (part_width == 1) {
        p = value;
      } else {
        p = detail::spread<part_width>(value, std::make_index_sequence<part_width>{});
      }
    }
  }

  // Register by register: g++ would move several at once by halves or through the stack.
  /// Reads W consecutive elements; no alignment needed.
  static BREAKSTEP_INLINE Pack load(const T* from) {
    Pack r;
#pragma GCC unroll 16
    for (int p = 0; p < parts; ++p) std::memcpy(&r.part[p], from + p * part_width, sizeof(Part));
    return r;
  }
  BREAKSTEP_INLINE void store(T* to) const {
#pragma GCC unroll 16
    for (int p = 0; p < parts; ++p) std::memcpy(to + p * part_width, &part[p], sizeof(Part));
  }

  BREAKSTEP_INLINE T operator[](int lane) const {
    const auto at = static_cast<unsigned>(lane);
    if constexpr (part_width == 1) {
      return part[at];
    } else {
      return part[parts == 1 ? 0 : at / part_width][parts == 1 ? at : at % part_width];
    }
  }
  BREAKSTEP_INLINE void set(int lane, T value) {
    const auto at = static_cast<unsigned>(lane);
    if constexpr (part_width == 1) {
      part[at] = value;
    } else {
      part[parts == 1 ? 0 : at / part_width][parts == 1 ? at : at % part_width] = value;
    }
  }

  /// 0, 1, 2, …
  static BREAKSTEP_INLINE Pack lane_numbers() { return load(detail::consecutive<T, W>.numbers); }

  /// Applies `f` register by register.
  template <class F, class... Packs>
  static BREAKSTEP_INLINE Pack map(F f, const Packs&... packs) {
    Pack r;
#pragma GCC unroll 16
    for (int p = 0; p < parts; ++p) r.part[p] = f(packs.part[p]...);
    return r;
  }

  friend BREAKSTEP_INLINE Pack operator+(Pack a, Pack b) {
    return map([](Part x, Part y) { return x + y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator-(Pack a, Pack b) {
    return map([](Part x, Part y) { return x - y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator*(Pack a, Pack b) {
    return map([](Part x, Part y) { return x * y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator/(Pack a, Pack b) {
    return map([](Part x, Part y) { return x / y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator-(Pack a) {
    return map([](Part x) { return -x; }, a);
  }
  friend BREAKSTEP_INLINE Pack operator&(Pack a, Pack b) requires std::is_integral_v<T> {
    return map([](Part x, Part y) { return x & y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator|(Pack a, Pack b) requires std::is_integral_v<T> {
    return map([](Part x, Part y) { return x | y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator^(Pack a, Pack b) requires std::is_integral_v<T> {
    return map([](Part x, Part y) { return x ^ y; }, a, b);
  }
  friend BREAKSTEP_INLINE Pack operator~(Pack a) requires std::is_integral_v<T> {
    return map([](Part x) { return ~x; }, a);
  }
  /// Shifts by the same number of bits in every lane; arithmetic to the right for signed T.
  friend BREAKSTEP_INLINE Pack operator<<(Pack a, int bits) requires std::is_integral_v<T> {
    return map([bits](Part x) { return x << bits; }, a);
  }
  friend BREAKSTEP_INLINE Pack operator>>(Pack a, int bits) requires std::is_integral_v<T> {
    return map([bits](Part x) { return x >> bits; }, a);
  }
  BREAKSTEP_INLINE Pack& operator+=(Pack b) { return *this = *this + b; }
  BREAKSTEP_INLINE Pack& operator-=(Pack b) { return *this = *this - b; }
  BREAKSTEP_INLINE Pack& operator*=(Pack b) { return *this = *this * b; }
  BREAKSTEP_INLINE Pack& operator/=(Pack b) { return *this = *this / b; }

  friend BREAKSTEP_INLINE Bools operator<(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x < y; }, a, b);
  }
  friend BREAKSTEP_INLINE Bools operator<=(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x <= y; }, a, b);
  }
  friend BREAKSTEP_INLINE Bools operator>(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x > y; }, a, b);
  }
  friend BREAKSTEP_INLINE Bools operator>=(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x >= y; }, a, b);
  }
  friend BREAKSTEP_INLINE Bools operator==(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x == y; }, a, b);
  }
  friend BREAKSTEP_INLINE Bools operator!=(Pack a, Pack b) {
    return Bools::compare([](auto x, auto y) { return x != y; }, a, b);
  }
};

/// One truth value per lane in the form comparisons produce and selects consume (0 or −1 as wide as the numbers
/// compared). It lives inside expressions; what is kept, counted or combined with other types is the Mask it converts
/// to.
template <int Bytes, int W>
struct Truth {
  using Int = Signed<Bytes>;
  using Lanes = Pack<Int, W>;
  using Part = typename Lanes::Part;

  Lanes lanes;

  Truth() = default;
  explicit BREAKSTEP_INLINE Truth(bool value) : lanes(value ? Int(-1) : Int(0)) {}

  /// The lanes of a mask. Costs two instructions per register; convert once and reuse.
  explicit BREAKSTEP_INLINE Truth(Mask<W> mask) {
    if constexpr (Lanes::part_width == 1) {
      for (int i = 0; i < W; ++i) lanes.part[i] = mask[i] ? Int(-1) : Int(0);
    } else {
      const Lanes bit = Lanes::load(detail::lane_bits<Int, W>.numbers);
      *this = (Lanes(static_cast<Int>(mask.bits())) & bit) == bit;
    }
  }

  template <class Op, class T>
  static BREAKSTEP_INLINE Truth compare(Op op, const Pack<T, W>& a, const Pack<T, W>& b) {
    Truth r;
#pragma GCC unroll 16
    for (int p = 0; p < Lanes::parts; ++p) {
      if constexpr (Lanes::part_width == 1) {
        r.lanes.part[p] = op(a.part[p], b.part[p]) ? Int(-1) : Int(0);
      } else {
        r.lanes.part[p] = (Part)op(a.part[p], b.part[p]);  // NOLINT: a cast between vector types is a reinterpretation
      }
    }
    return r;
  }

  friend BREAKSTEP_INLINE Truth operator&(Truth a, Truth b) { return {a.lanes & b.lanes}; }
  friend BREAKSTEP_INLINE Truth operator|(Truth a, Truth b) { return {a.lanes | b.lanes}; }
  friend BREAKSTEP_INLINE Truth operator^(Truth a, Truth b) { return {a.lanes ^ b.lanes}; }
  friend BREAKSTEP_INLINE Truth operator~(Truth a) { return {~a.lanes}; }

  /// The same truth values, one bit per lane.
  [[nodiscard]] BREAKSTEP_INLINE Mask<W> mask() const {
    std::uint32_t bits = 0;
#pragma GCC unroll 16
    for (int p = 0; p < Lanes::parts; ++p) bits |= part_bits(lanes.part[p]) << (p * Lanes::part_width);
    return Mask<W>(bits);
  }
  BREAKSTEP_INLINE operator Mask<W>() const { return mask(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] BREAKSTEP_INLINE bool any() const { return mask().any(); }
  [[nodiscard]] BREAKSTEP_INLINE bool all() const { return mask().all(); }
  [[nodiscard]] BREAKSTEP_INLINE bool none() const { return mask().none(); }

  BREAKSTEP_INLINE Truth(Lanes zero_or_minus_one) : lanes(zero_or_minus_one) {}  // NOLINT(google-explicit-constructor)

 private:
  static BREAKSTEP_INLINE std::uint32_t part_bits(Part part) {
    if constexpr (Lanes::part_width == 1) {
      return part != 0 ? 1U : 0U;
    } else if constexpr (sizeof(Part) == 16) {
      if constexpr (Bytes == 4) {
        return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)part));
      } else {
        return static_cast<std::uint32_t>(_mm_movemask_pd((__m128d)part));
      }
    } else if constexpr (sizeof(Part) == 32) {
      if constexpr (Bytes == 4) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)part));
      } else {
        return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)part));
      }
    } else {
#if BREAKSTEP_ISA_AVX512
      if constexpr (Bytes == 4) {
        return _mm512_movepi32_mask((__m512i)part);
      } else {
        return _mm512_movepi64_mask((__m512i)part);
      }
#endif
    }
  }
};

/// Lane by lane, `a` where `condition` holds and `b` elsewhere. Both are evaluated.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> select(Truth<sizeof(T), W> condition, Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  return Pack<T, W>::map([](auto c, auto x, auto y) { return c ? x : y; }, condition.lanes, a, b);
}
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> select(Mask<W> condition, Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  using P = Pack<T, W>;
  if constexpr (BREAKSTEP_ISA_AVX512 && sizeof(typename P::Part) == 64) {
#if BREAKSTEP_ISA_AVX512
    P r;  // a mask is what the instruction wants: it need not become numbers first
#pragma GCC unroll 16
    for (int p = 0; p < P::parts; ++p) {
      const std::uint32_t bits = condition.bits() >> (p * P::part_width);
      const auto x = (__m512i)a.part[p], y = (__m512i)b.part[p];
      if constexpr (sizeof(T) == 4) {
        r.part[p] = (typename P::Part)_mm512_mask_blend_epi32(static_cast<__mmask16>(bits), y, x);
      } else {
        r.part[p] = (typename P::Part)_mm512_mask_blend_epi64(static_cast<__mmask8>(bits), y, x);
      }
    }
    return r;
#endif
  } else {
    return select(Truth<sizeof(T), W>(condition), a, b);
  }
}

namespace detail {

#if BREAKSTEP_ISA_AVX512
/// The lanes in which a comparison holds: predicate Real of floating-point numbers, Whole of unsigned integers.
template <int Real, int Whole, class T, int W>
BREAKSTEP_INLINE Mask<W> compare_to_mask(const Pack<T, W>& a, const Pack<T, W>& b) {
  using P = Pack<T, W>;
  std::uint32_t bits = 0;
#pragma GCC unroll 16
  for (int p = 0; p < P::parts; ++p) {
    std::uint32_t here = 0;
    if constexpr (std::is_same_v<T, float>) here = _mm512_cmp_ps_mask((__m512)a.part[p], (__m512)b.part[p], Real);
    if constexpr (std::is_same_v<T, double>) here = _mm512_cmp_pd_mask((__m512d)a.part[p], (__m512d)b.part[p], Real);
    const auto x = (__m512i)a.part[p], y = (__m512i)b.part[p];
    if constexpr (std::is_integral_v<T> && sizeof(T) == 4) here = _mm512_cmp_epu32_mask(x, y, Whole);
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) here = _mm512_cmp_epu64_mask(x, y, Whole);
    bits |= here << (p * P::part_width);
  }
  return Mask<W>(bits);
}
#endif
template <class T>
concept RealOrUnsigned = std::is_floating_point_v<T> || std::is_unsigned_v<T>;

}  // namespace detail

/// (a < b).mask(). With AVX-512 in one instruction per register, where g++ makes numbers of a comparison's mask and a
/// mask of those again.
template <detail::RealOrUnsigned T, int W>
BREAKSTEP_INLINE Mask<W> where_less(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
#if BREAKSTEP_ISA_AVX512
  if constexpr (sizeof(a.part[0]) == 64) return detail::compare_to_mask<_CMP_LT_OS, _MM_CMPINT_LT>(a, b);
#endif
  return (a < b).mask();
}
/// (a == b).mask(), like where_less.
template <detail::RealOrUnsigned T, int W>
BREAKSTEP_INLINE Mask<W> where_equal(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
#if BREAKSTEP_ISA_AVX512
  if constexpr (sizeof(a.part[0]) == 64) return detail::compare_to_mask<_CMP_EQ_OQ, _MM_CMPINT_EQ>(a, b);
#endif
  return (a == b).mask();
}

/// Lanes which·N … which·N + N − 1 of `a`; both packs must consist of whole registers.
template <int N, class T, int W>
BREAKSTEP_INLINE Pack<T, N> piece(const Pack<T, W>& a, int which) {
  static_assert(Pack<T, N>::part_width == Pack<T, W>::part_width);
  Pack<T, N> r;
#pragma GCC unroll 16
  for (int p = 0; p < Pack<T, N>::parts; ++p) r.part[p] = a.part[which * Pack<T, N>::parts + p];
  return r;
}
template <int N, class T, int W>
BREAKSTEP_INLINE void set_piece(Pack<T, W>& a, int which, const Pack<T, N>& value) {
  static_assert(Pack<T, N>::part_width == Pack<T, W>::part_width);
#pragma GCC unroll 16
  for (int p = 0; p < Pack<T, N>::parts; ++p) a.part[which * Pack<T, N>::parts + p] = value.part[p];
}

/// The bits of `a` read as another type of the same size.
template <class U, class T, int W>
BREAKSTEP_INLINE Pack<U, W> bit_cast(Pack<T, W> a) {
  static_assert(sizeof(U) == sizeof(T));
  Pack<U, W> r;
#pragma GCC unroll 16
  for (int p = 0; p < Pack<T, W>::parts; ++p) std::memcpy(&r.part[p], &a.part[p], sizeof a.part[p]);
  return r;
}

/// Each lane converted as static_cast<U> does; out-of-range values are undefined, as there. Between 64-bit integers and
/// double prefer the tricks of math/, which need no AVX-512.
template <class U, class T, int W>
BREAKSTEP_INLINE Pack<U, W> convert(Pack<T, W> a) {
  Pack<U, W> r;
  if constexpr (Pack<U, W>::part_width == Pack<T, W>::part_width && Pack<T, W>::part_width > 1) {
#pragma GCC unroll 16
    for (int p = 0; p < Pack<T, W>::parts; ++p)
      r.part[p] = __builtin_convertvector(a.part[p], typename Pack<U, W>::Part);
  } else {
    for (int i = 0; i < W; ++i) r.set(i, static_cast<U>(a[i]));
  }
  return r;
}

/// a·b + c with one rounding.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> fma(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b,
                                                                     std::type_identity_t<Pack<T, W>> c) {
  using P = Pack<T, W>;
  using Part = typename P::Part;
  return P::map(
      [](Part x, Part y, Part z) -> Part {
        if constexpr (std::is_same_v<Part, float>) {
          return __builtin_fmaf(x, y, z);
        } else if constexpr (std::is_same_v<Part, double>) {
          return __builtin_fma(x, y, z);
        } else if constexpr (std::is_same_v<T, float>) {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_fmadd_ps((__m128)x, (__m128)y, (__m128)z);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#endif
        } else {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_fmadd_pd((__m128d)x, (__m128d)y, (__m128d)z);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#endif
        }
      },
      a, b, c);
}

/// −a·b + c with one rounding: fma(−a, b, c) without the instruction that negates.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> fnma(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b,
                                                                      std::type_identity_t<Pack<T, W>> c) {
  using P = Pack<T, W>;
  using Part = typename P::Part;
  return P::map(
      [](Part x, Part y, Part z) -> Part {
        if constexpr (std::is_same_v<Part, float>) {
          return __builtin_fmaf(-x, y, z);
        } else if constexpr (std::is_same_v<Part, double>) {
          return __builtin_fma(-x, y, z);
        } else if constexpr (std::is_same_v<T, float>) {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_fnmadd_ps((__m128)x, (__m128)y, (__m128)z);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_fnmadd_ps((__m256)x, (__m256)y, (__m256)z);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_fnmadd_ps((__m512)x, (__m512)y, (__m512)z);
#endif
        } else {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_fnmadd_pd((__m128d)x, (__m128d)y, (__m128d)z);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_fnmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_fnmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#endif
        }
      },
      a, b, c);
}

/// Correctly rounded; NaN below −0, sqrt(−0) = −0.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> sqrt(Pack<T, W> a) {
  using P = Pack<T, W>;
  using Part = typename P::Part;
  // With AVX-512 the unmasked intrinsic makes g++ 12 warn of its own uninitialised operand; a full mask costs nothing.
  [[maybe_unused]] constexpr auto all_lanes = static_cast<std::uint16_t>(Mask<P::part_width>::full);
  return P::map(
      [](Part x) -> Part {
        if constexpr (std::is_same_v<Part, float>) {
          return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
        } else if constexpr (std::is_same_v<Part, double>) {
          const __m128d v = _mm_set_sd(x);
          return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
        } else if constexpr (std::is_same_v<T, float>) {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_sqrt_ps((__m128)x);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_sqrt_ps((__m256)x);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_mask_sqrt_ps((__m512)x, all_lanes, (__m512)x);
#endif
        } else {
          if constexpr (sizeof(Part) == 16) return (Part)_mm_sqrt_pd((__m128d)x);
          if constexpr (sizeof(Part) == 32) return (Part)_mm256_sqrt_pd((__m256d)x);
#if BREAKSTEP_ISA_AVX512
          if constexpr (sizeof(Part) == 64) return (Part)_mm512_mask_sqrt_pd((__m512d)x, all_lanes, (__m512d)x);
#endif
        }
      },
      a);
}

namespace detail {

// The hardware's instructions, which g++ does not see in `a < b ? a : b` of vectors, at every width: with subnormals
// that count as zero they give zero, where a comparison and a selection would hand the subnormal on.
struct Smaller {
  static BREAKSTEP_INLINE float of(float a, float b) { return _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b))); }
  static BREAKSTEP_INLINE double of(double a, double b) {
    return _mm_cvtsd_f64(_mm_min_sd(_mm_set_sd(a), _mm_set_sd(b)));
  }
  static BREAKSTEP_INLINE __m128 of(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
  static BREAKSTEP_INLINE __m128d of(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
  static BREAKSTEP_INLINE __m256 of(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
  static BREAKSTEP_INLINE __m256d of(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
#if BREAKSTEP_ISA_AVX512
  static BREAKSTEP_INLINE __m512 of(__m512 a, __m512 b) { return _mm512_maskz_min_ps(0xFFFF, a, b); }
  static BREAKSTEP_INLINE __m512d of(__m512d a, __m512d b) { return _mm512_maskz_min_pd(0xFF, a, b); }
#endif
};
struct Larger {
  static BREAKSTEP_INLINE float of(float a, float b) { return _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b))); }
  static BREAKSTEP_INLINE double of(double a, double b) {
    return _mm_cvtsd_f64(_mm_max_sd(_mm_set_sd(a), _mm_set_sd(b)));
  }
  static BREAKSTEP_INLINE __m128 of(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
  static BREAKSTEP_INLINE __m128d of(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
  static BREAKSTEP_INLINE __m256 of(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
  static BREAKSTEP_INLINE __m256d of(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
#if BREAKSTEP_ISA_AVX512
  static BREAKSTEP_INLINE __m512 of(__m512 a, __m512 b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }
  static BREAKSTEP_INLINE __m512d of(__m512d a, __m512d b) { return _mm512_maskz_max_pd(0xFF, a, b); }
#endif
};

}  // namespace detail

/// The smaller; `b` if either is NaN or both are zero.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> min(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Pack<T, W>::map([](auto x, auto y) { return decltype(x)(detail::Smaller::of(x, y)); }, a, b);
  } else {
    return select(a < b, a, b);
  }
}
/// The larger; `b` if either is NaN or both are zero.
template <class T, int W>
BREAKSTEP_INLINE Pack<T, W> max(Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Pack<T, W>::map([](auto x, auto y) { return decltype(x)(detail::Larger::of(x, y)); }, a, b);
  } else {
    return select(a > b, a, b);
  }
}

/// Only the sign bit of each lane, in place.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<Unsigned<sizeof(T)>, W> sign_bit(Pack<T, W> a) {
  using U = Unsigned<sizeof(T)>;
  return bit_cast<U>(a) & Pack<U, W>(U(1) << (8 * sizeof(T) - 1));
}
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> abs(Pack<T, W> a) {
  using U = Unsigned<sizeof(T)>;
  return bit_cast<T>(bit_cast<U>(a) & Pack<U, W>(~(U(1) << (8 * sizeof(T) - 1))));
}
/// The magnitude of `a` with the sign of `b`.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> copysign(Pack<T, W> a,
                                                                          std::type_identity_t<Pack<T, W>> b) {
  using U = Unsigned<sizeof(T)>;
  return bit_cast<T>(bit_cast<U>(abs(a)) | sign_bit(b));
}
template <class T, int W>
BREAKSTEP_INLINE Truth<sizeof(T), W> is_nan(Pack<T, W> a) {
  return a != a;
}

/// select for a result that goes to memory. With AVX-512 g++ would store it through a mask, and a load that follows a
/// masked store waits until that has left the core: it took a third of the time of a cheap draw.
template <class T, int W, class Where>
BREAKSTEP_INLINE Pack<T, W> merge(Where where, Pack<T, W> a, std::type_identity_t<Pack<T, W>> b) {
  Pack<T, W> r = select(where, a, b);
  if constexpr (BREAKSTEP_ISA_AVX512 && Pack<T, W>::part_width > 1) {
#pragma GCC unroll 16
    for (int p = 0; p < Pack<T, W>::parts; ++p) asm("" : "+v"(r.part[p]));
  }
  return r;
}

/// dst = src in the lanes of `where`; dst keeps its value elsewhere.
template <class T, int W, class Where>
BREAKSTEP_INLINE void assign(Where where, Pack<T, W>& dst, std::type_identity_t<Pack<T, W>> src) {
  dst = merge(where, src, dst);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
