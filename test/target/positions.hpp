// Evaluating densities at plain positions, for the tests of targets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/target/density.hpp"

namespace target_test {

namespace lanes = breakstep::lanes;
namespace target = breakstep::target;

template <class Real>
struct Evaluation {
  Real value = 0;
  std::vector<Real> gradient;
};

/// The log density of each position, W at a time, with gradients if `with_gradient`; spare lanes repeat the last one.
template <class Real, int W>
std::vector<Evaluation<Real>> evaluate(const target::Density<Real, W>& density,
                                       const std::vector<std::vector<double>>& positions, bool with_gradient) {
  const lanes::FlushToZero scope;
  const int d = density.dimension();
  const auto size = lanes::InterleavedVector<Real, W>::elements(d);
  const auto position = lanes::aligned_zeros<Real>(size), slope = lanes::aligned_zeros<Real>(size);
  const auto workspace = lanes::aligned_zeros<Real>(density.workspace());
  const lanes::InterleavedVector<Real, W> x(position.get(), d), gradient(slope.get(), d);
  std::vector<Evaluation<Real>> results;
  for (std::size_t first = 0; first < positions.size(); first += W) {
    for (int lane = 0; lane < W; ++lane) {
      const auto& from = positions[std::min(first + static_cast<std::size_t>(lane), positions.size() - 1)];
      for (int i = 0; i < d; ++i) x.set(lane, i, static_cast<Real>(from[static_cast<std::size_t>(i)]));
    }
    const auto values =
        with_gradient ? density.evaluate(x, gradient, workspace.get()) : density.evaluate(x, workspace.get());
    for (int lane = 0; lane < W && first + static_cast<std::size_t>(lane) < positions.size(); ++lane) {
      Evaluation<Real> result{values[lane], {}};
      for (int i = 0; with_gradient && i < d; ++i) result.gradient.push_back(gradient.at(lane, i));
      results.push_back(std::move(result));
    }
  }
  return results;
}

/// The same with two packs in a call; spare lanes repeat the last position.
template <class Real, int W>
std::vector<Evaluation<Real>> evaluate_two(const target::Density<Real, W>& density,
                                           const std::vector<std::vector<double>>& positions, bool with_gradient) {
  const lanes::FlushToZero scope;
  const int d = density.dimension();
  const auto size = lanes::InterleavedVector<Real, W>::elements(d);
  const auto memory = lanes::aligned_zeros<Real>(4 * size), workspace = lanes::aligned_zeros<Real>(density.workspace());
  const auto vector = [&](std::size_t k) { return lanes::InterleavedVector<Real, W>(memory.get() + k * size, d); };
  const target::TwoVectors<Real, W> x{vector(0), vector(1)}, gradient{vector(2), vector(3)};
  std::vector<Evaluation<Real>> results(positions.size());
  for (std::size_t first = 0; first < positions.size(); first += 2 * W) {
    const auto for_each = [&](auto&& f) {
      for (std::size_t k = 0; k < 2 * W; ++k) f(k / W, static_cast<int>(k % W), first + k);
    };
    for_each([&](std::size_t pack, int lane, std::size_t p) {
      const auto& from = positions[std::min(p, positions.size() - 1)];
      for (int i = 0; i < d; ++i) x[pack].set(lane, i, static_cast<Real>(from[static_cast<std::size_t>(i)]));
    });
    const auto values =
        with_gradient ? density.evaluate_two(x, gradient, workspace.get()) : density.evaluate_two(x, workspace.get());
    for_each([&](std::size_t pack, int lane, std::size_t p) {
      if (p >= positions.size()) return;
      results[p].value = values[pack][lane];
      for (int i = 0; with_gradient && i < d; ++i) results[p].gradient.push_back(gradient[pack].at(lane, i));
    });
  }
  return results;
}

/// The same from rows, for every other lane and then for the rest; what belongs to a lane that was not meant must stay
/// as it was. Rows lie in reverse order.
template <class Real, int W>
std::vector<Evaluation<Real>> evaluate_rows(const target::Density<Real, W>& density,
                                            const std::vector<std::vector<double>>& positions) {
  const lanes::FlushToZero scope;
  const int d = density.dimension();
  using Vectors = lanes::Vector<Real, W, lanes::Storage::contiguous>;
  const auto position = lanes::aligned_zeros<Real>(Vectors::elements(d)),
             slope = lanes::aligned_zeros<Real>(Vectors::elements(d));
  const auto workspace = lanes::aligned_zeros<Real>(density.workspace());
  target::Rows<Real, W> x{.lanes = {}, .size = d}, gradient{.lanes = {}, .size = d};
  for (int lane = 0; lane < W; ++lane) {
    x.lanes[lane] = Vectors(position.get(), d).lane_data(W - 1 - lane);
    gradient.lanes[lane] = Vectors(slope.get(), d).lane_data(W - 1 - lane);
  }
  std::vector<Evaluation<Real>> results(positions.size());
  for (std::size_t first = 0; first < positions.size(); first += W) {
    const int count = static_cast<int>(std::min<std::size_t>(W, positions.size() - first));
    for (int lane = 0; lane < count; ++lane) {
      const auto& from = positions[first + static_cast<std::size_t>(lane)];
      for (int i = 0; i < d; ++i) x.lane_data(lane)[i] = static_cast<Real>(from[static_cast<std::size_t>(i)]);
    }
    for (const std::uint32_t half : {0x5555U, 0xAAAAU}) {
      const auto where = lanes::Mask<W>::first_lanes(count) & lanes::Mask<W>(half);
      const auto untouched = Real(12345);
      for (int lane = 0; lane < W; ++lane) std::fill_n(gradient.lane_data(lane), d, untouched);
      const auto values = density.evaluate_rows(where, x, gradient, workspace.get());
      for (int lane = 0; lane < W; ++lane) {
        const Real* found = gradient.lane_data(lane);
        if (where[lane]) {
          results[first + static_cast<std::size_t>(lane)] = {values[lane], std::vector<Real>(found, found + d)};
        } else {
          for (int i = 0; i < d; ++i) EXPECT_EQ(found[i], untouched) << "lane " << lane << " was not meant";
        }
      }
    }
  }
  return results;
}

/// Positions of unit size, the same in every run.
inline std::vector<std::vector<double>> scattered(int count, int dimension, double scale = 1) {
  std::mt19937_64 engine(17);
  std::vector<std::vector<double>> positions;
  for (int p = 0; p < count; ++p) {
    std::vector<double> x(static_cast<std::size_t>(dimension));
    for (double& xi : x) xi = scale * 2 * (static_cast<double>(engine() >> 11U) * 0x1p-53 - 0.5);
    positions.push_back(std::move(x));
  }
  return positions;
}

/// The bits of a number, with all NaNs equal.
template <class T>
auto bits(T value) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (value != value) return ~U{0};
  return std::bit_cast<U>(value);
}

}  // namespace target_test
