// Runs: options, starts, facts, counters, batches, and memory.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "../support/bowl.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/delayed_rejection.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/sampler/nuts.hpp"
#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/standard_normal.hpp"

namespace {

using namespace breakstep;
using runtime::SampleOptions;
using runtime::Schedule;
using runtime::Starts;
using runtime::Step;
using sampler::DelayedRejection;

const target::StandardNormal normal{1};

std::string message(const SampleOptions& options) {
  try {
    sample(DelayedRejection{}, normal, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Run, InvalidOptionsAreErrorsInWords) {
  EXPECT_NE(message({.chains = 0}).find("no chains"), std::string::npos);
  EXPECT_NE(message({.draws = 0}).find("no draws"), std::string::npos);
  EXPECT_NE(message({.threads = -1}).find("negative number of threads"), std::string::npos);
  EXPECT_NE(message({.execution = {.parking = -2}}).find("negative parking"), std::string::npos);
  EXPECT_NE(message({.starts = {.scale = 0}}).find("must be positive"), std::string::npos);
  EXPECT_NE(message({.chains = 3, .starts = {.kind = Starts::Kind::given, .positions = {1, 2}}}).find("has 2 numbers"),
            0U);
  EXPECT_NE(message({.chains = std::size_t{1} << 33U}).find("too many"), std::string::npos);
  EXPECT_EQ(message({.chains = 2, .draws = 3}), "accepted");
}

/// −∞ below zero, NaN beyond ten: some starts are bad.
struct HalfNormal {
  static int dimension() { return 1; }
  template <class Real, int W>
  lanes::Pack<Real, W> log_density(const lanes::InterleavedVector<Real, W>& x, Real*) const {
    using P = lanes::Pack<Real, W>;
    const auto inside = select(x[0] > P(Real(0)), Real(-0.5) * x[0] * x[0], P(-std::numeric_limits<Real>::infinity()));
    return select(x[0] > P(Real(10)), P(std::numeric_limits<Real>::quiet_NaN()), inside);
  }
};

TEST(Run, ABadStartIsThatChainsFactAndTouchesNoOther) {
  SampleOptions options{.chains = 5, .draws = 50, .seed = 3};
  options.starts = {.kind = Starts::Kind::given, .positions = {1.0, -2.0, 0.5, 11.0, 2.0}};
  const auto draws = sample(DelayedRejection{.scale = 1.0}, HalfNormal{}, options);
  EXPECT_EQ(draws.facts.bad_starts, 2U);
  ASSERT_EQ(draws.facts.first_bad_start.size(), 1U);
  EXPECT_EQ(draws.facts.first_bad_start[0], -2.0);
  EXPECT_GT(*draws.at(1, 49), 0.0) << "from −∞ any finite density is accepted";
  for (std::uint32_t t = 0; t < 50; ++t) EXPECT_EQ(*draws.at(3, t), 11.0) << "from NaN nothing can be accepted";

  options.starts.positions = {1.0, 1.0, 0.5, 1.0, 2.0};
  const auto healthy = sample(DelayedRejection{.scale = 1.0}, HalfNormal{}, options);
  for (const std::size_t chain : {0U, 2U, 4U}) {
    for (std::uint32_t t = 0; t < 50; ++t) EXPECT_EQ(*draws.at(chain, t), *healthy.at(chain, t));
  }
}

TEST(Run, AChainDoesNotDependOnHowManyOthersThereAre) {
  const auto few = sample(DelayedRejection{}, normal, {.chains = 3, .draws = 20, .seed = 9});
  const auto many = sample(DelayedRejection{}, normal, {.chains = 50, .draws = 20, .seed = 9});
  for (std::size_t i = 0; i < few.values.size(); ++i) EXPECT_EQ(few.values[i], many.values[i]);
}

TEST(Run, StartsFollowTheirLaw) {
  const auto spread = [](const Starts& starts) {
    const auto run = runtime::make_run<double, 4, lanes::Storage::interleaved>(
        DelayedRejection{}, std::make_shared<const target::StandardNormal>(normal), 1, 2000);
    run->start(starts);
    double least = 1e9, most = -1e9;
    for (std::size_t c = 0; c < 2000; ++c) {
      double x = 0;
      std::memcpy(&x, run->records().record(c), sizeof x);
      least = std::min(least, x), most = std::max(most, x);
    }
    return std::pair(least, most);
  };
  const auto uniform = spread({.kind = Starts::Kind::uniform, .scale = 2.0});
  EXPECT_GT(uniform.first, -2.0);
  EXPECT_LT(uniform.first, -1.95);
  EXPECT_LT(uniform.second, 2.0);
  EXPECT_GT(uniform.second, 1.95);
  EXPECT_GT(spread({.scale = 10.0}).second, 20.0);
}

TEST(Run, CountersAddUp) {
  for (const auto schedule :
       {Schedule::lockstep, Schedule::lockstep_skip, Schedule::lockstep_pack, Schedule::free_running}) {
    for (const auto step : {Step::switched_inline, Step::switched_amortized, Step::bundled_inline,
                            Step::bundled_amortized, Step::gathered}) {
      const auto draws = sample(sampler::EllipticalSlice{}, target::GaussianLikelihood{},
                                {.chains = 50, .draws = 40, .execution = {.step = step, .schedule = schedule}});
      const auto& counters = draws.counters;
      EXPECT_EQ(counters.draws, 50U * 40U);
      ASSERT_EQ(counters.blocks.size(), 3U);
      EXPECT_EQ(counters.blocks[0].occupied, counters.draws) << "init once per draw";
      EXPECT_EQ(counters.blocks[2].occupied, counters.draws) << "done once per draw";
      EXPECT_EQ(counters.evaluations_asked, counters.blocks[0].occupied + counters.blocks[1].occupied);
      EXPECT_GE(counters.evaluations_executed, counters.evaluations_asked);
    }
  }
}

/// Interleaved storage makes bundled steps by laps, contiguous storage one by one: the same steps, block by block.
TEST(Run, LapsGoThroughTheMachineAsSingleStepsDo) {
  for (const int parking : {1, 2, 3}) {
    const auto counted = [parking](lanes::Storage storage) {
      return sample(sampler::EllipticalSlice{}, target::GaussianLikelihood{},
                    {.chains = 50,
                     .draws = 40,
                     .storage = storage,
                     .execution = {.step = Step::bundled_inline, .parking = parking}})
          .counters;
    };
    const auto laps = counted(lanes::Storage::interleaved), steps = counted(lanes::Storage::contiguous);
    EXPECT_EQ(laps.steps, steps.steps);
    EXPECT_EQ(laps.draws, steps.draws);
    EXPECT_EQ(laps.evaluations_asked, steps.evaluations_asked);
    EXPECT_EQ(laps.evaluations_executed, steps.evaluations_executed);
    for (std::size_t k = 0; k < laps.blocks.size(); ++k) {
      EXPECT_EQ(laps.blocks[k].runs, steps.blocks[k].runs) << "block " << k << ", parking " << parking;
      EXPECT_EQ(laps.blocks[k].occupied, steps.blocks[k].occupied) << "block " << k << ", parking " << parking;
    }
  }
}

TEST(Run, ChainsPassedFromLaneToLaneMakeTheSameDraws) {
  const SampleOptions options{.chains = 37, .draws = 600, .seed = 5};
  SampleOptions other = options;
  other.execution.schedule = Schedule::lockstep_pack;
  const auto reference = sample(DelayedRejection{.scale = 0.3}, normal, other);
  for (const int threads : {1, 2, 5}) {
    for (const auto step : {Step::automatic, Step::switched_amortized, Step::bundled_inline, Step::gathered}) {
      other = options;
      other.threads = threads;
      other.execution.step = step;
      const auto draws = sample(DelayedRejection{.scale = 0.3}, normal, other);
      EXPECT_EQ(draws.values, reference.values) << threads << " threads, " << runtime::name_of(step);
      EXPECT_EQ(draws.counters.draws, 37U * 600U);
    }
  }
}

/// Half as many chains again as there are lanes: were each lane to keep its chain, half of them would be idle for half
/// of the time, an occupancy of 0.75.
TEST(Run, ChainsThatDoNotDivideEvenlyComeToTheirEndTogether) {
  constexpr std::size_t lanes = lanes::native_width<double>;
  const auto draws =
      sample(DelayedRejection{.scale = 0.3}, normal,
             {.chains = lanes + lanes / 2, .draws = 20'000, .execution = {.step = Step::bundled_inline, .parking = 1}});
  EXPECT_GT(draws.counters.occupancy(), 0.93);
}

TEST(Run, LockstepPaysForTheSlowestAndFreeRunningDoesNot) {
  const auto run = [](Schedule schedule) {
    return sample(DelayedRejection{.scale = 0.3}, normal,
                  {.chains = 256,
                   .draws = 100,
                   .execution = {.step = Step::bundled_inline, .schedule = schedule, .parking = 1}})
        .counters;
  };  // without a tuner, which goes by the clock
  const auto lockstep = run(Schedule::lockstep), free = run(Schedule::free_running);
  EXPECT_EQ(lockstep.evaluations_asked, free.evaluations_asked);
  const double bound = 1 / lockstep.occupancy();
  EXPECT_GT(bound, 5.0);
  EXPECT_GT(free.occupancy(), 0.8);
  // One loop that alone evaluates: R(m) and B(m) are the same number up to the last, partly filled pack.
  EXPECT_NEAR(static_cast<double>(lockstep.rounds_executed) / static_cast<double>(lockstep.rounds_wanted), bound, 1e-9);
}

/// A standard normal as an outside model would offer it, computed with our own arithmetic so that bits can be compared.
struct BatchNormal {
  bool invariant = true;
  mutable std::shared_ptr<std::set<std::size_t>> batches = std::make_shared<std::set<std::size_t>>();
  static int dimension() { return 1; }
  [[nodiscard]] bool batch_invariant() const { return invariant; }
  void log_density(const double* positions, std::size_t batch, double* values) const {
    batches->insert(batch);
    for (std::size_t i = 0; i < batch; ++i) values[i] = -0.5 * (positions[i] * positions[i]);
  }
};

TEST(Run, ABatchTargetGivesTheSameDrawsAndSeesWholeBatches) {
  const auto lane = sample(DelayedRejection{}, normal, {.chains = 40, .draws = 30});
  for (const auto step : {Step::switched_inline, Step::switched_amortized, Step::bundled_inline,
                          Step::bundled_amortized, Step::gathered}) {
    const BatchNormal batch;
    const auto draws = sample(DelayedRejection{}, batch, {.chains = 40, .draws = 30, .execution = {.step = step}});
    EXPECT_EQ(draws.values, lane.values);
    EXPECT_TRUE(draws.facts.bits_promised);
    const bool amortized = step == Step::switched_amortized || step == Step::bundled_amortized;
    if (amortized) {
      EXPECT_GT(*batch.batches->rbegin(), 8U) << "requests of all chains are collected";
    }
  }
  const BatchNormal batch;
  EXPECT_EQ(
      sample(DelayedRejection{}, batch, {.chains = 40, .draws = 30, .execution = {.schedule = Schedule::lockstep}})
          .values,
      lane.values);
}

/// Free running and lock-step bring two packs at a time to a density that wants them, but for single ones at the end.
TEST(Run, ADensityThatTakesTwoPacksGetsThem) {
  for (const auto schedule : {Schedule::free_running, Schedule::lockstep_skip}) {
    const auto bowl = test_support::PairedBowl::of_dimension(2);
    const auto draws = runtime::sample<float>(
        sampler::Nuts{.step_size = 0.1}, bowl,
        {.chains = 8 * lanes::native_width<float>, .draws = 50, .seed = 3, .execution = {.schedule = schedule}});
    const std::uint64_t packs = draws.counters.evaluations_executed / lanes::native_width<float>;
    EXPECT_GT(2 * *bowl.pairs, packs * 9 / 10) << name_of(schedule);
    EXPECT_LE(2 * *bowl.pairs, packs) << name_of(schedule);
  }
}

TEST(Run, ABatchTargetThatMixesChainsLosesThePromiseOutLoud) {
  EXPECT_FALSE(
      sample(DelayedRejection{}, BatchNormal{.invariant = false}, {.chains = 4, .draws = 3}).facts.bits_promised);
}

TEST(Run, TheCallersFloatModeIsRestoredAndShownToBatchTargets) {
  struct SeesSubnormals : BatchNormal {
    void log_density(const double* positions, std::size_t batch, double* values) const {
      volatile double smallest = std::numeric_limits<double>::min();
      EXPECT_GT(smallest / 2, 0.0);
      BatchNormal::log_density(positions, batch, values);
    }
  };
  const unsigned before = _mm_getcsr();
  sample(DelayedRejection{}, SeesSubnormals{}, {.chains = 8, .draws = 5});
  EXPECT_EQ(_mm_getcsr() & ~0x3FU, before & ~0x3FU);
}

/// Throws in the middle of a run, on whichever thread is there first.
struct Throwing : BatchNormal {
  void log_density(const double*, std::size_t, double*) const { throw std::runtime_error("the model has failed"); }
};

TEST(Run, AnExceptionOfTheTargetReachesTheCaller) {
  EXPECT_THROW(sample(DelayedRejection{}, Throwing{}, {.chains = 40, .draws = 5, .threads = 3}), std::runtime_error);
}

TEST(Run, DrawsMayBeMadeWithoutMemoryForThem) {
  const auto run = runtime::make_run<float, 8, lanes::Storage::interleaved>(
      sampler::EllipticalSlice{}, std::make_shared<const target::GaussianLikelihood>(), 1, 10'000);
  run->start({});
  EXPECT_EQ(run->advance(20, 20, {}, {}).draws, 200'000U);
  EXPECT_EQ(run->records().bytes_per_chain(), 3U * 4 + 4 + 4);
}

}  // namespace
