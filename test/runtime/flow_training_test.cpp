// Training flows: both losses find what is known, threads cannot be told from the result, failures are counted, and a
// warm-up is the same in every mode.
#include "breakstep/runtime/flow_training.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "breakstep/diagnostics/pareto.hpp"
#include "breakstep/error.hpp"
#include "breakstep/runtime/transport_warm_up.hpp"
#include "breakstep/runtime/transported.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/target/funnel.hpp"
#include "breakstep/target/multivariate_normal.hpp"
#include "breakstep/target/synthetic.hpp"

namespace {

using namespace breakstep;
using lanes::InterleavedVector;
using lanes::Pack;
using runtime::FlowLoss;
using runtime::FlowTrainer;
using target::Asks;
using target::FlowKind;

constexpr int native = lanes::native_width<double>;

template <class Target>
std::shared_ptr<const FlowTrainer::Density> density_of(const Target& target, Asks asks = Asks::gradient) {
  return target::make_density<double, native>(std::make_shared<const Target>(target), asks);
}

/// N(3, 0.5²) and N(−1, 4²), independent.
struct Shifted {
  static int dimension() { return 2; }
  template <class Real, int W>
  Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    (void)workspace;
    const auto a = (x[0] - Real(3)) * Real(2), b = (x[1] + Real(1)) * Real(0.25);
    return Real(-0.5) * fma(a, a, b * b);
  }
  template <class Real, int W>
  Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                         const InterleavedVector<Real, W>& gradient, Real* workspace) const {
    gradient.store(0, (x[0] - Real(3)) * Real(-4));
    gradient.store(1, (x[1] + Real(1)) * Real(-0.0625));
    return log_density<Real, W>(x, workspace);
  }
};

std::vector<double> exact_draws(std::size_t count) {
  target::Synthetic random(3);
  std::vector<double> draws;
  for (std::size_t i = 0; i < count; ++i)
    draws.insert(draws.end(), {3 + 0.5 * random.normal(), -1 + 4 * random.normal()});
  return draws;
}

