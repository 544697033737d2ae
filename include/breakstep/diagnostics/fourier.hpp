// The discrete Fourier transform of a power of two of complex numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Transforms in place, with real and imaginary parts apart. The spectrum is in bit-reversed order, which is all that a
/// spectrum needs that is only multiplied and transformed back; leaving it so saves two permutations.
class Fourier {
 public:
  /// Prepares transforms of `size` numbers, a power of two. Keeps what it has if the size is the same.
  void resize(std::size_t size);

  std::size_t size() const { return size_; }

  /// x_j in order to X_k = Σ x_j exp(-2πi jk / size) in bit-reversed order.
  void forward(double* real, double* imaginary) const;

  /// X_k in bit-reversed order to Σ X_k exp(2πi jk / size) in order: the inverse of `forward` times size.
  void backward(double* real, double* imaginary) const;

 private:
  std::size_t size_ = 0;
  // exp(-2πi j / length) for j < length / 2 begins at length / 2, for every power of two up to size.
  std::vector<double> cosine_;
  std::vector<double> minus_sine_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
