// That a target's values and gradients have the same bits at every width, with and without a gradient asked for, from
// rows if it reads them, and two packs at a time if it takes two.
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

/// From rows as from lanes, as the target is and through a diagonal map.
template <class Real, int W, target::ReadsRows Target>
void expect_same_bits_from_rows(const std::shared_ptr<const Target>& subject,
                                const std::vector<std::vector<double>>& positions) {
  const int d = subject->dimension();
  target::GaussianPrior metric;
  for (int i = 0; i < d; ++i) metric.sd.push_back(0.3 + 0.1 * i);
  for (const auto& map : {target::AffineMap<Real>(d), target::AffineMap<Real>(metric, d)}) {
    const auto density = target::through(target::make_density<Real, W>(subject, target::Asks::gradient), map);
    ASSERT_TRUE(density->reads_rows());
    const auto expected = evaluate<Real, W>(*density, positions, true);
    const auto found = evaluate_rows<Real, W>(*density, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      EXPECT_EQ(bits(found[p].value), bits(expected[p].value)) << "rows, width " << W << ", position " << p;
      for (std::size_t i = 0; i < found[p].gradient.size(); ++i) {
        EXPECT_EQ(bits(found[p].gradient[i]), bits(expected[p].gradient[i]))
            << "gradient " << i << " from rows, width " << W << ", position " << p;
      }
    }
  }
}

/// Two packs at a time as one by one: as the target is, and through a diagonal and a dense map.
template <class Real, int W, target::TakesTwo Target>
void expect_same_bits_of_two(const std::shared_ptr<const Target>& subject,
                             const std::vector<std::vector<double>>& positions) {
  const int d = subject->dimension();
  target::GaussianPrior diagonal, dense;
  for (int i = 0; i < d; ++i) diagonal.sd.push_back(0.3 + 0.1 * i);
  for (int i = 0; i < d * d; ++i) dense.covariance.push_back(i % (d + 1) == 0 ? 1 : 0.2);
  for (const auto& map :
       {target::AffineMap<Real>(d), target::AffineMap<Real>(diagonal, d), target::AffineMap<Real>(dense, d)}) {
    const auto density = target::through(target::make_density<Real, W>(subject, target::Asks::gradient), map);
    ASSERT_TRUE(density->takes_two());
    for (const bool with_gradient : {false, true}) {
      const auto expected = evaluate<Real, W>(*density, positions, with_gradient);
      const auto found = evaluate_two<Real, W>(*density, positions, with_gradient);
      for (std::size_t p = 0; p < positions.size(); ++p) {
        EXPECT_EQ(bits(found[p].value), bits(expected[p].value)) << "of two, width " << W << ", position " << p;
        for (std::size_t i = 0; i < found[p].gradient.size(); ++i) {
          EXPECT_EQ(bits(found[p].gradient[i]), bits(expected[p].gradient[i]))
              << "gradient " << i << " of two, width " << W << ", position " << p;
        }
      }
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
  if constexpr (target::ReadsRows<Target>) {
    expect_same_bits_from_rows<Real, 1>(subject, positions);
    expect_same_bits_from_rows<Real, 8>(subject, positions);
  }
  if constexpr (target::TakesTwo<Target>) {
    expect_same_bits_of_two<Real, 1>(subject, positions);
    expect_same_bits_of_two<Real, 8>(subject, positions);
  }
#ifndef BREAKSTEP_FEW_WIDTHS
  expect_same_bits<Real, 2>(subject, positions, expected);
  expect_same_bits<Real, 4>(subject, positions, expected);
  expect_same_bits<Real, 16>(subject, positions, expected);
  if constexpr (target::ReadsRows<Target>) expect_same_bits_from_rows<Real, 16>(subject, positions);
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
