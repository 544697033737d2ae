// Evaluates a long function of packs one register at a time.
#pragma once

#include "breakstep/abi.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// f(x, …) where f treats each lane by itself: the same bits, but a pack of more than two registers takes them in turn.
/// Otherwise the code of a long f would grow with the width, and with it the time to compile it.
template <class F, class T, int W, class... Packs>
BREAKSTEP_INLINE Pack<T, W> by_register(F f, const Pack<T, W>& x, const Packs&... more) {
  if constexpr (Pack<T, W>::parts <= 2) {
    return f(x, more...);
  } else {
    using One = Pack<T, Pack<T, W>::part_width>;
    const auto part_of = [](const Pack<T, W>& pack, int p) {
      One one;
      one.part[0] = pack.part[p];
      return one;
    };
    Pack<T, W> result;
#pragma GCC unroll 1
    for (int p = 0; p < Pack<T, W>::parts; ++p) result.part[p] = f(part_of(x, p), part_of(more, p)...).part[0];
    return result;
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
