// check_gradient: compares a density's gradient with differences of the density itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "breakstep/lanes/memory.hpp"
#include "breakstep/target/density.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// What was found at one position. `error` is the greatest difference between a component and its estimate, over what
/// two right ones may differ by (10⁻⁶ of the greatest component, and the rounding of the density): above 1 the gradient
/// is wrong. Infinite if the density or a component is not finite.
struct GradientCheck {
  double error = 0;
  int coordinate = -1;  ///< where
  double component = 0, difference = 0;
};

/// Fourth-order differences of the log density around `position`, one coordinate after the other.
inline GradientCheck check_gradient(const Density<double, 1>& density, std::span<const double> position) {
  constexpr double h = 1e-4;
  const int d = density.dimension();
  const auto memory = lanes::aligned_zeros<double>(2 * static_cast<std::size_t>(d));
  const auto workspace = lanes::aligned_zeros<double>(density.workspace());
  const InterleavedVector<double, 1> x(memory.get(), d), gradient(memory.get() + d, d);
  for (int i = 0; i < d; ++i) x.set(0, i, position[static_cast<std::size_t>(i)]);
  const double value = density.evaluate(x, gradient, workspace.get())[0];
  double greatest = 1;
  for (int i = 0; i < d; ++i) greatest = std::max(greatest, std::fabs(gradient.at(0, i)));
  const double allowed = 1e-6 * greatest + 4e-15 * std::fabs(value) / h;
  GradientCheck worst;
  for (int i = 0; i < d; ++i) {
    const double centre = x.at(0, i);
    const auto at = [&](double shift) {
      x.set(0, i, centre + shift);
      return density.evaluate(x, workspace.get())[0];
    };
    const double near = at(h) - at(-h), far = at(2 * h) - at(-2 * h);
    x.set(0, i, centre);
    const double difference = (8 * near - far) / (12 * h);
    double error = std::fabs(gradient.at(0, i) - difference) / allowed;
    if (!std::isfinite(error) || !std::isfinite(value)) error = std::numeric_limits<double>::infinity();
    if (i == 0 || error > worst.error) worst = {error, i, gradient.at(0, i), difference};
  }
  return worst;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
