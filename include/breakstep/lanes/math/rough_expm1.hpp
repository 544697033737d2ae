// e^x − 1 of packs for half the price of expm1, where neither the last bit nor infinity matters.
#pragma once

#include <type_traits>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/math/exponential.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// e^x − 1, small or not, to 2.1 ulp. Above 88 (float) or 709 (double) x counts as that: the result is always finite,
/// unless x is NaN, which stays NaN. Of −0 it is +0.
template <class T, int W>
requires std::is_floating_point_v<T> BREAKSTEP_INLINE Pack<T, W> rough_expm1(Pack<T, W> x) {
  using C = detail::Exponential<T>;
  using P = Pack<T, W>;
  const P least(C::expm1_is_minus_one_below), most(std::is_same_v<T, float> ? T(88) : T(709));
  const auto reduced = detail::reduce_exponent(min(most, max(least, x)));
  // e^x = 2^n·(1 + p): the rounding of 2^n − 1 is that of the result, and with n = 0 it leaves p alone.
  const P scale = bit_cast<T>((reduced.exponent_bits << C::mantissa_bits) + C::one);
  return fma(scale, detail::expm1_of_remainder(reduced.remainder), scale - T(1));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
