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

  /// Standard normal, by Box and Muller's transformation of pairs of uniforms; |x| ≤ 5.9 in float, 8.7 in double.
  [[nodiscard]] BREAKSTEP_INLINE Numbers normals(Pack<U, W> index, std::uint32_t purpose) const {
    Numbers numbers = uniforms(index, purpose);
    for (int first = 0; first < per_index; first += 2) to_normals(numbers, first);
    return numbers;
  }

  /// Turns the uniforms `first` and `first + 1` into two independent normals.
  static BREAKSTEP_INLINE void to_normals(Numbers& numbers, int first) {
    const auto radius = sqrt(Pack<Real, W>(Real(-2)) * log_of_positive(numbers[first]));
    const auto [sine, cosine] = sincos_turns(numbers[first + 1]);
    numbers[first] = radius * cosine;
    numbers[first + 1] = radius * sine;
  }

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] Pack<U, W> chain() const { return chain_; }
  [[nodiscard]] Pack<U, W> draw() const { return draw_; }

 private:
  std::uint64_t seed_;
  Pack<U, W> chain_;
  Pack<U, W> draw_;
};

/// Indices that fill_normal of a vector of this length uses up.
template <class Real>
constexpr int indices_for(int length) {
  constexpr int per_index = Stream<Real, 1>::per_index;
  return (length + per_index - 1) / per_index;
}

namespace detail {

/// Turns one index's uniforms into the normals of block b of n and hands the coordinates below `length` to
/// put(number, coordinate); pairs that no coordinate needs are left as uniforms.
template <class Real, int W, class Put>
BREAKSTEP_INLINE void normals_of_block(typename Stream<Real, W>::Numbers& numbers, int b, int n, int length,
                                       Put&& put) {
  for (int j = 0; j < Stream<Real, W>::per_index; j += 2) {
    if (j * n + b >= length) return;
    Stream<Real, W>::to_normals(numbers, j);
    put(numbers[j], j * n + b);
    if ((j + 1) * n + b < length) put(numbers[j + 1], (j + 1) * n + b);
  }
}

}  // namespace detail

/// Standard normals in every coordinate for the chains of `where`, from indices first … first + indices_for(length)
/// − 1. Number j of index first + b becomes coordinate j·n + b, n the number of indices: both storages then store whole
/// packs.
template <AnyVector V, class Real, int W>
void fill_normal(Mask<W> where, const V& dst, const Stream<Real, W>& stream,
                 std::type_identity_t<Pack<Unsigned<sizeof(Real)>, W>> first, std::uint32_t purpose) {
  using U = Unsigned<sizeof(Real)>;
  const int n = indices_for<Real>(dst.length());
  if constexpr (V::storage == Storage::interleaved) {
    const Truth<sizeof(Real), W> chosen(where);
    for (int b = 0; b < n; ++b) {
      auto numbers = stream.uniforms(first + Pack<U, W>(static_cast<U>(b)), purpose);
      detail::normals_of_block<Real, W>(numbers, b, n, dst.length(), [&](const Pack<Real, W>& number, int i) {
        dst.store(i, merge(chosen, number, dst[i]));
      });
    }
  } else {
    using Native = Pack<Real, native_width<Real>>;
    using Indices = Pack<U, Native::width>;
    for_each_lane(where, [&](int lane) {
      const Stream<Real, Native::width> one_chain(stream.seed(), stream.chain()[lane], stream.draw()[lane]);
      Real* to = dst.lane_data(lane);
      for (int b = 0; b < n; b += Native::width) {
        auto numbers = one_chain.uniforms(Indices(first[lane] + static_cast<U>(b)) + Indices::lane_numbers(), purpose);
        const auto put = [&](const Native& number, int i) {
          const int count = std::min(std::min(Native::width, n - b), dst.length() - i);
          if (count == Native::width) {
            number.store(to + i);
          } else {
            for (int k = 0; k < count; ++k) to[i + k] = number[k];
          }
        };
        detail::normals_of_block<Real, Native::width>(numbers, b, n, dst.length(), put);
      }
    });
  }
}

/// The first normal of an index and the uniform that it leaves over, of single precision. More than two registers are
/// made two at a time: the generator's words fill the register file.
template <class Real, int W>
BREAKSTEP_INLINE std::pair<Pack<Real, W>, Pack<Real, W>> normal_and_uniform(
    const Stream<Real, W>& stream, const Pack<Unsigned<sizeof(Real)>, W>& index, std::uint32_t purpose) {
  constexpr int N = std::min(W, 2 * native_width<Real>);
  Pack<Real, W> normal, uniform;
#pragma GCC unroll 4
  for (int k = 0; k < W / N; ++k) {
    const Stream<Real, N> own(stream.seed(), piece<N>(stream.chain(), k), piece<N>(stream.draw(), k));
    auto numbers = own.uniforms(piece<N>(index, k), purpose);
    set_piece<N>(uniform, k, numbers[Stream<Real, N>::per_index / 2]);
    Stream<Real, N>::to_normals(numbers, 0);
    set_piece<N>(normal, k, numbers[0]);
  }
  return {normal, uniform};
}

/// As fill_normal, and returns one uniform per lane that is independent of the normals. It costs nothing where the last
/// index has numbers to spare (float, d = 1, 2, 5, …), else it is number 0 of the index after.
template <class Real, int W, Storage S>
BREAKSTEP_INLINE Pack<Real, W> fill_normal_and_uniform(Mask<W> where, const Vector<Real, W, S>& dst,
                                                       const Stream<Real, W>& stream,
                                                       std::type_identity_t<Pack<Unsigned<sizeof(Real)>, W>> first,
                                                       std::uint32_t purpose) {
  using U = Unsigned<sizeof(Real)>;
  const int n = indices_for<Real>(dst.length());
  const bool to_spare = Stream<Real, W>::per_index == 4 && 3 * n - 1 >= dst.length();
  if constexpr (S == Storage::interleaved) {
    if (to_spare && dst.length() == 1) {
      const auto [normal, spare] = normal_and_uniform(stream, first, purpose);
      dst.store(0, merge(Truth<sizeof(Real), W>(where), normal, dst[0]));
      return spare;
    }
    if (to_spare && n == 1) {
      auto numbers = stream.uniforms(first, purpose);
      const Truth<sizeof(Real), W> chosen(where);
      const Pack<Real, W> spare = numbers[Stream<Real, W>::per_index / 2];
      detail::normals_of_block<Real, W>(numbers, 0, 1, dst.length(), [&](const Pack<Real, W>& number, int i) {
        dst.store(i, merge(chosen, number, dst[i]));
      });
      return spare;
    }
  }
  fill_normal(where, dst, stream, first, purpose);
  if (to_spare)
    return stream.uniforms(first + Pack<U, W>(static_cast<U>(n - 1)), purpose)[Stream<Real, W>::per_index / 2];
  return stream.uniforms(first + Pack<U, W>(static_cast<U>(n)), purpose)[0];
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
