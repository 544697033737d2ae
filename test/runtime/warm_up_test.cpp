// Warm-up: the same tuning in every way of running, and a tuning that does what it is for.
#include "breakstep/runtime/warm_up.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/nuts.hpp"
#include "breakstep/target/funnel.hpp"

namespace {

namespace registry = breakstep::registry;
using namespace breakstep::runtime;
using breakstep::lanes::Storage;

struct Way {
  Execution execution = {};
  Storage storage = Storage::contiguous;
  bool one_chain_at_a_time = false;
};

/// A warm-up of a registered sampler and target.
template <class Real>
class Tuned {
 public:
  Tuned(const std::string& sampler, const std::string& target, std::size_t chains)
      : name_(sampler),
        whole_(registry::make_sampler(sampler)),
        one_step_(registry::make_sampler(sampler)),
        target_(registry::make_target(target, {.points = target.substr(0, 3) == "gp_" ? 20 : 0})),
        chains_(chains) {
    registry::stop_after_one_step(*one_step_);
  }

  WarmUp run(const WarmUpOptions& options, const Way& way) const {
    return warm_up(registry::runs_of<Real>(*whole_, *one_step_, target_, way.storage, chains_, way.one_chain_at_a_time),
                   options, 7, way.execution);
  }

  /// Mean acceptance of draws made with the tuning.
  double acceptance(const WarmUp& tuned, std::uint32_t draws) const {
    const auto sampler = registry::make_sampler(name_);
    sampler->set("step_size", tuned.tuning.step_size);
    const auto run =
        registry::make_run<Real>(*sampler, target_, Storage::contiguous, 8, chains_, false, tuned.tuning.metric);
    run->start({.kind = Starts::Kind::given, .scale = 1, .positions = tuned.positions});
    const auto names = run->fact_names();
    const std::size_t f = names.size();
    std::vector<Real> facts(chains_ * draws * f);
    run->advance(draws, draws,
                 {.first = 0,
                  .count = draws,
                  .dimension = run->dimension(),
                  .facts = facts.data(),
                  .fact_count = static_cast<int>(f)},
                 {});
    const auto which = static_cast<std::size_t>(std::find(names.begin(), names.end(), "accept_stat") - names.begin());
    double sum = 0;
    for (std::size_t i = which; i < facts.size(); i += f) sum += static_cast<double>(facts[i]);
    return sum / static_cast<double>(chains_ * draws);
  }

 private:
  std::string name_;
  std::unique_ptr<registry::AnySampler> whole_, one_step_;
  std::shared_ptr<const registry::AnyTarget> target_;
  std::size_t chains_;
};

template <class Real>
void expect_same_tuning(const std::string& sampler, const std::string& target, Metric metric) {
  const Tuned<Real> tuned(sampler, target, 21);
  const WarmUpOptions options{.draws = 60, .metric = metric};
  const WarmUp reference = tuned.run(options, {.execution = {.schedule = Schedule::lockstep_pack},
                                               .storage = Storage::contiguous,
                                               .one_chain_at_a_time = true});
  EXPECT_TRUE(std::isfinite(reference.tuning.step_size));
  const auto expect_same = [&](const Way& way, const std::string& what) {
    const WarmUp other = tuned.run(options, way);
    EXPECT_EQ(other.tuning.step_size, reference.tuning.step_size) << what;
    EXPECT_EQ(other.tuning.metric.sd, reference.tuning.metric.sd) << what;
    EXPECT_EQ(other.tuning.metric.covariance, reference.tuning.metric.covariance) << what;
    EXPECT_EQ(other.positions, reference.positions) << what;
    EXPECT_EQ(other.facts.accept_stat, reference.facts.accept_stat) << what;
  };
  for (const Storage storage : {Storage::interleaved, Storage::contiguous}) {
    for (const int threads : {1, 2, 5}) {
      for (const Schedule schedule :
           {Schedule::lockstep, Schedule::lockstep_skip, Schedule::lockstep_pack, Schedule::free_running}) {
        expect_same({.execution = {.schedule = schedule, .threads = threads}, .storage = storage},
                    std::string(name_of(schedule)) + ", " + std::to_string(threads) + " threads");
      }
    }
  }
  expect_same({.execution = {.step = Step::switched_inline}}, "switched");
}

TEST(WarmUp, FindsTheSameTuningInEveryWayOfRunning) {
  expect_same_tuning<float>("nuts", "eight_schools_noncentred", Metric::diagonal);
  expect_same_tuning<double>("nuts", "banana", Metric::dense);
  expect_same_tuning<double>("hmc", "funnel", Metric::diagonal);
  expect_same_tuning<float>("mala", "banana", Metric::unit);
}

TEST(WarmUp, DependsOnTheSeedAndTheNumberOfChains) {
  const WarmUpOptions options{.draws = 60};
  const auto step = [&](std::size_t chains) {
    return Tuned<double>("nuts", "banana", chains).run(options, {}).tuning.step_size;
  };
  EXPECT_NE(step(20), step(21));
}

/// On every target whose posterior a chain can find from anywhere.
TEST(WarmUp, ReachesTheAcceptanceAimedAt) {
  for (const std::string target :
       {"standard_normal", "multivariate_normal", "log_gamma", "banana", "gp_regression", "logistic_regression",
        "bod_stdnormal_prior", "eight_schools_noncentred", "soil", "google_stock", "german_credit", "predator_prey",
        "pilots", "funnel", "eight_schools"}) {
    const Tuned<float> tuned("nuts", target, 64);
    const WarmUp result = tuned.run({.draws = 300}, {.execution = {.threads = 0}});
    EXPECT_NEAR(tuned.acceptance(result, 100), 0.8, 0.05) << target;
  }
}

TEST(WarmUp, AimsAtWhatItIsTold) {
  const Tuned<double> nuts("nuts", "multivariate_normal", 64), hmc("hmc", "multivariate_normal", 64),
      mala("mala", "multivariate_normal", 64);
  EXPECT_NEAR(nuts.acceptance(nuts.run({.draws = 300, .target_accept = 0.95}, {}), 100), 0.95, 0.03);
  EXPECT_NEAR(nuts.acceptance(nuts.run({.draws = 300, .target_accept = 0.6}, {}), 100), 0.6, 0.05);
  EXPECT_NEAR(hmc.acceptance(hmc.run({.draws = 300, .target_accept = 0.7}, {}), 100), 0.7, 0.05);
  EXPECT_NEAR(mala.acceptance(mala.run({.draws = 300, .target_accept = 0.574}, {}), 100), 0.574, 0.05);
}

/// 64 chains of 500 draws in the last window: the sd of a variance's logarithm is about √(2/32000) times the root of
/// the autocorrelation time. 0.1 is more than 6 of them for times below 4; the target's variances are 1.
TEST(WarmUp, LearnsTheScalesOfTheTarget) {
  const Tuned<double> tuned("nuts", "multivariate_normal", 64);
  const WarmUp diagonal = tuned.run({.draws = 1000}, {});
  ASSERT_EQ(diagonal.tuning.metric.sd.size(), 10U);
  for (const double sd : diagonal.tuning.metric.sd) EXPECT_NEAR(2 * std::log(sd), 0.0, 0.1);
  const WarmUp dense = tuned.run({.draws = 1000, .metric = Metric::dense}, {});
  ASSERT_EQ(dense.tuning.metric.covariance.size(), 100U);
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      EXPECT_NEAR(dense.tuning.metric.covariance[static_cast<std::size_t>(10 * i + j)], std::pow(0.9, std::abs(i - j)),
                  0.1);
    }
  }
  EXPECT_GT(dense.tuning.step_size, 2 * diagonal.tuning.step_size) << "nothing was gained from the correlations";
}

