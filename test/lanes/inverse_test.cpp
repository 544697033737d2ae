// Inverses from Cholesky factors: the product with the matrix is the identity, and every width gives the same bits.
#include "breakstep/lanes/inverse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "every_width.hpp"

namespace {

namespace lanes = breakstep::lanes;

// A positive definite matrix, another one in every lane.
double element(int i, int j, int lane) {
  return std::exp(-0.05 * (i - j) * (i - j) / (1 + 0.1 * lane)) + (i == j ? 0.5 : 0.0);
}

// The inverse of lane `lane`, row by row, its upper half mirrored.
template <class T, int W>
std::vector<T> inverse(int n, int lane) {
  const auto memory = lanes::aligned_zeros<T>(lanes::Triangles<T, W>::elements(n));
  const auto diagonal = lanes::aligned_zeros<T>(lanes::InterleavedVector<T, W>::elements(n));
  const lanes::Triangles<T, W> a(memory.get(), n);
  const lanes::InterleavedVector<T, W> inverse_diagonal(diagonal.get(), n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      lanes::Pack<T, W> value(T(0));
      for (int l = 0; l < W; ++l) value.set(l, static_cast<T>(element(i, j, l)));
      a.store(i, j, value);
    }
  }
  lanes::cholesky(a, inverse_diagonal);
  lanes::invert_lower(a, inverse_diagonal);
  std::vector<T> result(static_cast<std::size_t>(n) * n);
  int visits = 0;
  lanes::visit_inverse(a, [&](int i, int j, const lanes::Pack<T, W>& value) {
    result[static_cast<std::size_t>(i) * n + j] = result[static_cast<std::size_t>(j) * n + i] = value[lane];
    ++visits;
  });
  EXPECT_EQ(visits, n * (n + 1) / 2);
  return result;
}

TEST(Inverse, times_the_matrix_is_the_identity) {
  for (const int n : {1, 2, 3, 4, 5, 11, 12, 13, 16, 24, 25, 39}) {
    const auto found = inverse<double, 4>(n, 3);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += found[static_cast<std::size_t>(i) * n + k] * element(k, j, 3);
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12) << n << ": " << i << ", " << j;
      }
    }
  }
}

TEST(Inverse, has_the_same_bits_at_every_width) {
  lanes_test::for_every_real_and_width([](auto width) {
    using Case = decltype(width);
    using T = typename Case::Element;
    for (const int n : {5, 13, 27}) {
      const auto one = inverse<T, 1>(n, 0), found = inverse<T, Case::width>(n, 0);
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(lanes_test::bits(found[i]), lanes_test::bits(one[i]));
    }
  });
}

}  // namespace
