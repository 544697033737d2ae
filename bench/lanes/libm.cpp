// libm and libstdc++: what a plain C++ program would call.
#include <cmath>
#include <random>

#include "contestants.hpp"

namespace bench {
namespace {

template <class T>
void libm_exp(const T* x, T* y, T*, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = std::exp(x[i]);
}
template <class T>
void libm_log(const T* x, T* y, T*, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = std::log(x[i]);
}
void libm_sincos_f(const float* x, float* y, float* second, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sincosf(x[i], y + i, second + i);
}
void libm_sincos_d(const double* x, double* y, double* second, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sincos(x[i], y + i, second + i);
}

std::mt19937_64 engine(1);

void twister_words(std::uint32_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 2) {
    const std::uint64_t both = engine();
    words[i] = static_cast<std::uint32_t>(both);
    words[i + 1] = static_cast<std::uint32_t>(both >> 32);
  }
}
template <class T>
void std_normals(T* normals, std::size_t count) {
  static std::normal_distribution<T> normal;
  for (std::size_t i = 0; i < count; ++i) normals[i] = normal(engine);
}

}  // namespace

Entries libm_entries() {
  return {{{"exp", "libm", libm_exp<float>}, {"log", "libm", libm_log<float>}, {"sincos", "libm", libm_sincos_f}},
          {{"exp", "libm", libm_exp<double>}, {"log", "libm", libm_log<double>}, {"sincos", "libm", libm_sincos_d}},
          {{"libstdc++ mt19937_64", false, twister_words}},
          {{"libstdc++ normal", std_normals<float>}},
          {{"libstdc++ normal", std_normals<double>}}};
}

}  // namespace bench
