// Random numbers of W chains: uniforms, exponentials and normals addressed by (seed, chain, draw, index, purpose).
//
// There is no generator state: whoever asks names the number it wants, so a chain's randomness cannot depend on width,
// schedule or interruption, and nothing needs saving.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "breakstep/lanes/math/exponential.hpp"
#include "breakstep/lanes/math/normal_from_bits.hpp"
#include "breakstep/lanes/math/turns.hpp"
#include "breakstep/lanes/philox.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Uniform in the open interval (0, 1) with 24 bits: k·2⁻²⁴ for k = 1 … 2²⁴−1, and 2⁻²⁵ for k = 0.
template <int W>
BREAKSTEP_INLINE Pack<float, W> to_uniform(Pack<std::uint32_t, W> word) {
  const auto k = convert<float>(bit_cast<std::int32_t>(word >> 8));
  return max(k, 0.5F) * Pack<float, W>(0x1p-24F);
}

/// Uniform in the open interval (0, 1) with 53 bits: k·2⁻⁵³ for k = 1 … 2⁵³−1, and 2⁻⁵⁴ for k = 0. The high 32 bits of
/// k are `high`, the low 21 the top bits of `low`.
template <int W>
BREAKSTEP_INLINE Pack<double, W> to_uniform(Pack<std::uint64_t, W> high, Pack<std::uint64_t, W> low) {
  // A 32-bit integer n placed in the low mantissa bits of 2⁵² reads 2⁵² + n: conversion without an AVX-512 instruction.
  const Pack<std::uint64_t, W> two52_bits(0x4330000000000000U);
  const Pack<double, W> two52(0x1p52);
  const auto upper = bit_cast<double>(high | two52_bits) - two52;
  const auto lower = bit_cast<double>((low >> 11) | two52_bits) - two52;
  return max(fma(upper, 0x1p21, lower), 0.5) * Pack<double, W>(0x1p-53);
}

/// The random numbers of W chains, each at its own draw.
template <class Real, int W>
class Stream {
 public:
  using U = Unsigned<sizeof(Real)>;
  /// Numbers that one Philox evaluation yields: four of 24 bits or two of 53.
  static constexpr int per_index = sizeof(Real) == 4 ? 4 : 2;
  using Numbers = std::array<Pack<Real, W>, per_index>;

  Stream(std::uint64_t seed, Pack<U, W> chain, Pack<U, W> draw) : seed_(seed), chain_(chain), draw_(draw) {}

  /// The four words at (chain, draw, index, purpose).
  [[nodiscard]] BREAKSTEP_INLINE Words<U, W> words(Pack<U, W> index, std::uint32_t purpose) const {
    return philox<U, W>(seed_, {chain_, draw_, index, Pack<U, W>(static_cast<U>(purpose))});
  }

  [[nodiscard]] BREAKSTEP_INLINE Numbers uniforms(Pack<U, W> index, std::uint32_t purpose) const {
    const Words<U, W> w = words(index, purpose);
    if constexpr (per_index == 4) {
      return {to_uniform(w.word[0]), to_uniform(w.word[1]), to_uniform(w.word[2]), to_uniform(w.word[3])};
    } else {
      return {to_uniform(w.word[0], w.word[1]), to_uniform(w.word[2], w.word[3])};
    }
  }

  /// Exponential with mean 1: −log of the uniforms, always positive and finite.
  [[nodiscard]] BREAKSTEP_INLINE Numbers exponentials(Pack<U, W> index, std::uint32_t purpose) const {
    Numbers numbers = uniforms(index, purpose);
    for (auto& x : numbers) x = -log_of_positive(x);
    return numbers;
  }

  /// Standard normal. In single precision each is made from a word of its own (|x| ≤ 6.4), in double precision two from
  /// two uniforms by Box and Muller's transformation (|x| ≤ 8.7).
  [[nodiscard]] BREAKSTEP_INLINE Numbers normals(Pack<U, W> index, std::uint32_t purpose) const {
    Numbers numbers;
    first_normals(index, purpose, per_index, [&](int j, const Pack<Real, W>& number) { numbers[j] = number; });
    return numbers;
  }

  /// Hands the normals of an index to put(number of it, normal): `count` of them, or one more where two are made at
  /// once.
  template <class Put>
  BREAKSTEP_INLINE void first_normals(Pack<U, W> index, std::uint32_t purpose, int count, Put&& put) const {
    if constexpr (per_index == 4) {
      const Words<U, W> w = words(index, purpose);
#pragma GCC unroll 4
      for (int j = 0; j < per_index; ++j) {
        if (j < count) put(j, normal_from_bits(w.word[j]));
      }
    } else {
      const auto [first, second] = uniforms(index, purpose);
      const auto radius = sqrt(Pack<Real, W>(Real(-2)) * log_of_positive(first));
      const auto [sine, cosine] = sincos_turns(second);
      put(0, radius * cosine);
      put(1, radius * sine);
    }
  }

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] Pack<U, W> chain() const { return chain_; }
  [[nodiscard]] Pack<U, W> draw() const { return draw_; }

 private:
  std::uint64_t seed_;
  Pack<U, W> chain_;
  Pack<U, W> draw_;
};

/// Indices that the normals of a vector of this length use up.
template <class Real>
constexpr int indices_for(int length) {
  constexpr int per_index = Stream<Real, 1>::per_index;
  return (length + per_index - 1) / per_index;
}

