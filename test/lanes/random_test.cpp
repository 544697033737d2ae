// Streams: open interval, exact values at the ends, equal bits at every width and in both storages, no number used
// twice.
#include "breakstep/lanes/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::bits;
using lanes_test::Case;
using lanes_test::for_every_real_and_width;

constexpr std::uint64_t seed = 0xfedcba9876543210;

TEST(Random, UniformsNeverReachTheEnds) {
  using F = Pack<std::uint32_t, 1>;
  EXPECT_EQ(to_uniform(F(0U))[0], 0x1p-25F);
  EXPECT_EQ(to_uniform(F(0xFFU))[0], 0x1p-25F);
  EXPECT_EQ(to_uniform(F(0x100U))[0], 0x1p-24F);
  EXPECT_EQ(to_uniform(F(0x80000000U))[0], 0.5F);
  EXPECT_EQ(to_uniform(F(0xFFFFFFFFU))[0], 1.0F - 0x1p-24F);
  using D = Pack<std::uint64_t, 1>;
  EXPECT_EQ(to_uniform(D(0U), D(0U))[0], 0x1p-54);
  EXPECT_EQ(to_uniform(D(0U), D(0x800U))[0], 0x1p-53);
  EXPECT_EQ(to_uniform(D(1U), D(0U))[0], 0x1p-32);
  EXPECT_EQ(to_uniform(D(0x80000000U), D(0U))[0], 0.5);
  EXPECT_EQ(to_uniform(D(0xFFFFFFFFU), D(0xFFFFFFFFU))[0], 1.0 - 0x1p-53);
}

TEST(Random, NormalsAndExponentialsAreFiniteAtTheEnds) {
  const FlushToZero scope;
  for (const float u : {0x1p-25F, 0x1p-24F, 0.5F, 1.0F - 0x1p-24F}) {
    const float exponential = -log(Pack<float, 1>(u))[0];
    EXPECT_GT(exponential, 0.0F);
    EXPECT_TRUE(std::isfinite(exponential));
  }
  for (const double u : {0x1p-54, 0x1p-53, 0.5, 1.0 - 0x1p-53}) {
    const double exponential = -log(Pack<double, 1>(u))[0];
    EXPECT_GT(exponential, 0.0);
    EXPECT_TRUE(std::isfinite(exponential));
  }
}

/// A chain's numbers from a stream of W chains must be those of its own one-lane stream.
TEST(Random, ALaneDrawsWhatItsChainWouldDrawAlone) {
  const FlushToZero scope;
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    using S = Stream<T, W>;
    using One = Stream<T, 1>;
    Pack<typename S::U, W> chain, draw, index;
    for (int lane = 0; lane < W; ++lane) {
      chain.set(lane, static_cast<typename S::U>(1000003 * lane + 5));
      draw.set(lane, static_cast<typename S::U>(lane * lane));
      index.set(lane, static_cast<typename S::U>(3 * lane));
    }
    const S stream(seed, chain, draw);
    const auto uniforms = stream.uniforms(index, 2);
    const auto exponentials = stream.exponentials(index, 2);
    const auto normals = stream.normals(index, 2);
    for (int lane = 0; lane < W; ++lane) {
      const One alone(seed, chain[lane], draw[lane]);
      for (int i = 0; i < S::per_index; ++i) {
        ASSERT_EQ(bits(uniforms[i][lane]), bits(alone.uniforms(index[lane], 2)[i][0]));
        ASSERT_EQ(bits(exponentials[i][lane]), bits(alone.exponentials(index[lane], 2)[i][0]));
        ASSERT_EQ(bits(normals[i][lane]), bits(alone.normals(index[lane], 2)[i][0]));
      }
    }
  });
}

template <class T, int W, Storage S>
std::vector<T> filled(int length, Mask<W> where) {
  using V = Vector<T, W, S>;
  const auto memory = aligned_zeros<T>(V::elements(length));
  const V x(memory.get(), length);
  using U = Unsigned<sizeof(T)>;
  const Stream<T, W> stream(seed, Pack<U, W>::lane_numbers() + Pack<U, W>(U(7)), U(3));
  fill_normal(where, x, stream, U(11), 4);
  std::vector<T> values;
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < length; ++i) values.push_back(x.at(lane, i));
  }
  return values;
}

TEST(Random, VectorsAreFilledAlikeInBothStorages) {
  const FlushToZero scope;
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    const Mask<W> where(0b1010111011011011U);
    for (const int length : {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 100}) {
      const auto a = filled<T, W, Storage::interleaved>(length, where);
      const auto b = filled<T, W, Storage::contiguous>(length, where);
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(bits(a[i]), bits(b[i])) << "length " << length << " width " << W;
        ASSERT_EQ(a[i] == T(0), !where[static_cast<int>(i) / length]) << "lanes outside the mask must not move";
      }
    }
  });
}

