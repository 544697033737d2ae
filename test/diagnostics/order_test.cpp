// Sorting with places, against the standard library.
#include "breakstep/diagnostics/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "recipe.hpp"

namespace {

using breakstep::diagnostics::Order;

void expect_sorted(Order& order, const std::vector<double>& values) {
  order.sort(values);
  std::vector<double> expected = values;
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(order.values().size(), values.size());
  ASSERT_EQ(order.spare().size(), values.size());
  std::vector<bool> is_seen(values.size(), false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(order.values()[i], expected[i]);
    const std::size_t place = order.places()[i];
    ASSERT_LT(place, values.size());
    EXPECT_EQ(values[place], expected[i]);
    EXPECT_FALSE(is_seen[place]);
    is_seen[place] = true;
  }
}

TEST(Order, SortsNumbersOfEveryKind) {
  using Limits = std::numeric_limits<double>;
  Order order;
  expect_sorted(order, {});
  expect_sorted(order, {3.0});
  expect_sorted(order, {2.0, 2.0, 2.0});
  expect_sorted(order, {0.0, -0.0, 1.0, -1.0, Limits::max(), Limits::lowest(), Limits::min(), -Limits::min(),
                        Limits::denorm_min(), -Limits::denorm_min(), 1.0 + Limits::epsilon(), 1.0 - Limits::epsilon()});
  for (const std::size_t size : {10, 1000, 20000}) {
    for (const auto innovation : {diagnostics_test::Innovation::normal, diagnostics_test::Innovation::heavy}) {
      for (const double levels : {0.0, 3.0}) {
        expect_sorted(order,
                      diagnostics_test::make(
                          {.seed = size, .chains = 1, .draws = size, .levels = levels, .innovation = innovation}));
      }
    }
  }
}

}  // namespace
