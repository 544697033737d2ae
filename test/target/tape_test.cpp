// The tape: the same slopes as duals, coarse nodes against elementary ones, no memory after the first time, threads.
#include "breakstep/target/tape.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "functions.hpp"
#include "gradients.hpp"

namespace {

using namespace target_test;
using One = Pack<double, 1>;

void expect_near(const Result<double, 1>& found, const Result<double, 1>& expected, double error, const char* name) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i][0], expected[i][0], error * std::max(1.0, std::abs(expected[i][0]))) << name << ", " << i;
  }
}

TEST(Tape, TheSameSlopesAsDuals) {
  const lanes::FlushToZero scope;
  for_every_function([](const char* name, auto f, const std::vector<double>& points) {
    for (const double x : points) {
      const auto g = [f](const auto& v) { return f(v[0]); };
      expect_near(on_tape<double, 1>(g, {One(x)}), by_duals<double, 1>(g, {One(x)}), 1e-12, name);
    }
  });
  for_every_function_of_two([](const char* name, auto f, const auto& as, const auto& bs) {
    for (const double a : as) {
      for (const double b : bs) {
        const auto g = [f](const auto& v) { return f(v[0], v[1]); };
        expect_near(on_tape<double, 1>(g, {One(a), One(b)}), by_duals<double, 1>(g, {One(a), One(b)}), 1e-12, name);
      }
    }
  });
}

TEST(Tape, CoarseNodesAgreeWithElementaryOnes) {
  const lanes::FlushToZero scope;
  for_every_node([](const char* name, auto coarse, auto elementary, int n) {
    const auto x = positions<double, 1>(n);
    const auto expected = on_tape<double, 1>(elementary, x);
    expect_near(on_tape<double, 1>(coarse, x), expected, 1e-12, name);
    expect_near(by_duals<double, 1>(coarse, x), expected, 1e-12, name);
    expect_near(by_duals<double, 1>(elementary, x), expected, 1e-12, name);
  });
}

TEST(Tape, TheValueIsThatOfPacks) {
  const lanes::FlushToZero scope;
  for_every_node([](const char* name, auto coarse, auto elementary, int n) {
    const auto x = positions<double, 1>(n);
    EXPECT_EQ(on_tape(coarse, x)[0][0], value(coarse, x)[0]) << name;
    EXPECT_EQ(by_duals(coarse, x)[0][0], value(coarse, x)[0]) << name;
    EXPECT_EQ(on_tape(elementary, x)[0][0], value(elementary, x)[0]) << name;
  });
}

TEST(Tape, WhatIsNotChosenStaysOut) {
  const lanes::FlushToZero scope;
  const auto f = [](const auto& x) { return select(x[0] > 0.0, sqrt(x[0]), x[0] * 5.0); };
  EXPECT_EQ((on_tape<double, 1>(f, {One(0.0)})[1][0]), 5);
}

TEST(Tape, ConstantsLeaveNoTrace) {
  const auto f = []<class N>(const Vector<N>& x) {
    N sum = 0;
    sum += 3;
    sum += x[0];
    return sum * N(2.0);
  };
  const auto result = on_tape<double, 1>(f, {One(5.0)});
  EXPECT_EQ(result[0][0], 16);
  EXPECT_EQ(result[1][0], 2);
  const auto constant = on_tape<double, 1>([]<class N>(const Vector<N>&) { return N(7); }, {One(5.0)});
  EXPECT_EQ(constant[0][0], 7);
  EXPECT_EQ(constant[1][0], 0);
}

TEST(Tape, LogSumExpOfInfinities) {
  const auto f = [](const auto& x) { return log_sum_exp(x); };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((value<double, 1>(f, {One(-infinity), One(-infinity)})[0]), -infinity);
  EXPECT_EQ((value<double, 1>(f, {One(-infinity), One(2.0)})[0]), 2);
  EXPECT_EQ((on_tape<double, 1>(f, {One(-infinity), One(2.0)})[1][0]), 0);
  EXPECT_EQ((value<double, 1>(f, {One(1000.0), One(0.0)})[0]), 1000);
}

TEST(Tape, TheSecondEvaluationAllocatesNothing) {
  const auto f = []<class N>(const Vector<N>& x) {
    N total = 0;
    for (int i = 0; i < 20000; ++i) total += x[i % 4] * x[(i + 1) % 4];
    return total + poisson_log_lpmf(counts, multiply_add(x[3], design, x.slice(0, 3)));
  };
  const auto x = positions<double, 4>(4);
  on_tape(f, x);
  const auto before = target::Arena::of_this_thread().allocations();
  for (int k = 0; k < 5; ++k) on_tape(f, x);
  EXPECT_EQ(target::Arena::of_this_thread().allocations(), before);
}

TEST(Tape, ThreadsDoNotDisturbEachOther) {
  const auto everything = [](int n_shift) {
    std::vector<double> all;
    for_every_node([&](const char*, auto coarse, auto, int n) {
      const lanes::FlushToZero scope;
      auto x = positions<double, 4>(n);
      for (auto& xi : x) xi = xi + Pack<double, 4>(0.01 * n_shift);
      for (const auto& y : on_tape(coarse, x)) all.push_back(y[2]);
    });
    return all;
  };
  const auto first = everything(1), second = everything(2);
  int wrong[2] = {0, 0};
  {
    std::jthread a([&] {
      for (int k = 0; k < 50; ++k) wrong[0] += everything(1) != first ? 1 : 0;
    });
    std::jthread b([&] {
      for (int k = 0; k < 50; ++k) wrong[1] += everything(2) != second ? 1 : 0;
    });
  }
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}

}  // namespace
