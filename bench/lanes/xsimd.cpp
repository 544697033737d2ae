// xsimd (Debian's libxsimd-dev): C++ wrappers with their own polynomials.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop

#include "contestants.hpp"

namespace bench {
namespace {

template <class T, class F>
void over_array(const T* x, T* y, std::size_t count, F f) {
  using Batch = xsimd::batch<T>;
  for (std::size_t i = 0; i < count; i += Batch::size) f(Batch::load_unaligned(x + i)).store_unaligned(y + i);
}

template <class T>
void their_exp(const T* x, T* y, T*, std::size_t count) {
  over_array(x, y, count, [](auto v) { return xsimd::exp(v); });
}
template <class T>
void their_log(const T* x, T* y, T*, std::size_t count) {
  over_array(x, y, count, [](auto v) { return xsimd::log(v); });
}
template <class T>
void their_sincos(const T* x, T* y, T* second, std::size_t count) {
  using Batch = xsimd::batch<T>;
  for (std::size_t i = 0; i < count; i += Batch::size) {
    const auto [s, c] = xsimd::sincos(Batch::load_unaligned(x + i));
    s.store_unaligned(y + i);
    c.store_unaligned(second + i);
  }
}

}  // namespace

Entries xsimd_entries() {
  return {{{"exp", "xsimd", their_exp<float>},
           {"log", "xsimd", their_log<float>},
           {"sincos", "xsimd", their_sincos<float>}},
          {{"exp", "xsimd", their_exp<double>},
           {"log", "xsimd", their_log<double>},
           {"sincos", "xsimd", their_sincos<double>}},
          {},
          {},
          {}};
}

}  // namespace bench