TEST(FlowTraining, BothLossesFindShiftAndScale) {
  const auto draws = exact_draws(20'000);
  for (const auto loss : {FlowLoss::reverse, FlowLoss::forward}) {
    FlowTrainer trainer(target::identity_flow({.dimension = 2, .kind = FlowKind::shift_scale}, 1),
                        density_of(Shifted{}), {.loss = loss, .steps = 1000, .batch = 256, .learning_rate = 0.05}, 7);
    for (int step = 0; step < 1000; ++step) loss == FlowLoss::reverse ? trainer.step() : trainer.step(draws);
    const auto& p = trainer.flow().parameters;
    EXPECT_NEAR(p[0], 3, 0.05);
    EXPECT_NEAR(p[1], -1, 0.3);
    EXPECT_NEAR(p[2], std::log(0.5), 0.05);
    EXPECT_NEAR(p[3], std::log(4), 0.05);
    EXPECT_EQ(trainer.skipped(), 0U);
  }
}

TEST(FlowTraining, ScalesFollowQuantiles) {
  FlowTrainer trainer(target::identity_flow({.dimension = 2}, 1), density_of(Shifted{}), {}, 7);
  trainer.fit_scales(exact_draws(20'000));
  const target::FlowLayout layout(trainer.flow().shape);
  EXPECT_NEAR(trainer.flow().parameters[layout.shifts()], 3, 0.02);
  EXPECT_NEAR(trainer.flow().parameters[layout.log_scales() + 1], std::log(4), 0.03);
  EXPECT_LT(diagnostics::pareto_k(trainer.log_ratios(4000)), 0.5);
}

TEST(FlowTraining, ThreadsCannotBeToldFromWhatIsLearnt) {
  const target::Funnel funnel{5};
  for (const auto loss : {FlowLoss::reverse, FlowLoss::forward}) {
    std::vector<double> reference;
    for (const int threads : {1, 2, 5}) {
      FlowTrainer trainer(target::identity_flow({.dimension = 5, .hidden = 8}, 1), density_of(funnel),
                          {.loss = loss, .steps = 5, .batch = 300, .threads = threads}, 7);
      std::vector<double> positions(500);
      target::Synthetic random(4);
      for (double& x : positions) x = random.normal();
      for (int step = 0; step < 5; ++step) loss == FlowLoss::reverse ? trainer.step() : trainer.step(positions);
      if (threads == 1) reference = trainer.flow().parameters;
      EXPECT_EQ(trainer.flow().parameters, reference);
      EXPECT_NE(trainer.flow().parameters, target::identity_flow({.dimension = 5, .hidden = 8}, 1).parameters);
    }
  }
}

/// NaN where x₀ > 1.
struct Torn : Shifted {
  double edge = 1;
  template <class Real, int W>
  Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                         const InterleavedVector<Real, W>& gradient, Real* workspace) const {
    const auto value = Shifted::log_density_and_gradient<Real, W>(x, gradient, workspace);
    return select(x[0] > Pack<Real, W>(static_cast<Real>(edge)), Pack<Real, W>(std::numeric_limits<Real>::quiet_NaN()),
                  value);
  }
};

TEST(FlowTraining, PositionsWithoutADensityAreLeftOutAndCounted) {
  FlowTrainer trainer(target::identity_flow({.dimension = 2}, 1), density_of(Torn{}), {.steps = 10}, 7);
  for (int step = 0; step < 10; ++step) EXPECT_TRUE(std::isfinite(trainer.step()));
  EXPECT_GT(trainer.left_out(), 0U);
  FlowTrainer nowhere(target::identity_flow({.dimension = 2}, 1), density_of(Torn{{}, -100}), {.steps = 10}, 7);
  EXPECT_TRUE(std::isnan(nowhere.step()));
  EXPECT_EQ(nowhere.skipped(), 1U);
  EXPECT_EQ(nowhere.flow().parameters, target::identity_flow({.dimension = 2}, 1).parameters);
}

template <int W, lanes::Storage S>
runtime::TransportWarmUp warmed_up(FlowLoss loss, const runtime::Execution& execution) {
  const auto funnel = std::make_shared<const target::Funnel>(target::Funnel{3});
  runtime::TransportOptions options{.draws = 30, .shape = {.dimension = 3, .hidden = 8}, .training = {.steps = 20}};
  options.training.loss = loss;
  options.training.threads = execution.threads;
  return runtime::warm_up_transport<double>(
      [&](const target::FlowNumbers& flow, std::uint64_t seed) {
        using Transported = target::Transported<target::Funnel>;
        return runtime::make_run<double, W, S>(
            sampler::EllipticalSlice{}, std::make_shared<const Transported>(Transported{funnel, flow}), seed, 37);
      },
      density_of(*funnel), options, 5, execution);
}

TEST(TransportWarmUp, IsTheSameInEveryMode) {
  using lanes::Storage;
  using runtime::Schedule;
  for (const auto loss : {FlowLoss::reverse, FlowLoss::forward}) {
    const auto reference = warmed_up<1, Storage::interleaved>(loss, {.schedule = Schedule::lockstep_pack});
    const auto expect_same = [&](const runtime::TransportWarmUp& other) {
      EXPECT_EQ(other.flow.parameters, reference.flow.parameters);
      EXPECT_EQ(other.positions, reference.positions);
      EXPECT_EQ(other.facts.log_ratios, reference.facts.log_ratios);
    };
    expect_same(warmed_up<4, Storage::interleaved>(loss, {.threads = 3}));
    expect_same(warmed_up<4, Storage::contiguous>(loss, {.schedule = Schedule::lockstep, .threads = 2}));
    EXPECT_EQ(reference.facts.steps, 20U);
  }
}

TEST(TransportWarmUp, OneDrawIsRefused) {
  runtime::TransportOptions options{.draws = 1, .shape = {.dimension = 2}};
  EXPECT_THROW(runtime::warm_up_transport<double>({}, density_of(Shifted{}), options, 1, {}), Error);
}

}  // namespace