TEST(WarmUp, PhasesAreStans) {
  const auto phases = phases_of(1000, true);
  ASSERT_EQ(phases.size(), 6U);
  const std::uint32_t ends[] = {100, 150, 250, 450, 950, 1000};
  for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(phases[p].end, ends[p]);
  EXPECT_EQ(phases[0].learn_from, 75U);
  EXPECT_EQ(phases[1].learn_from, 100U);
  EXPECT_EQ(phases[5].learn_from, 1000U) << "the last phase learns no metric";
  for (const std::uint32_t draws : {1U, 5U, 19U, 20U, 100U, 149U, 150U, 151U, 200U, 500U, 3000U}) {
    std::uint32_t at = 0;
    for (const Phase& phase : phases_of(draws, true)) {
      EXPECT_EQ(phase.begin, at);
      EXPECT_GT(phase.end, phase.begin);
      at = phase.end;
    }
    EXPECT_EQ(at, draws);
  }
  EXPECT_EQ(phases_of(1000, false).size(), 1U);
}

TEST(WarmUp, BlocksFillTheirPhase) {
  for (const std::size_t chains : {1U, 8U, 128U, 1000U, 100000U}) {
    for (const std::uint32_t draws : {1U, 7U, 50U, 500U}) {
      std::uint32_t sum = 0;
      for (const auto block : blocks_of(draws, chains)) {
        EXPECT_LE(block, chains >= 1024 ? 1U : 8U);
        sum += block;
      }
      EXPECT_EQ(sum, draws);
    }
  }
}

/// An acceptance that falls as Hamiltonian samplers' does, answered a block late.
template <class Rule>
double settle(Rule rule, int blocks, double best) {
  const auto acceptance = [&](double step) { return std::erfc(0.179 * std::pow(step / best, 2)); };  // 0.8 at `best`
  double step = best / 3, next = step;
  for (int b = 0; b < blocks; ++b) {
    const double accepted = acceptance(step);
    step = next;
    next = rule.update(accepted);
  }
  return rule.settled() / best;
}

TEST(WarmUp, StepSizesSettle) {
  EXPECT_NEAR(settle(PooledStepSize(0.1, 0.8), 15, 0.3), 1.0, 0.1);
  EXPECT_NEAR(settle(PooledStepSize(0.1, 0.8), 60, 0.3), 1.0, 0.02);
  EXPECT_NEAR(settle(PooledStepSize(1e-3, 0.8), 15, 3e-3), 1.0, 0.1);
}

TEST(WarmUp, SaysWhenNothingCanBeTuned) {
  const Tuned<double> tuned("nuts", "bod_stdnormal_prior", 8);
  WarmUpOptions nowhere{.draws = 30};
  nowhere.starts = {.kind = Starts::Kind::given, .scale = 1, .positions = {NAN, NAN}};
  EXPECT_THROW(tuned.run(nowhere, {}), breakstep::Error);
  EXPECT_THROW(tuned.run({.draws = 0}, {}), breakstep::Error);
  EXPECT_THROW(tuned.run({.draws = 30, .target_accept = 1.0}, {}), breakstep::Error);
}

TEST(WarmUp, OfTheLibraryGoesBeforeSample) {
  const breakstep::target::Funnel funnel{3};
  const breakstep::sampler::Nuts nuts;
  const SampleOptions options{.chains = 16, .draws = 20, .seed = 3};
  const auto tuned = breakstep::warm_up(nuts, funnel, options, {.draws = 100});
  const auto draws = breakstep::sample(nuts, funnel, options, tuned);
  EXPECT_EQ(draws.values.size(), 16U * 20U * 3U);
  EXPECT_EQ(draws.draw_facts.at(6), tuned.tuning.step_size);
}

}  // namespace
