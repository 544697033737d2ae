// What every contestant of bench/lanes offers: functions over arrays, and random words and normals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// y[i] = f(x[i]); `second` is used by sincos alone (y the sine, second the cosine).
template <class T>
struct ArrayFunction {
  std::string question;  ///< exp, log or sincos
  std::string contestant;
  void (*run)(const T* x, T* y, T* second, std::size_t count);
};

/// Fills an array with 32-bit words, or with normals of type T.
struct WordSource {
  std::string contestant;
  bool is_philox;  ///< must then give exactly the words of philox4x32-10 with key 1 and counter (i, 0, 0, 0)
  void (*run)(std::uint32_t* words, std::size_t count);
};
template <class T>
struct NormalSource {
  std::string contestant;
  void (*run)(T* normals, std::size_t count);
};

/// Everything one file contributes.
struct Entries {
  std::vector<ArrayFunction<float>> float_functions;
  std::vector<ArrayFunction<double>> double_functions;
  std::vector<WordSource> words;
  std::vector<NormalSource<float>> float_normals;
  std::vector<NormalSource<double>> double_normals;
};

Entries breakstep_entries();
Entries xsimd_entries();
Entries sleef_entries();
Entries libm_entries();
Entries random123_entries();

}  // namespace bench