/// What add_scaled_normal makes of 1, 2, 3, … in lane 0, and the uniform that it returns.
template <class T, int W, Storage S>
std::vector<T> moved_and_uniform(int length) {
  using V = Vector<T, W, S>;
  using U = Unsigned<sizeof(T)>;
  const auto memory = aligned_zeros<T>(V::elements(length));
  const V x(memory.get(), length);
  for (int i = 0; i < length; ++i) x.set(0, i, static_cast<T>(i + 1));
  const Stream<T, W> stream(seed, Pack<U, W>::lane_numbers(), U(3));
  const auto uniform = add_scaled_normal(Mask<W>::first_lanes(1), x, T(0.25), stream, U(11), 4);
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(length) + 1);
  for (int i = 0; i < length; ++i) values.push_back(x.at(0, i));
  values.push_back(uniform[0]);
  EXPECT_TRUE(W == 1 || x.at(W - 1, 0) == T(0)) << "lanes outside the mask must not move";
  return values;
}

TEST(Random, NormalsAreAddedAlikeEverywhereAndTheUniformBesideThemIsNoneOfTheirs) {
  const FlushToZero scope;
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    using U = Unsigned<sizeof(T)>;
    for (const int length : {1, 2, 3, 4, 5, 6, 8, 9, 17, 40}) {
      const auto a = moved_and_uniform<T, W, Storage::interleaved>(length);
      ASSERT_EQ(a, (moved_and_uniform<T, W, Storage::contiguous>(length))) << length;
      ASSERT_EQ(a, (moved_and_uniform<T, 1, Storage::interleaved>(length))) << length;
      // Coordinate j·n + b is number j of index b, and what is left over is another.
      const int n = indices_for<T>(length);
      std::set<T> consumed;
      for (int b = 0; b < n; ++b) {
        const Stream<T, 1> alone(seed, U(0), U(3));
        const auto normals = alone.normals(static_cast<U>(11 + b), 4),
                   uniforms = alone.uniforms(static_cast<U>(11 + b), 4);
        const int made_at_once = sizeof(T) == 4 ? 1 : 2;
        for (int j = 0; j < Stream<T, 1>::per_index; ++j) {
          const int i = j * n + b;
          if (i < length) {
            ASSERT_EQ(a[i], std::fma(normals[j][0], T(0.25), static_cast<T>(i + 1))) << length;
          }
          if (j / made_at_once * made_at_once * n + b < length) consumed.insert(uniforms[j][0]);
        }
      }
      EXPECT_EQ(consumed.count(a.back()), 0U) << length;
    }
  });
}

TEST(Random, NoCoordinateOfAVectorRepeats) {
  const FlushToZero scope;
  const auto values = filled<double, 8, Storage::interleaved>(101, Mask<8>::all_lanes());
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), values.size());
  EXPECT_EQ(indices_for<float>(9), 3);
  EXPECT_EQ(indices_for<double>(9), 5);
}

TEST(Random, TurnsAreExactAtQuartersAndCloseElsewhere) {
  const FlushToZero scope;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const auto [sine, cosine] = sincos_turns(Pack<double, 1>(quarter / 4.0));
    EXPECT_EQ(sine[0], quarter == 1 ? 1.0 : quarter == 3 ? -1.0 : 0.0);
    EXPECT_EQ(cosine[0], quarter == 0 ? 1.0 : quarter == 2 ? -1.0 : 0.0);
  }
  for (int k = 1; k < 10000; ++k) {
    const double u = k / 10000.0;
    const auto [sine, cosine] = sincos_turns(Pack<double, 1>(u));
    // Two ulp of the result, plus what rounding 2πu to double costs the oracle.
    const long double angle = 2 * 3.14159265358979323846264338327950288L * u;
    EXPECT_NEAR(sine[0], static_cast<double>(sinl(angle)), 0x1p-51 * std::fabs(sine[0]) + 1e-18);
    EXPECT_NEAR(cosine[0], static_cast<double>(cosl(angle)), 0x1p-51 * std::fabs(cosine[0]) + 1e-18);
    const auto [sine_f, cosine_f] = sincos_turns(Pack<float, 1>(static_cast<float>(u)));
    const double angle_f = 2 * 3.14159265358979323846 * static_cast<float>(u);
    EXPECT_NEAR(sine_f[0], std::sin(angle_f), 0x1p-22 * std::fabs(sine_f[0]) + 1e-14);
    EXPECT_NEAR(cosine_f[0], std::cos(angle_f), 0x1p-22 * std::fabs(cosine_f[0]) + 1e-14);
  }
}

}  // namespace
