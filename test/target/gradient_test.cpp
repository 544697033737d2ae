// Every built-in target's gradient against differences of its density, and what their options refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/registry/target.hpp"
#include "breakstep/target/check_gradient.hpp"
#include "positions.hpp"

namespace {

namespace registry = breakstep::registry;
using breakstep::target::Asks;

TEST(Gradients, agree_with_differences_for_every_target) {
  for (const auto& entry : registry::targets()) {
    SCOPED_TRACE(std::string(entry.name));
    // The authors' gradient, which is not the derivative of their density; target_checks compares it with theirs.
    if (entry.name == "predator_prey_code") continue;
    const auto subject = registry::make_target(entry, {.points = entry.takes_points ? 30 : 0});
    const auto density = subject->density(registry::OneDouble{}, Asks::gradient);
    const auto positions = target_test::scattered(6, subject->dimension());
    const auto found = target_test::evaluate<double, 1>(*density, positions, true);
    int inside = 0;  // the support
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (found[i].value == -std::numeric_limits<double>::infinity()) continue;
      ++inside;
      const auto check = breakstep::target::check_gradient(*density, positions[i]);
      EXPECT_LT(check.error, 1) << "coordinate " << check.coordinate << ": " << check.component << " and "
                                << check.difference;
    }
    EXPECT_GE(inside, 3);
  }
}

/// A gradient that is wrong by one per cent in one coordinate.
struct OnePerCentOff {
  [[nodiscard]] static int dimension() { return 3; }
  template <class Real, int W>
  [[nodiscard]] breakstep::lanes::Pack<Real, W> log_density(const breakstep::lanes::InterleavedVector<Real, W>& x,
                                                            Real*) const {
    return dot(breakstep::lanes::Mask<W>::all_lanes(), x, x) * Real(-0.5);
  }
  template <class Real, int W>
  breakstep::lanes::Pack<Real, W> log_density_and_gradient(const breakstep::lanes::InterleavedVector<Real, W>& x,
                                                           const breakstep::lanes::InterleavedVector<Real, W>& gradient,
                                                           Real* workspace) const {
    for (int i = 0; i < 3; ++i) gradient.store(i, x[i] * (i == 1 ? Real(-1.01) : Real(-1)));
    return log_density<Real, W>(x, workspace);
  }
};

TEST(Gradients, one_per_cent_is_noticed) {
  const auto density =
      breakstep::target::make_density<double, 1>(std::make_shared<const OnePerCentOff>(), Asks::gradient);
  const auto check = breakstep::target::check_gradient(*density, std::vector<double>{0.3, -0.7, 1.1});
  EXPECT_GT(check.error, 100);
  EXPECT_EQ(check.coordinate, 1);
}

TEST(Gradients, names_and_flags_fit_every_target) {
  for (const auto& entry : registry::targets()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto subject = registry::make_target(entry, {.dimension = entry.takes_dimension ? 7 : 0});
    EXPECT_TRUE(!entry.takes_dimension || subject->dimension() == 7);
    EXPECT_EQ(subject->has_prior(), entry.has_prior);
    EXPECT_EQ(subject->coordinate_names().size(), static_cast<std::size_t>(subject->dimension()));
    for (auto names : {subject->coordinate_names(), subject->reported_names()}) {
      std::sort(names.begin(), names.end());
      EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    }
    EXPECT_EQ(entry.summary.find("--dimension") != std::string_view::npos, entry.takes_dimension);
    EXPECT_EQ(entry.summary.find("--points") != std::string_view::npos, entry.takes_points);
    EXPECT_EQ(entry.summary.find("--data") != std::string_view::npos, entry.takes_data);
  }
}

std::string refusal(std::string_view name, const registry::TargetOptions& options) {
  try {
    (void)registry::make_target(name, options);
  } catch (const breakstep::Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Gradients, options_that_a_target_does_not_take_are_refused) {
  EXPECT_EQ(refusal("banana", {.dimension = 3}),
            "target banana takes no --dimension (it has one size only): leave it out, or see breakstep list");
  EXPECT_EQ(refusal("soil", {.points = 3}),
            "target soil takes no --points (it has one size only): leave it out, or see breakstep list");
  EXPECT_EQ(refusal("funnel", {.data = "x.csv"}),
            "target funnel takes no --data (it is given by a formula alone): leave it out, or see breakstep list");
}

}  // namespace
