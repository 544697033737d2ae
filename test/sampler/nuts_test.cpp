// NUTS: moments against known answers, trajectories against BlackJAX's, and broken variants that these tests reject.
#include "breakstep/sampler/nuts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../support/bowl.hpp"
#include "breakstep/lanes/math.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using lanes::InterleavedVector;
using lanes::Mask;
using lanes::Pack;
using sampler::Nuts;
using test_support::Bowl;

/// A mean over stationary chains with its standard error.
struct Estimate {
  double mean, error;
};
/// Leapfrog steps per draw, acceptance statistic, and the share of draws with at most 1, 3, 7, … steps.
struct NutsReference {
  Estimate steps, acceptance;
  std::array<Estimate, 7> at_most;
};
#include "nuts_references.hpp"

/// The equal mixture of N(±5·1, Σ/2), Σ = 0.01·I + 0.99·11ᵀ, in 100 dimensions.
struct Mixture {
  [[nodiscard]] static int dimension() { return 100; }
  template <class Real, int W>
  [[nodiscard]] static std::size_t workspace() {
    return InterleavedVector<Real, W>::elements(dimension());
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return log_density_and_gradient<Real, W>(x, InterleavedVector<Real, W>(workspace, dimension()), nullptr);
  }
  template <class Real, int W>
  Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& g,
                                         Real*) const {
    using P = Pack<Real, W>;
    constexpr double rho = 0.99;
    const int d = dimension();
    const P mean = sum(Mask<W>::all_lanes(), x) * P(static_cast<Real>(1.0 / d));
    P within(Real(0));
    for (int i = 0; i < d; ++i) within = fma(x[i] - mean, x[i] - mean, within);
    const P a(static_cast<Real>(1 / (1 - rho))), b(static_cast<Real>(d / (1 - rho + d * rho)));
    const P above = mean - Real(5), below = mean + Real(5);
    const P q_above = fma(b * above, above, within * a), q_below = fma(b * below, below, within * a);
    const P value = logaddexp(-q_above, -q_below);
    const P share = exp(-q_above - value);
    const P along = (share * above + (Real(1) - share) * below) * b * P(static_cast<Real>(-2.0 / d));
    for (int i = 0; i < d; ++i) g.store(i, fma(a * Real(-2), x[i] - mean, along));
    return value;
  }
};

constexpr std::size_t many = 4096;

/// Independent standard normals for exact starts.
double normal(std::uint64_t chain, std::uint64_t index) {
  return lanes::Stream<double, 1>(99, chain, std::uint64_t{0}).normals(index, 5)[0][0];
}
std::vector<double> exact_starts(const Bowl& bowl) {
  std::vector<double> x;
  for (std::size_t c = 0; c < many; ++c) {
    for (std::size_t i = 0; i < bowl.scales.size(); ++i) x.push_back(bowl.scales[i] * normal(c, i));
  }
  return x;
}
std::vector<double> exact_starts(const Mixture&) {
  std::vector<double> x;
  for (std::size_t c = 0; c < many; ++c) {
    const double shared = std::sqrt(0.99) * normal(c, 200), mode = normal(c, 201) > 0 ? 5 : -5;
    for (std::size_t i = 0; i < 100; ++i) x.push_back(mode + (shared + 0.1 * normal(c, i)) * std::sqrt(0.5));
  }
  return x;
}

