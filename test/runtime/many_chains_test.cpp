// ChEES and MEADS: what they take from all chains, the same in every way of running, and right on targets with known
// answers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string>

#include "../support/bowl.hpp"
#include "breakstep/error.hpp"
#include "breakstep/lanes/record_fields.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/chees.hpp"
#include "breakstep/runtime/meads.hpp"
#include "breakstep/runtime/over_chains.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/chees.hpp"
#include "breakstep/sampler/meads.hpp"

namespace {

namespace registry = breakstep::registry;
namespace lanes = breakstep::lanes;
using namespace breakstep::runtime;
using breakstep::sampler::Chees;
using breakstep::sampler::Meads;
using lanes::Storage;
using test_support::Bowl;

TEST(OverChains, TreeOfSixteens) {
  for (const std::size_t count : {0U, 1U, 16U, 17U, 100U, 1000U}) {
    EXPECT_EQ(sum_over_chains(count, [](std::size_t c) { return static_cast<double>(c); }),
              static_cast<double>(count) * (static_cast<double>(count) - 1) / 2);
  }
  // ((16 ones, then tiny ones that a running sum would lose) added up by themselves first).
  const double tiny = 0x1p-54;
  EXPECT_EQ(sum_over_chains(32, [&](std::size_t c) { return c < 16 ? 1.0 / 16 : 16 * tiny; }), 1 + 256 * tiny);
}

TEST(CheesCriterion, ByHand) {
  const auto chees_slope = [](const Proposals& proposals) { return chees_criterion(proposals).slope; };
  // Means 0 before and 1 after: (4 − 1)·(2·1) and (4 − 1)·(−2·−3), equally likely.
  EXPECT_DOUBLE_EQ(chees_slope({1, {-1, 1}, {3, -1}, {1, -3}, {0.5, 0.5}}), (3 * 2 + 3 * 6) / 2.0);
  EXPECT_DOUBLE_EQ(chees_criterion({1, {-1, 1}, {3, -1}, {1, -3}, {0.5, 0.5}}).value, 3 * 3 / 4.0);
  // A chain of weight 0 does not count, whatever it did.
  EXPECT_DOUBLE_EQ(chees_slope({1, {-1, 1, 9}, {3, -1, NAN}, {1, -3, INFINITY}, {0.5, 0.5, 0}}), 12);
  EXPECT_EQ(chees_slope({1, {1, 2}, {NAN, NAN}, {1, 1}, {0, 0}}), 0);
  EXPECT_EQ(chees_slope({1, {1e200, -1e200}, {3e200, 1}, {1e200, 1}, {1, 1}}), 0);
}

TEST(HarmonicMean, OfAcceptances) {
  EXPECT_DOUBLE_EQ(harmonic_mean({1, 0.5, 0.25}), 3.0 / 7);
  EXPECT_EQ(harmonic_mean({1, 0, 1}), 0);
  EXPECT_EQ(harmonic_mean({}), 0);
}

TEST(TrajectoryLength, ClimbsAndStaysInBounds) {
  TrajectoryLength length(0.1, 0);
  double now = 0.1;
  for (int i = 0; i < 400; ++i) now = length.update({.value = 1, .slope = std::log(3 / now)}, 0.01, 100);
  EXPECT_NEAR(length.settled(), 3, 0.1);
  for (int i = 0; i < 400; ++i) now = length.update({.value = 1, .slope = 1}, 0.01, 5);
  EXPECT_DOUBLE_EQ(now, 5);
}

/// Any of the ways to run, with what it leads to.
struct Way {
  Execution execution = {};
  Storage storage = Storage::contiguous;
  bool one_chain_at_a_time = false;
};
const Way ways[] = {{},
                    {.execution = {.threads = 3}},
                    {.execution = {.schedule = Schedule::lockstep, .threads = 2}, .storage = Storage::interleaved},
                    {.execution = {.schedule = Schedule::lockstep_pack}, .storage = Storage::interleaved},
                    {.execution = {.schedule = Schedule::lockstep_pack}, .one_chain_at_a_time = true}};

template <class Real>
WarmUp tuned(const std::string& sampler, const std::string& target, std::size_t chains, const WarmUpOptions& options,
             const Way& way = {}) {
  return registry::warm_up<Real>([&] { return registry::make_sampler(sampler); }, registry::make_target(target, {}),
                                 way.storage, chains, way.one_chain_at_a_time, options, 7, way.execution);
}

TEST(WarmUpOfManyChains, SameBitsInEveryWay) {
  for (const std::string sampler : {"chees", "meads"}) {
    const WarmUpOptions options{.draws = 60, .target_accept = 0.651};
    const WarmUp first = tuned<float>(sampler, "eight_schools_noncentred", 21, options);
    EXPECT_FALSE(first.tuning.parameters.empty());
    for (const Way& way : ways) {
      const WarmUp again = tuned<float>(sampler, "eight_schools_noncentred", 21, options, way);
      EXPECT_EQ(again.tuning.step_size, first.tuning.step_size);
      EXPECT_EQ(again.tuning.parameters, first.tuning.parameters);
      EXPECT_EQ(again.tuning.metric.sd, first.tuning.metric.sd);
      EXPECT_EQ(again.positions, first.positions);
      EXPECT_EQ(again.facts.accept_stat, first.facts.accept_stat);
    }
  }
}

/// The criterion of independent normals of these scales with trajectories uniform up to `length`: the change of x²
/// after time t has variance 4·s⁴·sin²(t/s).
double criterion(const std::vector<double>& scales, double length) {
  double sum = 0;
  for (const double s : scales) sum += s * s * s * s * (1 - std::sin(2 * length / s) / (2 * length / s));
  return sum;
}
double best_length(const std::vector<double>& scales) {
  double best = 0;
  for (double length = 0.05; length < 20; length += 0.005) {
    if (criterion(scales, length) > criterion(scales, best > 0 ? best : 0.05)) best = length;
  }
  return best;
}

TEST(Chees, FindsTheBestTrajectoryOfAnIllConditionedNormal) {
  Bowl bowl;
  for (int i = 0; i < 100; ++i) bowl.scales.push_back(std::pow(10.0, -2.0 + 2.0 * i / 99));  // condition number 10⁴
  const WarmUp found = warm_up(Chees{}, bowl, {.chains = 128, .seed = 3},
                               {.draws = 800, .target_accept = 0.651, .metric = Metric::unit});
  ASSERT_EQ(found.tuning.parameters.at(0).first, "trajectory");
  const double length = found.tuning.parameters[0].second, best = best_length(bowl.scales);
  std::cout << "trajectory " << length << ", best " << best << ", step " << found.tuning.step_size << "\n";
  EXPECT_NEAR(length / best, 1, 0.2);
  EXPECT_NEAR(found.facts.accept_stat, 0.651, 0.05);
  // A standard normal's is half the first root of tan z = z. Trajectories are rounded up to whole steps.
  const WarmUp standard = warm_up(Chees{}, Bowl{std::vector<double>(100, 1.0)}, {.chains = 128, .seed = 3},
                                  {.draws = 400, .target_accept = 0.95});
  EXPECT_NEAR((standard.tuning.parameters.at(0).second + standard.tuning.step_size / 2) / 2.2467, 1, 0.1);
  // Where length costs what it costs, it is a quarter of an oscillation.
  const WarmUp thrifty = warm_up(Chees{.price = 1}, Bowl{std::vector<double>(100, 1.0)}, {.chains = 128, .seed = 3},
                                 {.draws = 400, .target_accept = 0.95});
  EXPECT_NEAR((thrifty.tuning.parameters.at(0).second + thrifty.tuning.step_size / 2) / (std::numbers::pi / 2), 1, 0.1);
}

TEST(RootOfLargestEigenvalue, OfKnownMatrices) {
  // Rows ±(3, 0) and ±(0, 1) in turn: S = diag(4.5, 0.5), tr S²/tr S is about 4.1; by rows (n ≤ d) and by columns
  // alike.
  std::vector<double> rows;
  for (int c = 0; c < 4000; ++c) {
    const double sign = c % 4 < 2 ? 1 : -1;
    rows.push_back(c % 2 == 0 ? 3 * sign : 0);
    rows.push_back(c % 2 == 1 ? sign : 0);
  }
  EXPECT_NEAR(root_of_largest_eigenvalue(rows, 2), std::sqrt(20.5 / 5), 0.01);
  std::vector<double> padded;
  for (int c = 0; c < 60; ++c) {
    for (int i = 0; i < 64; ++i) padded.push_back(i < 2 ? rows[static_cast<std::size_t>(2 * c + i)] : 0.0);
  }
  EXPECT_NEAR(root_of_largest_eigenvalue(padded, 64), root_of_largest_eigenvalue({rows.begin(), rows.begin() + 120}, 2),
              1e-12);
  EXPECT_EQ(root_of_largest_eigenvalue(std::vector<double>(10), 2), 0);
  for (double& x : rows) x *= 1e200;
  EXPECT_NEAR(root_of_largest_eigenvalue(rows, 2) / 1e200, std::sqrt(20.5 / 5), 0.01);
}

TEST(MeadsParameters, AreFiniteAndPositiveOnDegenerateEnsembles) {
  const std::vector<double> same(12, 0.5), zero(12, 0.0), huge(12, 1e300);
  std::vector<double> spread(12);
  std::iota(spread.begin(), spread.end(), -3.0);
  for (const Ensemble& ensemble : {Ensemble{3, same, zero}, Ensemble{3, same, huge}, Ensemble{3, spread, zero},
                                   Ensemble{3, zero, same}, Ensemble{3, huge, huge}}) {
    const MeadsParameters found = meads_parameters(ensemble, 0);
    EXPECT_GT(found.step_size, 0);
    EXPECT_LE(found.step_size, 1);
    EXPECT_GE(found.damping, 0);
    EXPECT_LE(found.damping, 1);
    for (const double s : found.scale) EXPECT_TRUE(s > 0 && std::isfinite(s));
  }
}

TEST(FoldsOf, AreEqualInSizeAndShuffledEveryKDraws) {
  const auto first = folds_of(37, 4, 1, 0);
  std::vector<int> sizes(4);
  for (const std::size_t fold : first) ++sizes.at(fold);
  for (const int size : sizes) EXPECT_TRUE(size == 9 || size == 10);
  EXPECT_EQ(folds_of(37, 4, 1, 3), first);
  EXPECT_NE(folds_of(37, 4, 1, 4), first);
  EXPECT_NE(folds_of(37, 4, 2, 0), first);
}

/// What each chain was given for its last draw.
struct Given {
  std::vector<double> step_size, damping, scale;
};
Given given_in(const lanes::ChainRecords& records) {
  const auto read = [&](const char* name) { return lanes::RecordField<double>(records, name).read(records); };
  return {read("given_step_size"), read("given_damping"), read("scale")};
}

/// Moving the chains of one fold must change the parameters of the fold that follows it, and of no other: least of all
/// its own.
TEST(FoldedRun, NoFoldSeesItself) {
  constexpr std::size_t chains = 24, folds = 4, d = 3;
  constexpr std::uint32_t before = 5;
  constexpr std::uint64_t seed = 11;
  const auto target = std::make_shared<const Bowl>(Bowl::of_dimension(d));
  const auto run = make_run<double, 1, Storage::interleaved>(Meads{.folds = folds}, target, seed, chains);
  run->start({});
  run->advance(before, before, {}, {});
  std::ostringstream saved;
  run->records().save(saved);
  const auto next_draw = [&](std::size_t moved_fold) {
    std::istringstream in(saved.str());
    auto& records = run->records();
    records.load(in);
    const auto fold_of = folds_of(chains, folds, seed, before);
    const lanes::RecordField<double> x(records, "x"), gradient(records, "gradient");
    auto positions = x.read(records), gradients = gradient.read(records);
    for (std::size_t c = 0; c < chains; ++c) {
      if (fold_of[c] != moved_fold) continue;
      for (std::size_t i = 0; i < d; ++i) {
        positions[c * d + i] *= 3;
        gradients[c * d + i] *= 3;
      }
      x.write(records, c, positions.data() + c * d);
      gradient.write(records, c, gradients.data() + c * d);
    }
    run->advance(before + 1, before + 1, {}, {});
    return given_in(run->records());
  };
  const Given unmoved = next_draw(folds);
  const auto fold_of = folds_of(chains, folds, seed, before);
  for (std::size_t moved = 0; moved < folds; ++moved) {
    const Given other = next_draw(moved);
    for (std::size_t c = 0; c < chains; ++c) {
      const bool is_held = fold_of[c] == before % folds;
      EXPECT_EQ(unmoved.step_size[c] == 0, is_held);
      const bool follows = fold_of[c] == (moved + 1) % folds && !is_held;
      EXPECT_EQ(other.scale[c * d] != unmoved.scale[c * d], follows) << "chain " << c << ", fold " << moved << " moved";
      EXPECT_EQ(other.step_size[c] == unmoved.step_size[c] && other.damping[c] == unmoved.damping[c] &&
                    other.scale[c * d] == unmoved.scale[c * d],
                !follows);
    }
  }
}

TEST(FoldedRun, HoldsOneFoldInEveryDraw) {
  constexpr std::size_t chains = 20, folds = 5;
  const auto target = std::make_shared<const Bowl>(Bowl::of_dimension(2));
  const auto run = make_run<double, 1, Storage::interleaved>(Meads{.folds = folds}, target, 3, chains);
  run->start({});
  for (std::uint32_t t = 0; t < 12; ++t) {
    const auto from = run->positions();
    run->advance(t + 1, t + 1, {}, {});
    const auto to = run->positions();
    const auto fold_of = folds_of(chains, folds, 3, t);
    for (std::size_t c = 0; c < chains; ++c) {
      if (fold_of[c] == t % folds) {
        EXPECT_TRUE(to[2 * c] == from[2 * c] && to[2 * c + 1] == from[2 * c + 1]);
      }
    }
  }
}

TEST(FoldedRun, GivesHeldChainsAMomentumToo) {
  constexpr std::size_t chains = 20, folds = 5;
  const auto target = std::make_shared<const Bowl>(Bowl::of_dimension(2));
  const auto run = make_run<double, 1, Storage::interleaved>(Meads{.folds = folds}, target, 3, chains);
  run->start({});
  run->advance(1, 1, {}, {});
  const auto& records = run->records();
  const auto momentum = lanes::RecordField<double>(records, "kept_momentum").read(records);
  const auto slice = lanes::RecordField<double>(records, "kept_slice").read(records);
  for (std::size_t c = 0; c < chains; ++c) EXPECT_TRUE(momentum[2 * c] != 0 && slice[c] != 0) << "chain " << c;
}

TEST(FoldedRun, RefusesTooFewChains) {
  const auto target = std::make_shared<const Bowl>(Bowl::of_dimension(2));
  const auto run = make_run<double, 1, Storage::interleaved>(Meads{.folds = 4}, target, 3, 7);
  EXPECT_THROW(run->start({}), breakstep::Error);
}

/// In single precision the JAX versions end with NaN on two of the paper's targets, and on starts that are all the
/// same.
TEST(DegenerateStarts, LeadToNumbers) {
  for (const char* const sampler : {"chees", "meads"}) {
    for (const char* const target : {"predator_prey", "bod_stdnormal_prior", "funnel"}) {
      const auto d = static_cast<std::size_t>(registry::make_target(target, {})->dimension());
      WarmUpOptions options{.draws = 40, .target_accept = 0.651};
      for (const bool all_alike : {false, true}) {
        if (all_alike) {
          options.starts = {.kind = Starts::Kind::given, .scale = 1, .positions = std::vector<double>(d, 0.1)};
        }
        const WarmUp found = tuned<float>(sampler, target, 16, options);
        EXPECT_TRUE(found.tuning.step_size > 0 && std::isfinite(found.tuning.step_size)) << sampler << " " << target;
        for (const auto& [name, value] : found.tuning.parameters)
          EXPECT_TRUE(value > 0 && std::isfinite(value)) << name;
        for (const double sd : found.tuning.metric.sd) EXPECT_TRUE(sd > 0 && std::isfinite(sd));
        for (const double x : found.positions) EXPECT_TRUE(std::isfinite(x));
      }
    }
  }
}

TEST(DegenerateStarts, StopWithWordsWhereThereIsNoDensity) {
  for (const char* const sampler : {"chees", "meads"}) {
    WarmUpOptions options{.draws = 40, .target_accept = 0.651};
    options.starts = {.kind = Starts::Kind::given, .scale = 1, .positions = std::vector<double>(10, 1e30)};
    EXPECT_THROW(tuned<float>(sampler, "funnel", 16, options), breakstep::Error);
  }
}

TEST(CheesWarmUp, RefusesOneChain) {
  EXPECT_THROW(tuned<double>("chees", "banana", 1, {.draws = 40, .target_accept = 0.651}), breakstep::Error);
}

}  // namespace
