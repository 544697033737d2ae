// Cholesky: the lane form and the one-chain form against a plain reference, bit for bit; solves; failures as NaN.
#include "breakstep/lanes/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::Case;

const int sizes[] = {1,  2,  3,  4,  5,  8,
                     11, 16, 17, 33, 50, 160};  // the last one is in panels where a pack fills registers

/// A positive definite matrix, another one for each lane: G·Gᵀ/n plus a ridge.
template <class T>
std::vector<T> positive_definite(int n, int lane) {
  const auto g = lanes_test::ordinary_numbers<double>(n * n, 100U + static_cast<unsigned>(lane));
  std::vector<T> a(n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = 0; k < n; ++k) sum += g[i * n + k] * g[j * n + k] / n;
      a[i * n + j] = static_cast<T>(sum);
    }
  }
  return a;
}

/// The definition at the head of cholesky.hpp, written the plainest way.
template <class T>
struct Reference {
  int n;
  std::vector<T> l, inverse;

  explicit Reference(int size, const std::vector<T>& a) : n(size), l(a), inverse(size) {
    for (int j = 0; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        T value = a[i * n + j];
        for (int k = 0; k < j; ++k) value = std::fma(-l[i * n + k], l[j * n + k], value);
        if (i == j) {
          l[i * n + j] = std::sqrt(value);
          inverse[j] = T(1) / l[i * n + j];
        } else {
          l[i * n + j] = value * inverse[j];
        }
      }
    }
  }
  void solve_lower(std::vector<T>& y) const {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) y[i] = std::fma(-l[i * n + k], y[k], y[i]);
      y[i] = y[i] * inverse[i];
    }
  }
  void solve_upper(std::vector<T>& y) const {
    for (int i = n - 1; i >= 0; --i) {
      for (int k = n - 1; k > i; --k) y[i] = std::fma(-l[k * n + i], y[k], y[i]);
      y[i] = y[i] * inverse[i];
    }
  }
};

TEST(Cholesky, LanesAgreeWithTheReferenceBitForBit) {
  lanes_test::for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    for (const int n : sizes) {
      const auto memory = aligned_zeros<T>(Triangles<T, W>::elements(n));
      const auto inverse_memory = aligned_zeros<T>(static_cast<std::size_t>(n) * W);
      const auto y_memory = aligned_zeros<T>(static_cast<std::size_t>(n) * W);
      const Triangles<T, W> a(memory.get(), n);
      const InterleavedVector<T, W> inverse(inverse_memory.get(), n), y(y_memory.get(), n);
      std::vector<Reference<T>> references;
      for (int lane = 0; lane < W; ++lane) {
        const auto matrix = positive_definite<T>(n, lane);
        references.emplace_back(n, matrix);
        for (int i = 0; i < n; ++i) {
          y.set(lane, i, T(1) / static_cast<T>(i + lane + 1));
          for (int j = 0; j <= i; ++j) a.row(i)[j * W + lane] = matrix[i * n + j];
        }
      }
      cholesky(a, inverse);
      solve_lower(a, inverse, y);
      solve_upper(a, inverse, y);
      for (int lane = 0; lane < W; ++lane) {
        std::vector<T> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = T(1) / static_cast<T>(i + lane + 1);
        references[lane].solve_lower(expected);
        references[lane].solve_upper(expected);
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j <= i; ++j) ASSERT_EQ(bits(a(i, j)[lane]), bits(references[lane].l[i * n + j])) << n;
          ASSERT_EQ(bits(inverse[i][lane]), bits(references[lane].inverse[i]));
          ASSERT_EQ(bits(y.at(lane, i)), bits(expected[i]));
        }
      }
    }
  });
}

template <class T>
void check_one_chain() {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 33, 50, 64, 100}) {
    const auto matrix = positive_definite<T>(n, 3);
    const Reference<T> reference(n, matrix);
    const auto memory = aligned_zeros<T>(ColumnMatrix<T>::elements(n));
    const auto inverse = aligned_zeros<T>(static_cast<std::size_t>(padded(n)));
    const auto y = aligned_zeros<T>(static_cast<std::size_t>(padded(n)));
    const ColumnMatrix<T> a(memory.get(), n);
    std::vector<T> expected(n);
    for (int i = 0; i < n; ++i) {
      y[i] = expected[i] = T(1) / static_cast<T>(i + 1);
      for (int j = 0; j <= i; ++j) a(i, j) = matrix[i * n + j];
    }
    cholesky(a, inverse.get());
    solve_lower(a, inverse.get(), y.get());
    solve_upper(a, inverse.get(), y.get());
    reference.solve_lower(expected);
    reference.solve_upper(expected);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) ASSERT_EQ(bits(a(i, j)), bits(reference.l[i * n + j])) << n << ": " << i << "," << j;
      ASSERT_EQ(bits(y[i]), bits(expected[i])) << n << ": " << i;
    }
  }
}

TEST(Cholesky, OneChainAgreesWithTheReferenceBitForBit) {
  check_one_chain<float>();
  check_one_chain<double>();
}

TEST(Cholesky, TheFactorReproducesTheMatrix) {
  const int n = 20;
  const auto a = positive_definite<double>(n, 0);
  const Reference<double> reference(n, a);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k <= j; ++k) sum += reference.l[i * n + k] * reference.l[j * n + k];
      EXPECT_NEAR(sum, a[i * n + j], 1e-12 * std::sqrt(a[i * n + i] * a[j * n + j]));
    }
  }
}

TEST(Cholesky, OneIndefiniteChainIsNaNAndItsNeighboursAreUntouched) {
  constexpr int W = 4, n = 5;
  const auto memory = aligned_zeros<double>(Triangles<double, W>::elements(n));
  const auto inverse_memory = aligned_zeros<double>(n * W);
  const Triangles<double, W> a(memory.get(), n);
  const InterleavedVector<double, W> inverse(inverse_memory.get(), n);
  for (int lane = 0; lane < W; ++lane) {
    auto matrix = positive_definite<double>(n, lane);
    if (lane == 2) matrix[2 * n + 2] = -1.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) a.row(i)[j * W + lane] = matrix[i * n + j];
    }
  }
  cholesky(a, inverse);
  for (int lane = 0; lane < W; ++lane) EXPECT_EQ(std::isnan(a(n - 1, n - 1)[lane]), lane == 2);
  const Reference<double> good(n, positive_definite<double>(n, 3));
  EXPECT_EQ(a(n - 1, n - 1)[3], good.l[n * n - 1]);
}

}  // namespace
