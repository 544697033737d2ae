// The Fourier transform against the sums that define it.
#include "breakstep/diagnostics/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "recipe.hpp"

namespace {

using breakstep::diagnostics::Fourier;

struct Complexes {
  std::vector<double> real, imaginary;
};

Complexes make_complexes(std::size_t size) {
  diagnostics_test::Uniforms uniform(size);
  Complexes result;
  for (std::size_t i = 0; i < size; ++i) {
    result.real.push_back(uniform() - 0.5);
    result.imaginary.push_back(uniform() - 0.5);
  }
  return result;
}

std::size_t bit_reversed(std::size_t k, std::size_t size) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < size; bit *= 2, k /= 2) result = 2 * result + k % 2;
  return result;
}

TEST(Fourier, ForwardIsTheSum) {
  for (std::size_t size = 1; size <= 512; size *= 2) {
    Complexes x = make_complexes(size);
    std::vector<std::complex<double>> expected(size);
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j < size; ++j) {
        const double angle = -2.0 * std::numbers::pi * static_cast<double>(j * k % size) / static_cast<double>(size);
        expected[k] += std::complex(x.real[j], x.imaginary[j]) * std::polar(1.0, angle);
      }
    }
    Fourier fourier;
    fourier.resize(size);
    fourier.forward(x.real.data(), x.imaginary.data());
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t place = bit_reversed(k, size);
      EXPECT_NEAR(x.real[place], expected[k].real(), 1e-13 * static_cast<double>(size)) << k << " of " << size;
      EXPECT_NEAR(x.imaginary[place], expected[k].imag(), 1e-13 * static_cast<double>(size)) << k << " of " << size;
    }
  }
}

TEST(Fourier, BackwardUndoesForward) {
  Fourier fourier;
  for (std::size_t size = 1; size <= 1 << 16; size *= 2) {
    fourier.resize(size);
    ASSERT_EQ(fourier.size(), size);
    const Complexes x = make_complexes(size);
    Complexes y = x;
    fourier.forward(y.real.data(), y.imaginary.data());
    fourier.backward(y.real.data(), y.imaginary.data());
    double worst = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      worst = std::max(worst, std::abs(y.real[j] / static_cast<double>(size) - x.real[j]));
      worst = std::max(worst, std::abs(y.imaginary[j] / static_cast<double>(size) - x.imaginary[j]));
    }
    EXPECT_LT(worst, 1e-14) << size;
  }
}

}  // namespace
