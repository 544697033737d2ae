// Every built-in target's gradient against differences of its density, and what their options refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/registry/target.hpp"
#include "positions.hpp"

namespace {

namespace registry = breakstep::registry;
using breakstep::target::Asks;

// A fourth-order difference leaves about 1e-11 of the density's own size, divided by the step: gradients of large
// densities are compared at that accuracy.
TEST(Gradients, agree_with_differences_for_every_target) {
  for (const auto& entry : registry::targets()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto subject = registry::make_target(entry, {.points = entry.takes_points ? 30 : 0});
    const auto density = subject->density(registry::OneDouble{}, Asks::gradient);
    const auto positions = target_test::scattered(6, subject->dimension());
    const auto found = target_test::evaluate<double, 1>(*density, positions, true);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      ASSERT_TRUE(std::isfinite(found[p].value));
      double greatest = 1;
      for (const double slope : found[p].gradient) greatest = std::max(greatest, std::abs(slope));
      for (std::size_t i = 0; i < positions[p].size(); ++i) {
        const double h = 1e-4;
        std::vector<std::vector<double>> around(4, positions[p]);
        around[0][i] += h;
        around[1][i] -= h;
        around[2][i] += 2 * h;
        around[3][i] -= 2 * h;
        const auto near = target_test::evaluate<double, 1>(*density, around, false);
        const double difference = (8 * (near[0].value - near[1].value) - (near[2].value - near[3].value)) / (12 * h);
        const double rounding = 4e-16 * std::abs(found[p].value) / h;
        EXPECT_NEAR(found[p].gradient[i], difference, 1e-6 * greatest + 10 * rounding) << "coordinate " << i;
      }
    }
  }
}

TEST(Gradients, names_and_flags_fit_every_target) {
  for (const auto& entry : registry::targets()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto subject = registry::make_target(entry, {.dimension = entry.takes_dimension ? 7 : 0});
    EXPECT_TRUE(!entry.takes_dimension || subject->dimension() == 7);
    EXPECT_EQ(subject->has_prior(), entry.has_prior);
    auto names = subject->parameter_names();
    EXPECT_EQ(names.size(), static_cast<std::size_t>(subject->dimension()));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
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