/// The largest |z| between the trajectories of `nuts` and the reference, with the errors of both.
template <class Sampler, class Target>
double worst_against(const NutsReference& reference, const Sampler& nuts, const Target& target) {
  constexpr std::uint32_t draws = 8;
  runtime::Starts starts{.kind = runtime::Starts::Kind::given, .positions = exact_starts(target)};
  const auto result = sample(nuts, target, {.chains = many, .draws = draws, .seed = 3, .threads = 0, .starts = starts});
  const std::size_t width = result.fact_names.size();
  const auto mean_of = [&](auto f) {
    double total = 0, squares = 0;
    for (std::size_t c = 0; c < many; ++c) {
      double mean = 0;
      for (std::size_t t = 0; t < draws; ++t) mean += f(result.draw_facts.data() + (c * draws + t) * width) / draws;
      total += mean;
      squares += mean * mean;
    }
    const double average = total / many;
    return Estimate{average, std::sqrt((squares / many - average * average) / (many - 1))};
  };
  double worst = 0;
  const auto compare = [&](const Estimate& theirs, const Estimate& ours) {
    const double error = std::hypot(ours.error, theirs.error);
    if (error > 0) worst = std::max(worst, std::fabs(ours.mean - theirs.mean) / error);
    if (error == 0 && ours.mean != theirs.mean) worst = INFINITY;
  };
  compare(reference.steps, mean_of([](const double* fact) { return fact[3]; }));
  compare(reference.acceptance, mean_of([](const double* fact) { return fact[5]; }));
  for (std::size_t k = 0; k < reference.at_most.size(); ++k) {
    const double bound = std::exp2(static_cast<double>(k + 1)) - 1;
    compare(reference.at_most[k], mean_of([bound](const double* fact) { return fact[3] <= bound ? 1.0 : 0.0; }));
  }
  return worst;
}

/// From far starts to known moments.
template <class Sampler>
double worst_moment(const Sampler& nuts, const runtime::SampleOptions& extra = {}) {
  const Bowl bowl{{0.2, 1.0, 3.0}};
  runtime::SampleOptions options = extra;
  options.chains = many;
  options.draws = 60;
  options.seed = 11;
  options.threads = 0;
  const auto draws = sample(nuts, bowl, options);
  std::vector<Known> known;
  for (std::size_t i = 0; i < 3; ++i) {
    const double s = bowl.scales[i];
    known.push_back({"mean", 0, [i](const double* x) { return x[i]; }});
    known.push_back({"variance", s * s, [i](const double* x) { return x[i] * x[i]; }});
    known.push_back({"upper tail", 0.5 * std::erfc(1.5 / std::sqrt(2.0)),
                     [i, s](const double* x) { return x[i] > 1.5 * s ? 1.0 : 0.0; }});
  }
  known.push_back({"covariance", 0, [](const double* x) { return x[0] * x[1]; }});
  return worst_z(draws, 30, known);
}

TEST(Nuts, MomentsOfIndependentNormals) { EXPECT_LT(worst_moment(Nuts{.step_size = 0.2}), limit); }

TEST(Nuts, MoreDoublingsThanCanBeCountedAreRefused) {
  EXPECT_EQ(Nuts{.max_depth = 30}.rows(), 30);
  EXPECT_THROW(static_cast<void>(Nuts{.max_depth = 31}.rows()), breakstep::Error);
}

TEST(Nuts, MomentsDoNotDependOnTheMetric) {
  EXPECT_LT(worst_moment(Nuts{.step_size = 0.6}, {.metric = {.sd = {0.2, 1.0, 3.0}}}), limit);
  EXPECT_LT(worst_moment(Nuts{.step_size = 0.3}, {.metric = {.covariance = {0.1, 0.05, 0, 0.05, 1, 0.3, 0, 0.3, 5}}}),
            limit);
}

TEST(Nuts, TrajectoriesAgreeWithBlackJax) {
  EXPECT_LT(worst_against(scaled_normal_step_0_12, Nuts{.step_size = 0.12}, Bowl::of_dimension(10)), limit);
  EXPECT_LT(worst_against(mixture_step_0_0316, Nuts{.step_size = 0.01 * std::sqrt(10.0)}, Mixture{}), limit);
}

/// Replaces one block of the program.
template <class Init, class Grow>
struct Broken : Nuts {
  static constexpr auto program = fsm::program(
      fsm::block("init", Init::block),
      fsm::loop(Nuts::expanding, fsm::block("double", Nuts::begin_doubling),
                fsm::repeat(fsm::block("integrate", Nuts::integrate, fsm::density, Grow::block), Nuts::incomplete),
                fsm::block("check", Nuts::check)),
      fsm::block("done", Nuts::done));
};
struct GoodInit {
  static constexpr auto block = Nuts::init;
};
struct GoodGrow {
  static constexpr auto block = Nuts::grow;
};

