// Arguments for comparing bits: fixed on every machine, all magnitudes and all special values among ordinary ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "math_accuracy.hpp"

namespace breakstep::test {

/// Of every four numbers one has arbitrary bits, one lies in [−1, 1), one in [−32, 32) and one has a moderate exponent.
template <class T>
std::vector<T> fixed_inputs(std::size_t count, std::uint64_t seed) {
  using U = lanes::Unsigned<sizeof(T)>;
  constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  Generator generator(seed);
  std::vector<T> inputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = generator();
    const T unit = static_cast<T>(static_cast<std::int64_t>(random)) * T(0x1p-63);
    // Below the mantissa's bits 6 random ones choose among 64 exponents about that of 1.
    const U near_one = std::bit_cast<U>(T(1)) - (U(32) << mantissa_bits);
    const U random_mantissa = static_cast<U>(random) & ((U(64) << mantissa_bits) - 1);
    const U sign = static_cast<U>(random >> 63) << (8 * sizeof(T) - 1);
    switch (i % 4) {
      case 0:
        inputs[i] = std::bit_cast<T>(static_cast<U>(random));
        break;
      case 1:
        inputs[i] = unit;
        break;
      case 2:
        inputs[i] = 32 * unit;
        break;
      default:
        inputs[i] = std::bit_cast<T>((near_one + random_mantissa) | sign);
        break;
    }
  }
  return inputs;
}

/// The bits of a number, with all NaNs equal.
template <class T>
lanes::Unsigned<sizeof(T)> canonical_bits(T value) {
  using U = lanes::Unsigned<sizeof(T)>;
  return std::bit_cast<U>(std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value);
}

}  // namespace breakstep::test
