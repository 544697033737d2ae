// Width<Real, W>: names a precision and a width as an argument, because virtual functions cannot be templates.
#pragma once

#include <type_traits>

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

template <class Number, int W>
struct Width {
  using Real = Number;
  static constexpr int lanes = W;
};

/// Compiled into the library, in both precisions: one chain at a time, and as many as fill a register.
using OneFloat = Width<float, 1>;
using OneDouble = Width<double, 1>;
using Floats = Width<float, lanes::native_width<float>>;
using Doubles = Width<double, lanes::native_width<double>>;

/// Several registers (four with AVX2, two with AVX-512): independent work for the processor while one waits, and
/// fewer calls per lane. Only for samplers that ask for no gradient (see make_run).
using WideFloats = Width<float, 32>;
using WideDoubles = Width<double, 16>;
template <class Real>
using Wide = std::conditional_t<std::is_same_v<Real, float>, WideFloats, WideDoubles>;

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