/// Only the ends of the whole trajectory are checked, as in the paper's code.
struct NoSubTrees {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto before = s.stopped;
    Nuts::grow(chains, where);
    s.stopped = before | (where & s.divergent);
  };
};
/// The momentum is drawn once per chain.
struct OldMomentum {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto later = where & (chains.draw != decltype(chains.draw)(0U)).mask();
    assign(where, s.doubling_sum, s.momentum);
    Nuts::init(chains, where);
    assign(later, s.momentum, s.doubling_sum);
    assign(later, s.other_momentum, s.doubling_sum);
    assign(later, s.momentum_sum, s.doubling_sum);
    assign(later, s.first_energy, dot(later, s.momentum_sum, s.momentum_sum) * 0.5 - s.log_density);
  };
};
/// The momentum is half as large as the energy takes it to be: a metric used on one side only.
struct WrongMetric {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    Nuts::init(chains, where);
    scale(where, s.momentum, 0.5);
    assign(where, s.other_momentum, s.momentum);
    assign(where, s.momentum_sum, s.momentum);
    assign(where, s.first_energy, dot(where, s.momentum_sum, s.momentum_sum) * 0.5 - s.log_density);
  };
};
/// The acceptance statistic is carried from draw to draw.
struct AcceptanceNeverReset {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto before = s.acceptance;
    Nuts::init(chains, where);
    assign(where, s.acceptance, before);
  };
};

TEST(Nuts, BrokenSubTreesNotChecked) {
  EXPECT_GT(
      worst_against(scaled_normal_step_0_12, Broken<GoodInit, NoSubTrees>{{.step_size = 0.12}}, Bowl::of_dimension(10)),
      limit);
}
TEST(Nuts, BrokenAcceptanceNeverReset) {
  EXPECT_GT(worst_against(scaled_normal_step_0_12, Broken<AcceptanceNeverReset, GoodGrow>{{.step_size = 0.12}},
                          Bowl::of_dimension(10)),
            limit);
}
TEST(Nuts, BrokenMomentumNotRefreshed) {
  EXPECT_GT(worst_moment(Broken<OldMomentum, GoodGrow>{{.step_size = 0.2}}), limit);
}
TEST(Nuts, BrokenMomentumFromAnotherMetric) {
  EXPECT_GT(worst_moment(Broken<WrongMetric, GoodGrow>{{.step_size = 0.2}}), limit);
}

TEST(Nuts, ReportsDivergencesAndDepth) {
  const auto wild =
      sample(Nuts{.step_size = 30.0}, Bowl{{1.0, 1.0}}, {.chains = 64, .draws = 20, .seed = 1, .threads = 1});
  EXPECT_EQ(wild.facts.events, 64U * 20U);
  const auto shallow =
      sample(Nuts{.step_size = 0.001, .max_depth = 3}, Bowl{{1.0, 1.0}}, {.chains = 64, .draws = 20, .seed = 1});
  for (std::size_t i = 0; i < 64U * 20U; ++i) {
    EXPECT_EQ(shallow.draw_facts[i * 7 + 2], 3.0);
    EXPECT_EQ(shallow.draw_facts[i * 7 + 3], 7.0);
  }
}

/// Stan 2.35's leapfrogs per draw on the mixture, as `make peers` measures them: 512 chains of 600 draws from exact
/// starts, whose error is below 0.02. The other criterion takes 12.
TEST(Nuts, TakesStansStepsWithStansCriterion) {
  const Nuts stan{.step_size = 0.0316, .stan_criterion = true};
  const runtime::Starts starts{.kind = runtime::Starts::Kind::given, .positions = exact_starts(Mixture{})};
  const auto result = sample(stan, Mixture{}, {.chains = many, .draws = 8, .seed = 3, .threads = 0, .starts = starts});
  double sum = 0;
  for (std::size_t i = 3; i < result.draw_facts.size(); i += result.fact_names.size()) sum += result.draw_facts[i];
  const double mean = sum / (8.0 * many);
  EXPECT_NEAR(mean, 7.852, 0.1);  // five times both errors together
  EXPECT_LT(worst_moment(Nuts{.step_size = 0.15, .stan_criterion = true}), 5.0);
}

}  // namespace
