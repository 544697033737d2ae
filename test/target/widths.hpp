// That a target's values and gradients have the same bits at every width, and with and without a gradient asked for.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "breakstep/target/target.hpp"
#include "positions.hpp"

namespace target_test {

template <class Real, int W, class Target>
void expect_same_bits(const std::shared_ptr<const Target>& subject, const std::vector<std::vector<double>>& positions,
                      const std::vector<Evaluation<Real>>& expected) {
  const auto density = target::make_density<Real, W>(subject, target::Asks::gradient);
  const auto values = evaluate<Real, W>(*density, positions, false);
  const auto found = evaluate<Real, W>(*density, positions, true);
  for (std::size_t p = 0; p < positions.size(); ++p) {
    EXPECT_EQ(bits(values[p].value), bits(expected[p].value)) << "value alone, width " << W << ", position " << p;
    EXPECT_EQ(bits(found[p].value), bits(expected[p].value)) << "width " << W << ", position " << p;
    for (std::size_t i = 0; i < found[p].gradient.size(); ++i) {
      EXPECT_EQ(bits(found[p].gradient[i]), bits(expected[p].gradient[i]))
          << "gradient " << i << ", width " << W << ", position " << p;
    }
  }
}

template <class Real, class Target>
void expect_same_bits_at_every_width(const std::shared_ptr<const Target>& subject) {
  auto positions = scattered(11, subject->dimension());
  for (auto& far : scattered(6, subject->dimension(), 30)) positions.push_back(std::move(far));
  const auto one = target::make_density<Real, 1>(subject, target::Asks::gradient);
  const auto expected = evaluate<Real, 1>(*one, positions, true);
  expect_same_bits<Real, 1>(subject, positions, expected);
  expect_same_bits<Real, 8>(subject, positions, expected);
#ifndef BREAKSTEP_FEW_WIDTHS
  expect_same_bits<Real, 2>(subject, positions, expected);
  expect_same_bits<Real, 4>(subject, positions, expected);
  expect_same_bits<Real, 16>(subject, positions, expected);
#endif
}

template <class Target>
void expect_same_bits_everywhere(Target subject) {
  static_assert(target::HasGradient<Target>);
  const auto shared = std::make_shared<const Target>(std::move(subject));
  expect_same_bits_at_every_width<float>(shared);
  expect_same_bits_at_every_width<double>(shared);
}

}  // namespace target_test
