// Vectors: both storages and all widths against a plain reference, bit for bit, including the order of summation.
#include "breakstep/lanes/vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "breakstep/lanes/memory.hpp"
#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::Case;
using lanes_test::for_every_real_and_width;

const int lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100};

/// A vector with its memory. What is not a coordinate is NaN, so that any operation that reads it shows.
template <class T, int W, Storage S>
struct Owned {
  AlignedArray<T> memory;
  Vector<T, W, S> view;

  explicit Owned(int length) : memory(aligned_zeros<T>(Vector<T, W, S>::elements(length))), view(memory.get(), length) {
    for (std::size_t i = 0; i < Vector<T, W, S>::elements(length); ++i) {
      memory[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  Owned(int length, unsigned seed) : Owned(length) {
    const auto numbers = lanes_test::ordinary_numbers<T>(length * W, seed);
    for (int lane = 0; lane < W; ++lane) {
      for (int i = 0; i < length; ++i) view.set(lane, i, numbers[lane * length + i]);
    }
  }
};

/// The order of summation as ARCHITECTURE.md states it, written the plainest way.
template <class T, class Term>
T reference_sum(int length, Term term) {
  T sums[16] = {};
  for (int i = 0; i < length; ++i) sums[i % 16] = term(i, sums[i % 16]);
  for (int half = 8; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) sums[k] = sums[k] + sums[k + half];
  }
  return sums[0] + T(0);
}

template <class Check>
void for_every_storage(Check check) {
  for_every_real_and_width([&]<class T, int W>(Case<T, W>) {
    check.template operator()<T, W, Storage::interleaved>();
    check.template operator()<T, W, Storage::contiguous>();
  });
}

template <int W>
const Mask<W> some(0b0110110111010011U);  // lanes 0, 1, 4, …

TEST(Vector, DotFollowsTheStatedOrder) {
  for_every_storage([]<class T, int W, Storage S>() {
    for (const int n : lengths) {
      const Owned<T, W, S> x(n, 1), y(n, 2);
      const auto result = dot(some<W>, x.view, y.view);
      for (int lane = 0; lane < W; ++lane) {
        const T expected =
            reference_sum<T>(n, [&](int i, T sum) { return std::fma(x.view.at(lane, i), y.view.at(lane, i), sum); });
        ASSERT_EQ(bits(result[lane]), bits(some<W>[lane] ? expected : T(0))) << "n " << n << " width " << W;
      }
    }
  });
}

TEST(Vector, SumFollowsTheStatedOrder) {
  for_every_storage([]<class T, int W, Storage S>() {
    for (const int n : lengths) {
      const Owned<T, W, S> x(n, 3);
      const auto result = sum(Mask<W>::all_lanes(), x.view);
      for (int lane = 0; lane < W; ++lane) {
        ASSERT_EQ(bits(result[lane]), bits(reference_sum<T>(n, [&](int i, T s) { return s + x.view.at(lane, i); })));
      }
    }
  });
}

TEST(Vector, SumsOfZerosArePlusZeroInEveryStorage) {
  for_every_storage([]<class T, int W, Storage S>() {
    for (const int n : lengths) {
      Owned<T, W, S> x(n, 4), y(n, 5);
      fill(Mask<W>::all_lanes(), x.view, -T(0));
      fill(Mask<W>::all_lanes(), y.view, T(1));
      const auto result = dot(Mask<W>::all_lanes(), x.view, y.view);
      for (int lane = 0; lane < W; ++lane) ASSERT_EQ(bits(result[lane]), bits(T(0))) << n;
    }
  });
}

/// Runs `update` on the lanes of `some` and compares each coordinate with expected(x, y, a, b); others must not move.
template <class T, int W, Storage S, class Update, class Expected>
void check_update(Update update, Expected expected) {
  for (const int n : lengths) {
    const Owned<T, W, S> x(n, 6), before(n, 7);
    Owned<T, W, S> y(n, 7);
    Pack<T, W> a, b;
    for (int lane = 0; lane < W; ++lane) {
      a.set(lane, T(0.1) * static_cast<T>(lane + 1));
      b.set(lane, T(-1.7) / static_cast<T>(lane + 3));
    }
    update(some<W>, y.view, x.view, a, b);
    for (int lane = 0; lane < W; ++lane) {
      for (int i = 0; i < n; ++i) {
        const T old = before.view.at(lane, i);
        const T want = some<W>[lane] ? expected(x.view.at(lane, i), old, a[lane], b[lane]) : old;
        ASSERT_EQ(bits(y.view.at(lane, i)), bits(want)) << "n " << n << " lane " << lane << " coordinate " << i;
      }
    }
  }
}

TEST(Vector, ElementwiseOperations) {
  for_every_storage([]<class T, int W, Storage S>() {
    const auto check = [](auto update, auto expected) { check_update<T, W, S>(update, expected); };
    check([](auto m, auto& y, auto& x, auto, auto) { assign(m, y, x); }, [](T x, T, T, T) { return x; });
    check([](auto m, auto& y, auto&, auto a, auto) { fill(m, y, a); }, [](T, T, T a, T) { return a; });
    check([](auto m, auto& y, auto& x, auto a, auto) { add_scaled(m, y, a, x); },
          [](T x, T y, T a, T) { return std::fma(a, x, y); });
    check([](auto m, auto& y, auto& x, auto a, auto) { add_scaled(m, y, x, a, y); },
          [](T x, T y, T a, T) { return std::fma(a, y, x); });
    check([](auto m, auto& y, auto& x, auto a, auto b) { combine(m, y, a, x, b, y); },
          [](T x, T y, T a, T b) { return std::fma(a, x, b * y); });
    check([](auto m, auto& y, auto&, auto a, auto) { scale(m, y, a); }, [](T, T y, T a, T) { return a * y; });
    check([](auto m, auto& y, auto& x, auto, auto) { multiply(m, y, x, y); }, [](T x, T y, T, T) { return x * y; });
  });
}

TEST(Vector, SwapExchangesOnlyTheLanesMeant) {
  for_every_storage([]<class T, int W, Storage S>() {
    for (const int n : lengths) {
      const Owned<T, W, S> x0(n, 8), y0(n, 9);
      Owned<T, W, S> x(n, 8), y(n, 9);
      swap(some<W>, x.view, y.view);
      for (int lane = 0; lane < W; ++lane) {
        for (int i = 0; i < n; ++i) {
          ASSERT_EQ(x.view.at(lane, i), (some<W>[lane] ? y0 : x0).view.at(lane, i));
          ASSERT_EQ(y.view.at(lane, i), (some<W>[lane] ? x0 : y0).view.at(lane, i));
        }
      }
    }
  });
}

TEST(Vector, TransposeThereAndBack) {
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    for (const int n : lengths) {
      const Owned<T, W, Storage::contiguous> x(n, 10);
      Owned<T, W, Storage::interleaved> across(n);
      Owned<T, W, Storage::contiguous> back(n);
      transpose(Mask<W>::all_lanes(), across.view, x.view);
      transpose(Mask<W>::all_lanes(), back.view, across.view);
      for (int i = 0; i < n; ++i) ASSERT_EQ(back.view.at(W - 1, i), x.view.at(W - 1, i));
    }
  });
}

TEST(Vector, TableRowsDoNotOverlap) {
  for_every_storage([]<class T, int W, Storage S>() {
    const int rows = 4, n = 5;
    const auto memory = aligned_zeros<T>(Table<T, W, S>::elements(rows, n));
    const Table<T, W, S> table(memory.get(), rows, n);
    for (int r = 0; r < rows; ++r) fill(Mask<W>::all_lanes(), table[r], static_cast<T>(r));
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < n; ++i) ASSERT_EQ(table[r].at(W - 1, i), static_cast<T>(r));
    }
  });
}

}  // namespace
