// Matrix products: both storages against one ascending fma chain per element.
#include "breakstep/lanes/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::Case;

template <class T, int W, Storage S>
void check_product(int rows, int columns) {
  Matrix<T> a(rows, columns);
  const auto numbers = lanes_test::ordinary_numbers<T>(rows * columns, 1);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) a(i, j) = numbers[i * columns + j];
  }
  using V = Vector<T, W, S>;
  const auto x_memory = aligned_zeros<T>(V::elements(columns)), y_memory = aligned_zeros<T>(V::elements(rows));
  const V x(x_memory.get(), columns), y(y_memory.get(), rows);
  const auto values = lanes_test::ordinary_numbers<T>(W * columns, 2);
  for (int lane = 0; lane < W; ++lane) {
    for (int j = 0; j < columns; ++j) x.set(lane, j, values[lane * columns + j]);
  }
  // All chains, some, and few: they are multiplied in groups.
  for (const std::uint32_t bits_of_lanes : {0xffffffffU, 0b1011011101101101U, 0b101U}) {
    const Mask<W> where(bits_of_lanes);
    for (int lane = 0; lane < W; ++lane) {
      for (int i = 0; i < rows; ++i) y.set(lane, i, T(0));
    }
    multiply(where, y, a, x);
    for (int lane = 0; lane < W; ++lane) {
      for (int i = 0; i < rows; ++i) {
        T expected(0);
        for (int j = 0; j < columns; ++j) expected = std::fma(a(i, j), x.at(lane, j), expected);
        ASSERT_EQ(bits(y.at(lane, i)), bits(where[lane] ? expected : T(0))) << rows << "x" << columns << " row " << i;
      }
    }
  }
}

TEST(Matrix, ProductsAreOneAscendingChainPerElement) {
  lanes_test::for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    const int shapes[][2] = {{1, 1},   {3, 5},   {8, 8},     {17, 4},  {34, 6},
                             {35, 16}, {40, 33}, {100, 100}, {131, 7}, {132, 21}};
    for (const auto& [rows, columns] : shapes) {
      check_product<T, W, Storage::interleaved>(rows, columns);
      check_product<T, W, Storage::contiguous>(rows, columns);
    }
  });
}

TEST(Matrix, Transposed) {
  Matrix<double> a(2, 3);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) a(i, j) = 10 * i + j;
  }
  const auto t = a.transposed();
  EXPECT_EQ(t.rows(), 3);
  EXPECT_EQ(t(2, 1), 12);
}

}  // namespace
