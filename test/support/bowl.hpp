// Bowl: independent normals of different scales, with a gradient: the plainest target for samplers that need one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "breakstep/target/target.hpp"

namespace test_support {

struct Bowl {
  std::vector<double> scales;

  /// Scales from 0.1 to 1, evenly spaced.
  static Bowl of_dimension(int d) {
    Bowl bowl;
    for (int i = 0; i < d; ++i) bowl.scales.push_back(d == 1 ? 1.0 : 0.1 + 0.9 * i / (d - 1));
    return bowl;
  }

  [[nodiscard]] int dimension() const { return static_cast<int>(scales.size()); }

  template <class Real, int W>
  [[nodiscard]] breakstep::lanes::Pack<Real, W> log_density(const breakstep::lanes::InterleavedVector<Real, W>& x,
                                                            Real*) const {
    breakstep::lanes::Pack<Real, W> sum(Real(0));
    for (int i = 0; i < dimension(); ++i) {
      const auto z = x[i] / breakstep::lanes::Pack<Real, W>(scale<Real>(i));
      sum = fma(z, z, sum);
    }
    return sum * Real(-0.5);
  }
  template <class Real, int W>
  breakstep::lanes::Pack<Real, W> log_density_and_gradient(const breakstep::lanes::InterleavedVector<Real, W>& x,
                                                           const breakstep::lanes::InterleavedVector<Real, W>& gradient,
                                                           Real* workspace) const {
    for (int i = 0; i < dimension(); ++i) {
      const breakstep::lanes::Pack<Real, W> s(scale<Real>(i));
      gradient.store(i, -(x[i] / s) / s);
    }
    return log_density<Real, W>(x, workspace);
  }

 private:
  template <class Real>
  [[nodiscard]] Real scale(int i) const {
    return static_cast<Real>(scales[static_cast<std::size_t>(i)]);
  }
};

/// The same, asking for two packs of chains at a time; counts how often it gets them.
struct PairedBowl : Bowl {
  std::shared_ptr<std::atomic<std::uint64_t>> pairs = std::make_shared<std::atomic<std::uint64_t>>(0);

  static PairedBowl of_dimension(int d) { return {Bowl::of_dimension(d)}; }

  template <class Real, int W>
  [[nodiscard]] breakstep::target::TwoPacks<Real, W> log_density_of_two(const breakstep::target::TwoVectors<Real, W>& x,
                                                                        Real* workspace) const {
    ++*pairs;
    return {log_density<Real, W>(x[0], workspace), log_density<Real, W>(x[1], workspace)};
  }
  template <class Real, int W>
  breakstep::target::TwoPacks<Real, W> log_density_and_gradient_of_two(
      const breakstep::target::TwoVectors<Real, W>& x, const breakstep::target::TwoVectors<Real, W>& gradient,
      Real* workspace) const {
    ++*pairs;
    return {log_density_and_gradient<Real, W>(x[0], gradient[0], workspace),
            log_density_and_gradient<Real, W>(x[1], gradient[1], workspace)};
  }
};

}  // namespace test_support