namespace detail {

/// dst_i = f(normal_i, dst_i) in every coordinate for the chains of `where`, from indices first … first +
/// indices_for(length) − 1. Number j of index first + b belongs to coordinate j·n + b, n the number of indices: both
/// storages then store whole packs.
template <AnyVector V, class Real, int W, class F>
BREAKSTEP_INLINE void with_normals(Mask<W> where, const V& dst, const Stream<Real, W>& stream,
                                   const Pack<Unsigned<sizeof(Real)>, W>& first, std::uint32_t purpose, F&& f) {
  using U = Unsigned<sizeof(Real)>;
  const int length = dst.length(), n = indices_for<Real>(length);
  const auto count_in = [&](int b) { return (length - b + n - 1) / n; };
  if constexpr (V::storage == Storage::interleaved) {
    const Truth<sizeof(Real), W> chosen(where);
    for (int b = 0; b < n; ++b) {
      stream.first_normals(first + Pack<U, W>(static_cast<U>(b)), purpose, count_in(b),
                           [&](int j, const Pack<Real, W>& number) {
                             const int i = j * n + b;
                             if (i < length) dst.store(i, merge(chosen, f(number, dst[i]), dst[i]));
                           });
    }
  } else {
    using Native = Pack<Real, native_width<Real>>;
    using Indices = Pack<U, Native::width>;
    for_each_lane(where, [&](int lane) {
      const Stream<Real, Native::width> one_chain(stream.seed(), stream.chain()[lane], stream.draw()[lane]);
      Real* to = dst.lane_data(lane);
      for (int b = 0; b < n; b += Native::width) {
        const auto put = [&](int j, const Native& number) {
          const int i = j * n + b;
          const int count = std::min(std::min(Native::width, n - b), length - i);
          if (i + Native::width <= padded(length)) {
            const Native old = Native::load(to + i), made = f(number, old);
            (count == Native::width ? made : select(Mask<Native::width>::first_lanes(count), made, old)).store(to + i);
          } else {
            for (int k = 0; k < count; ++k) to[i + k] = f(Pack<Real, 1>(number[k]), Pack<Real, 1>(to[i + k]))[0];
          }
        };
        one_chain.first_normals(Indices(first[lane] + static_cast<U>(b)) + Indices::lane_numbers(), purpose,
                                count_in(b), put);
      }
    });
  }
}

}  // namespace detail

/// Standard normals in every coordinate for the chains of `where`, from indices first … first + indices_for(length)
/// − 1.
template <AnyVector V, class Real, int W>
void fill_normal(Mask<W> where, const V& dst, const Stream<Real, W>& stream,
                 std::type_identity_t<Pack<Unsigned<sizeof(Real)>, W>> first, std::uint32_t purpose) {
  detail::with_normals(where, dst, stream, first, purpose, [](const auto& number, const auto&) { return number; });
}

/// The first normal of an index and the uniform after it, of single precision. More than two registers are made two at
/// a time: the generator's words fill the register file.
template <int W>
BREAKSTEP_INLINE std::pair<Pack<float, W>, Pack<float, W>> normal_and_uniform(const Stream<float, W>& stream,
                                                                              const Pack<std::uint32_t, W>& index,
                                                                              std::uint32_t purpose) {
  constexpr int N = std::min(W, 2 * native_width<float>);
  Pack<float, W> normal, uniform;
#pragma GCC unroll 4
  for (int k = 0; k < W / N; ++k) {
    const Stream<float, N> own(stream.seed(), piece<N>(stream.chain(), k), piece<N>(stream.draw(), k));
    const auto words = own.words(piece<N>(index, k), purpose);
    set_piece<N>(normal, k, normal_from_bits(words.word[0]));
    set_piece<N>(uniform, k, to_uniform(words.word[1]));
  }
  return {normal, uniform};
}

/// dst += scale·z for the chains of `where`, z the normals that fill_normal would give; returns one uniform per lane
/// that is independent of them. It costs nothing where the last index has a number to spare (float, length not a
/// multiple of four), else it is number 0 of the index after.
template <class Real, int W, Storage S>
BREAKSTEP_INLINE Pack<Real, W> add_scaled_normal(Mask<W> where, const Vector<Real, W, S>& dst, Real scale,
                                                 const Stream<Real, W>& stream,
                                                 std::type_identity_t<Pack<Unsigned<sizeof(Real)>, W>> first,
                                                 std::uint32_t purpose) {
  using U = Unsigned<sizeof(Real)>;
  if constexpr (S == Storage::interleaved && sizeof(Real) == 4) {
    if (dst.length() == 1) {
      const auto [normal, uniform] = normal_and_uniform(stream, first, purpose);
      dst.store(0, merge(where, fma(normal, scale, dst[0]), dst[0]));
      return uniform;
    }
  }
  detail::with_normals(where, dst, stream, first, purpose,
                       [scale](const auto& number, const auto& old) { return fma(number, scale, old); });
  const int n = indices_for<Real>(dst.length());
  const int spare = dst.length() / n;  // the first number of the last index that no coordinate has
  if (sizeof(Real) == 8 || spare == Stream<Real, W>::per_index)
    return stream.uniforms(first + Pack<U, W>(static_cast<U>(n)), purpose)[0];
  return stream.uniforms(first + Pack<U, W>(static_cast<U>(n - 1)), purpose)[spare];
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
