// Decimation in frequency forwards, two levels at once, and in time backwards; depth first so that parts stay in cache.
#include "breakstep/diagnostics/fourier.hpp"

#include <cmath>
#include <numbers>

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

// Numbers of one kind: real parts or imaginary parts, of data or of factors. Loops take them as separate arguments,
// because only then does the compiler believe that they do not overlap and use SIMD.
using Numbers = double* __restrict;
using Constants = const double* __restrict;

// One level backwards: pairs (x0, x1) become x0 ± x1 / w.
void join_two(Numbers r0, Numbers i0, Numbers r1, Numbers i1, Constants cosine, Constants minus_sine,
              std::size_t half) {
  for (std::size_t j = 0; j < half; ++j) {
    const double real = r1[j] * cosine[j] + i1[j] * minus_sine[j];
    const double imaginary = i1[j] * cosine[j] - r1[j] * minus_sine[j];
    r1[j] = r0[j] - real;
    i1[j] = i0[j] - imaginary;
    r0[j] += real;
    i0[j] += imaginary;
  }
}

// Two levels forwards: the quarters x0, x1, x2, x3 of a block become, with w the block's factors,
// (x0 + x2) + (x1 + x3), ((x0 + x2) - (x1 + x3)) w², ((x0 - x2) - i (x1 - x3)) w, ((x0 - x2) + i (x1 - x3)) w³.
void split_four(Numbers r0, Numbers i0, Numbers r1, Numbers i1, Numbers r2, Numbers i2, Numbers r3, Numbers i3,
                Constants wr, Constants wi, Constants wr2, Constants wi2, std::size_t quarter) {
  for (std::size_t j = 0; j < quarter; ++j) {
    const double sum_r02 = r0[j] + r2[j], sum_i02 = i0[j] + i2[j];
    const double sum_r13 = r1[j] + r3[j], sum_i13 = i1[j] + i3[j];
    const double r02 = r0[j] - r2[j], i02 = i0[j] - i2[j];
    const double r13 = r1[j] - r3[j], i13 = i1[j] - i3[j];
    const double wr3 = wr[j] * wr2[j] - wi[j] * wi2[j];
    const double wi3 = wr[j] * wi2[j] + wi[j] * wr2[j];
    r0[j] = sum_r02 + sum_r13;
    i0[j] = sum_i02 + sum_i13;
    r1[j] = (sum_r02 - sum_r13) * wr2[j] - (sum_i02 - sum_i13) * wi2[j];
    i1[j] = (sum_r02 - sum_r13) * wi2[j] + (sum_i02 - sum_i13) * wr2[j];
    r2[j] = (r02 + i13) * wr[j] - (i02 - r13) * wi[j];
    i2[j] = (r02 + i13) * wi[j] + (i02 - r13) * wr[j];
    r3[j] = (r02 - i13) * wr3 - (i02 + r13) * wi3;
    i3[j] = (r02 - i13) * wi3 + (i02 + r13) * wr3;
  }
}

void split_two(Numbers r, Numbers i) {
  const double real = r[1], imaginary = i[1];
  r[1] = r[0] - real;
  i[1] = i[0] - imaginary;
  r[0] += real;
  i[0] += imaginary;
}

// What split_four does to a block of four, whose factors are 1.
void split_last_four(Numbers r, Numbers i) {
  const double sum_r02 = r[0] + r[2], sum_i02 = i[0] + i[2];
  const double sum_r13 = r[1] + r[3], sum_i13 = i[1] + i[3];
  const double r02 = r[0] - r[2], i02 = i[0] - i[2];
  const double r13 = r[1] - r[3], i13 = i[1] - i[3];
  r[0] = sum_r02 + sum_r13;
  i[0] = sum_i02 + sum_i13;
  r[1] = sum_r02 - sum_r13;
  i[1] = sum_i02 - sum_i13;
  r[2] = r02 + i13;
  i[2] = i02 - r13;
  r[3] = r02 - i13;
  i[3] = i02 + r13;
}

// exp(-2πi j / length) for j < length / 2 begins at length / 2 in both tables.
struct Factors {
  const double* cosine;
  const double* minus_sine;
};

void forward_block(const Factors& w, double* r, double* i, std::size_t length) {
  if (length == 4) return split_last_four(r, i);
  if (length == 2) return split_two(r, i);
  const std::size_t quarter = length / 4;
  split_four(r, i, r + quarter, i + quarter, r + 2 * quarter, i + 2 * quarter, r + 3 * quarter, i + 3 * quarter,
             w.cosine + 2 * quarter, w.minus_sine + 2 * quarter, w.cosine + quarter, w.minus_sine + quarter, quarter);
  for (std::size_t part = 0; part < length; part += quarter) forward_block(w, r + part, i + part, quarter);
}

void backward_block(const Factors& w, double* r, double* i, std::size_t length) {
  const std::size_t half = length / 2;
  if (half > 1) {
    backward_block(w, r, i, half);
    backward_block(w, r + half, i + half, half);
  }
  join_two(r, i, r + half, i + half, w.cosine + half, w.minus_sine + half, half);
}

}  // namespace

void Fourier::resize(std::size_t size) {
  if (size == size_) return;
  size_ = size;
  cosine_.resize(size);
  minus_sine_.resize(size);
  const std::size_t half = size / 2;
  for (std::size_t j = 0; j < half; ++j) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(size);
    cosine_[half + j] = std::cos(angle);
    minus_sine_[half + j] = -std::sin(angle);
  }
  // Shorter blocks use every second factor of the next longer ones.
  for (std::size_t j = half; j-- > 1;) {
    cosine_[j] = cosine_[2 * j];
    minus_sine_[j] = minus_sine_[2 * j];
  }
}

void Fourier::forward(double* real, double* imaginary) const {
  if (size_ > 1) forward_block({cosine_.data(), minus_sine_.data()}, real, imaginary, size_);
}

void Fourier::backward(double* real, double* imaginary) const {
  if (size_ > 1) backward_block({cosine_.data(), minus_sine_.data()}, real, imaginary, size_);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
