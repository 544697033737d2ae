// Pack and Truth: every operation at every type and width against a plain loop over scalars, bit for bit.
#include "breakstep/lanes/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::for_every_real_and_width;
using lanes_test::for_every_width;

/// Numbers whose comparisons and signs are where mistakes hide, cycled through the lanes.
template <class T>
std::vector<T> awkward_numbers() {
  using L = std::numeric_limits<T>;
  return {T(0),          -T(0),          T(1),           T(-1),  L::min(), -L::min(), L::max(),     L::lowest(),
          L::infinity(), -L::infinity(), L::quiet_NaN(), T(0.1), T(-2.5),  T(3),      L::epsilon(), T(1e10)};
}

template <class T, int W>
Pack<T, W> cycle(const std::vector<T>& numbers, int start) {
  Pack<T, W> pack;
  for (int i = 0; i < W; ++i) pack.set(i, numbers[(start + i) % static_cast<int>(numbers.size())]);
  return pack;
}

/// Compares op(pack, pack) with op(scalar, scalar) for every pair of the numbers.
template <class T, int W, class PackOp, class ScalarOp>
void expect_same(const std::vector<T>& numbers, PackOp pack_op, ScalarOp scalar_op, const char* name) {
  const int n = static_cast<int>(numbers.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto a = cycle<T, W>(numbers, i), b = cycle<T, W>(numbers, j);
      const auto result = pack_op(a, b);
      for (int lane = 0; lane < W; ++lane) {
        ASSERT_EQ(bits(result[lane]), bits(scalar_op(a[lane], b[lane])))
            << name << " width " << W << " lane " << lane << " of " << a[lane] << ", " << b[lane];
      }
    }
  }
}

template <class T, int W>
void expect_masks_of_comparisons(const std::vector<T>& numbers) {
  const int n = static_cast<int>(numbers.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto a = cycle<T, W>(numbers, i), b = cycle<T, W>(numbers, j);
      const Mask<W> less = where_less(a, b), equal = where_equal(a, b);
      for (int lane = 0; lane < W; ++lane) {
        ASSERT_EQ(less[lane], a[lane] < b[lane]) << "width " << W << ": " << a[lane] << ", " << b[lane];
        ASSERT_EQ(equal[lane], a[lane] == b[lane]) << "width " << W << ": " << a[lane] << ", " << b[lane];
      }
    }
  }
}

TEST(Pack, ArithmeticIsThatOfScalars) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    const auto numbers = awkward_numbers<T>();
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a + b; }, [](T a, T b) { return a + b; }, "+");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a - b; }, [](T a, T b) { return a - b; }, "-");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a * b; }, [](T a, T b) { return a * b; }, "*");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a / b; }, [](T a, T b) { return a / b; }, "/");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return -a; }, [](T a, T) { return -a; }, "negate");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return sqrt(a); }, [](T a, T) { return std::sqrt(a); }, "sqrt");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return abs(a); }, [](T a, T) { return std::fabs(a); }, "abs");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return copysign(a, b); }, [](T a, T b) { return std::copysign(a, b); },
        "copysign");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return fma(a, b, Pack<T, W>(T(0.3))); },
        [](T a, T b) { return std::fma(a, b, T(0.3)); }, "fma");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return min(a, b); }, [](T a, T b) { return a < b ? a : b; }, "min");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return max(a, b); }, [](T a, T b) { return a > b ? a : b; }, "max");
  });
}

TEST(Pack, ComparisonsFollowIeee) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    const auto numbers = awkward_numbers<T>();
    const auto as_number = [](auto truth) { return select(truth, Pack<T, W>(T(1)), Pack<T, W>(T(0))); };
    const auto check = [&](auto compare, const char* name) {
      expect_same<T, W>(
          numbers, [&](auto a, auto b) { return as_number(compare(a, b)); },
          [&](T a, T b) { return compare(a, b) ? T(1) : T(0); }, name);
      expect_same<T, W>(
          numbers, [&](auto a, auto b) { return as_number(Truth<sizeof(T), W>(Mask<W>(compare(a, b)))); },
          [&](T a, T b) { return compare(a, b) ? T(1) : T(0); }, name);
    };
    check([](auto a, auto b) { return a < b; }, "<");
    check([](auto a, auto b) { return a <= b; }, "<=");
    check([](auto a, auto b) { return a > b; }, ">");
    check([](auto a, auto b) { return a >= b; }, ">=");
    check([](auto a, auto b) { return a == b; }, "==");
    check([](auto a, auto b) { return a != b; }, "!=");
    expect_masks_of_comparisons<T, W>(numbers);
  });
}

TEST(Pack, BroadcastKeepsNegativeZero) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    const Pack<T, W> pack(-T(0));
    for (int i = 0; i < W; ++i) EXPECT_TRUE(std::signbit(pack[i]));
  });
}

TEST(Pack, LoadStoreAndLanesRoundTrip) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    T numbers[W + 1], back[W + 1];
    for (int i = 0; i <= W; ++i) numbers[i] = static_cast<T>(i * i) - T(3);
    auto pack = Pack<T, W>::load(numbers + 1);  // misaligned on purpose
    for (int i = 0; i < W; ++i) EXPECT_EQ(pack[i], numbers[i + 1]);
    pack.set(W - 1, T(42));
    pack.store(back + 1);
    EXPECT_EQ(back[W], T(42));
    EXPECT_EQ((Pack<T, W>::lane_numbers()[W - 1]), static_cast<T>(W - 1));
  });
}

