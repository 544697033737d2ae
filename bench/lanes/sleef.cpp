// SLEEF (Debian's libsleef-dev) in its 1.0-ulp versions, at the register size of this build.
#include <immintrin.h>
#include <sleef.h>

#include "breakstep/abi.hpp"
#include "contestants.hpp"

namespace bench {
namespace {

#if BREAKSTEP_ISA_AVX512
constexpr std::size_t floats = 16, doubles = 8;
const auto exp_f = Sleef_expf16_u10avx512f;
const auto log_f = Sleef_logf16_u10avx512f;
const auto sincos_f = Sleef_sincosf16_u10avx512f;
const auto exp_d = Sleef_expd8_u10avx512f;
const auto log_d = Sleef_logd8_u10avx512f;
const auto sincos_d = Sleef_sincosd8_u10avx512f;
auto load(const float* x) { return _mm512_loadu_ps(x); }
auto load(const double* x) { return _mm512_loadu_pd(x); }
void store(float* y, __m512 v) { _mm512_storeu_ps(y, v); }
void store(double* y, __m512d v) { _mm512_storeu_pd(y, v); }
#else
constexpr std::size_t floats = 8, doubles = 4;
const auto exp_f = Sleef_expf8_u10avx2;
const auto log_f = Sleef_logf8_u10avx2;
const auto sincos_f = Sleef_sincosf8_u10avx2;
const auto exp_d = Sleef_expd4_u10avx2;
const auto log_d = Sleef_logd4_u10avx2;
const auto sincos_d = Sleef_sincosd4_u10avx2;
auto load(const float* x) { return _mm256_loadu_ps(x); }
auto load(const double* x) { return _mm256_loadu_pd(x); }
void store(float* y, __m256 v) { _mm256_storeu_ps(y, v); }
void store(double* y, __m256d v) { _mm256_storeu_pd(y, v); }
#endif

void exp_floats(const float* x, float* y, float*, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats) store(y + i, exp_f(load(x + i)));
}
void log_floats(const float* x, float* y, float*, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats) store(y + i, log_f(load(x + i)));
}
void sincos_floats(const float* x, float* y, float* second, std::size_t count) {
  for (std::size_t i = 0; i < count; i += floats) {
    const auto both = sincos_f(load(x + i));
    store(y + i, both.x);
    store(second + i, both.y);
  }
}
void exp_doubles(const double* x, double* y, double*, std::size_t count) {
  for (std::size_t i = 0; i < count; i += doubles) store(y + i, exp_d(load(x + i)));
}
void log_doubles(const double* x, double* y, double*, std::size_t count) {
  for (std::size_t i = 0; i < count; i += doubles) store(y + i, log_d(load(x + i)));
}
void sincos_doubles(const double* x, double* y, double* second, std::size_t count) {
  for (std::size_t i = 0; i < count; i += doubles) {
    const auto both = sincos_d(load(x + i));
    store(y + i, both.x);
    store(second + i, both.y);
  }
}

}  // namespace

Entries sleef_entries() {
  return {
      {{"exp", "SLEEF u10", exp_floats}, {"log", "SLEEF u10", log_floats}, {"sincos", "SLEEF u10", sincos_floats}},
      {{"exp", "SLEEF u10", exp_doubles}, {"log", "SLEEF u10", log_doubles}, {"sincos", "SLEEF u10", sincos_doubles}},
      {},
      {},
      {}};
}

}  // namespace bench
