// Evaluating densities at plain positions, for the tests of targets.
#pragma once

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