TEST(Pack, PiecesAreTheLanesTheyName) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    constexpr int N = native_width<T>;
    if constexpr (W >= N) {
      const auto all = Pack<T, W>::lane_numbers();
      Pack<T, W> joined(T(-1));
      for (int k = 0; k < W / N; ++k) {
        const auto own = piece<N>(all, k);
        for (int lane = 0; lane < N; ++lane) EXPECT_EQ(own[lane], static_cast<T>(k * N + lane));
        set_piece<N>(joined, k, own);
      }
      EXPECT_TRUE((joined == all).all());
    }
  });
}

TEST(Pack, MaskRoundTripAtEveryPattern) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    // All of them, but of 32 lanes as many as of 16, scattered by an odd factor; the last is always the full one.
    constexpr std::uint32_t scatter = W == 32 ? 0x9E3779B1U : 1U, last = std::min(Mask<W>::full, 0xFFFFU);
    for (std::uint32_t pattern = 0; pattern <= last; ++pattern) {
      const Mask<W> mask(pattern == last ? Mask<W>::full : pattern * scatter);
      const Truth<sizeof(T), W> truth(mask);
      ASSERT_EQ(truth.mask(), mask);
      ASSERT_EQ((~truth).mask(), ~mask);
      ASSERT_EQ(truth.any(), mask.any());
      ASSERT_EQ(truth.all(), mask.all());
    }
  });
}

TEST(Pack, AssignTouchesOnlyTheLanesMeant) {
  for_every_real_and_width([]<class T, int W>(lanes_test::Case<T, W>) {
    const Mask<W> odd(0xAAAAAAAAU);
    auto pack = Pack<T, W>::lane_numbers();
    assign(odd, pack, T(-1));
    for (int i = 0; i < W; ++i) EXPECT_EQ(pack[i], i % 2 == 1 ? T(-1) : static_cast<T>(i));
  });
}

template <class I>
void check_integers() {
  for_every_width<I>([]<class T, int W>(lanes_test::Case<T, W>) {
    const std::vector<T> numbers = {T(0),
                                    T(1),
                                    T(5),
                                    static_cast<T>(-7),
                                    std::numeric_limits<T>::max(),
                                    std::numeric_limits<T>::min(),
                                    T(0x12345678),
                                    static_cast<T>(-1)};
    using U = std::make_unsigned_t<T>;  // wrap-around is what the lanes do; in scalars only unsigned promises it
    const auto wrap = [](auto op) {
      return [op](T a, T b) { return static_cast<T>(op(static_cast<U>(a), static_cast<U>(b))); };
    };
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a & b; }, [](T a, T b) { return T(a & b); }, "&");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a | b; }, [](T a, T b) { return T(a | b); }, "|");
    expect_same<T, W>(
        numbers, [](auto a, auto b) { return a ^ b; }, [](T a, T b) { return T(a ^ b); }, "^");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return ~a; }, [](T a, T) { return T(~a); }, "~");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return a >> 3; }, [](T a, T) { return T(a >> 3); }, ">>");
    expect_same<T, W>(
        numbers, [](auto a, auto) { return a << 5; }, wrap([](U a, U) { return a << 5; }), "<<");
    if constexpr (std::is_unsigned_v<T>) {
      expect_same<T, W>(
          numbers, [](auto a, auto b) { return a + b; }, wrap([](U a, U b) { return a + b; }), "+");
      expect_same<T, W>(
          numbers, [](auto a, auto b) { return a * b; }, wrap([](U a, U b) { return a * b; }), "*");
      expect_masks_of_comparisons<T, W>(numbers);
    }
    const auto as_number = [](auto truth) { return select(truth, Pack<T, W>(T(1)), Pack<T, W>(T(0))); };
    expect_same<T, W>(
        numbers, [&](auto a, auto b) { return as_number(a < b); }, [](T a, T b) { return T(a < b); }, "<");
    expect_same<T, W>(
        numbers, [&](auto a, auto b) { return as_number(a == b); }, [](T a, T b) { return T(a == b); }, "==");
  });
}

TEST(Pack, IntegersOfBothWidthsAndSigns) {
  check_integers<std::int32_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int64_t>();
  check_integers<std::uint64_t>();
}

TEST(Pack, ConversionsAndBitCasts) {
  for_every_width<float>([]<class T, int W>(lanes_test::Case<T, W>) {
    const auto x = cycle<float, W>({0.0F, -1.5F, 7.9F, 1e6F, -3.0F}, 0);
    const auto as_int = convert<std::int32_t>(x);
    const auto as_double = convert<double>(x);
    const auto as_bits = bit_cast<std::uint32_t>(x);
    for (int i = 0; i < W; ++i) {
      EXPECT_EQ(as_int[i], static_cast<std::int32_t>(x[i]));
      EXPECT_EQ(as_double[i], static_cast<double>(x[i]));
      EXPECT_EQ(as_bits[i], std::bit_cast<std::uint32_t>(x[i]));
    }
  });
}

}  // namespace
