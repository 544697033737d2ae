// The contestant this project is about.
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/random.hpp"
#include "contestants.hpp"

namespace bench {
namespace {

using namespace breakstep::lanes;

template <class T, class F>
void over_array(const T* x, T* y, std::size_t count, F f) {
  const FlushToZero scope;
  constexpr int W = native_width<T>;
  for (std::size_t i = 0; i < count; i += W) f(Pack<T, W>::load(x + i)).store(y + i);
}

template <class T>
void our_exp(const T* x, T* y, T*, std::size_t count) {
  over_array(x, y, count, [](auto v) { return exp(v); });
}
template <class T>
void our_log(const T* x, T* y, T*, std::size_t count) {
  over_array(x, y, count, [](auto v) { return log(v); });
}
template <class T>
void our_sincos(const T* x, T* y, T* second, std::size_t count) {
  const FlushToZero scope;
  constexpr int W = native_width<T>;
  for (std::size_t i = 0; i < count; i += W) {
    const auto [s, c] = sincos(Pack<T, W>::load(x + i));
    s.store(y + i);
    c.store(second + i);
  }
}

void our_words(std::uint32_t* words, std::size_t count) {
  constexpr int W = native_width<std::uint32_t>;
  using P = Pack<std::uint32_t, W>;
  for (std::size_t i = 0; i < count / 4; i += W) {
    const auto result =
        philox<std::uint32_t, W>(1, {P::lane_numbers() + P(static_cast<std::uint32_t>(i)), P(0U), P(0U), P(0U)});
    for (std::size_t k = 0; k < 4; ++k) result.word[k].store(words + k * (count / 4) + i);
  }
}

template <class T>
void our_normals(T* normals, std::size_t count) {
  const FlushToZero scope;
  constexpr int W = native_width<T>;
  using S = Stream<T, W>;
  using U = typename S::U;
  const S stream(1, Pack<U, W>::lane_numbers(), U(0));
  for (std::size_t i = 0; i < count; i += W * S::per_index) {
    const auto numbers = stream.normals(static_cast<U>(i), 0);
    for (std::size_t k = 0; k < S::per_index; ++k) numbers[k].store(normals + i + k * W);
  }
}

}  // namespace

Entries breakstep_entries() {
  return {{{"exp", "breakstep", our_exp<float>},
           {"log", "breakstep", our_log<float>},
           {"sincos", "breakstep", our_sincos<float>}},
          {{"exp", "breakstep", our_exp<double>},
           {"log", "breakstep", our_log<double>},
           {"sincos", "breakstep", our_sincos<double>}},
          {{"breakstep", true, our_words}},
          {{"breakstep", our_normals<float>}},
          {{"breakstep", our_normals<double>}}};
}

}  // namespace bench
