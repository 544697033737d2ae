// Width<Real, W>: names a precision and a width as an argument, because virtual functions cannot be templates.
#pragma once

#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

template <class Real, int W>
struct Width {};

/// The four that are compiled into the library: one chain at a time, and this machine's registers, in both precisions.
using OneFloat = Width<float, 1>;
using OneDouble = Width<double, 1>;
using Floats = Width<float, lanes::native_width<float>>;
using Doubles = Width<double, lanes::native_width<double>>;

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
