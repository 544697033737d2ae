// Elliptical slice: right moments under several priors, and the same check rejects kernels broken on purpose.
#include "breakstep/sampler/elliptical_slice.hpp"

#include <gtest/gtest.h>

#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::EllipticalSlice;

const runtime::SampleOptions job{.chains = 4096, .draws = 150, .seed = 21};
constexpr std::uint32_t burn_in = 50;

std::vector<Known> posterior_moments() {
  const target::GaussianLikelihood t;
  return normal_moments({t.mean(0), t.mean(1), t.mean(2)}, t.variance());
}

TEST(EllipticalSlice, MomentsOfTheConjugateNormal) {
  EXPECT_LT(worst_z(sample(EllipticalSlice{}, target::GaussianLikelihood{}, job), burn_in, posterior_moments()), limit);
}

/// x ~ N(mean, covariance), y = x_0 + N(0, s²) observed: the posterior by the usual formulas, in two dimensions.
struct Measured {
  target::GaussianPrior p;
  double y = 1.5, s = 0.5;
  static int dimension() { return 2; }
  [[nodiscard]] target::GaussianPrior prior() const { return p; }
  template <class Real, int W>
  lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real*) const {
    const auto r = (x[0] - static_cast<Real>(y)) * static_cast<Real>(1 / s);
    return Real(-0.5) * r * r;
  }
  /// Means and variances of the posterior for prior variances a, b and covariance c.
  [[nodiscard]] std::vector<Known> moments(double m0, double m1, double a, double b, double c) const {
    const double gain0 = a / (a + s * s), gain1 = c / (a + s * s);
    const double mean0 = m0 + gain0 * (y - m0), mean1 = m1 + gain1 * (y - m0);
    return {{"mean 0", mean0, [](const double* x) { return x[0]; }},
            {"mean 1", mean1, [](const double* x) { return x[1]; }},
            {"variance 0", a - gain0 * a, [mean0](const double* x) { return (x[0] - mean0) * (x[0] - mean0); }},
            {"variance 1", b - gain1 * c, [mean1](const double* x) { return (x[1] - mean1) * (x[1] - mean1); }},
            {"covariance", c - gain0 * c, [=](const double* x) { return (x[0] - mean0) * (x[1] - mean1); }}};
  }
};

TEST(EllipticalSlice, MomentsUnderIdentityDiagonalAndDensePriors) {
  const Measured identity{{}}, diagonal{{.mean = {0.5, -1.0}, .sd = {2.0, 0.3}, .covariance = {}}},
      dense{{.mean = {0.5, -1.0}, .sd = {}, .covariance = {2.0, 0.8, 0.8, 0.5}}};
  EXPECT_LT(worst_z(sample(EllipticalSlice{}, identity, job), burn_in, identity.moments(0, 0, 1, 1, 0)), limit);
  EXPECT_LT(worst_z(sample(EllipticalSlice{}, diagonal, job), burn_in, diagonal.moments(0.5, -1, 4, 0.09, 0)), limit);
  EXPECT_LT(worst_z(sample(EllipticalSlice{}, dense, job), burn_in, dense.moments(0.5, -1, 2, 0.5, 0.8)), limit);
}

TEST(EllipticalSlice, TheDensityOfATargetWithAPriorIncludesIt) {
  const Measured dense{{.mean = {0.5, -1.0}, .sd = {}, .covariance = {2.0, 0.8, 0.8, 0.5}}};
  const auto density = target::make_density<double, 1>(std::make_shared<const Measured>(dense), target::Asks::density);
  const auto workspace = lanes::aligned_zeros<double>(density->workspace());
  const auto at = [&](double a, double b) {
    const auto memory = lanes::aligned_zeros<double>(2);
    memory[0] = a;
    memory[1] = b;
    return density->evaluate({memory.get(), 2}, workspace.get())[0];
  };
  const auto by_hand = [](double a, double b) {
    const double u = a - 0.5, v = b + 1, det = 2.0 * 0.5 - 0.64, r = (a - 1.5) / 0.5;
    return -0.5 * (0.5 * u * u - 1.6 * u * v + 2.0 * v * v) / det - 0.5 * r * r;
  };
  EXPECT_NEAR(at(1, 2) - at(0, 0), by_hand(1, 2) - by_hand(0, 0), 1e-12);
}

TEST(EllipticalSlice, ATargetWithoutAPriorIsRefused) {
  try {
    sample(EllipticalSlice{}, target::StandardNormal{2}, job);
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Gaussian prior"), std::string::npos);
  }
}

/// Elliptical slice assembled from the real blocks, except for the two given.
template <class Init, class Shrink>
struct Broken {
  int max_shrinks = 200;
  static constexpr auto asks = target::Asks::likelihood;
  template <class Real, int W, lanes::Storage S>
  using State = EllipticalSlice::State<Real, W, S>;
  static constexpr auto program =
      fsm::program(fsm::block("init", Init::block, fsm::density),
                   fsm::loop(EllipticalSlice::rejected, fsm::block("shrink", Shrink::block, fsm::density)),
                   fsm::block("done", EllipticalSlice::done));
};
struct GoodInit {
  static constexpr auto block = EllipticalSlice::init;
};
struct GoodShrink {
  static constexpr auto block = EllipticalSlice::shrink;
};

/// The comparison has the wrong sign: the end on x's far side moves, and x falls out of the bracket.
struct ShrinkTheWrongEnd {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto below = s.angle < std::remove_cvref_t<decltype(s.angle)>(0.0);
    const auto lowest = select(below, s.lowest, s.angle), highest = select(below, s.angle, s.highest);
    EllipticalSlice::shrink(chains, where);
    const auto uniform = chains.stream().uniforms(s.shrinks - 1U, EllipticalSlice::shrinking)[0];
    assign(where, s.lowest, lowest);
    assign(where, s.highest, highest);
    assign(where, s.angle, fma(uniform, highest - lowest, lowest));
    EllipticalSlice::turn(chains, where);
  };
};

/// The first bracket lies beside x instead of around it.
struct BracketBesideX {
  static constexpr auto block = [](auto& chains, auto where) {
    auto& s = chains.state;
    EllipticalSlice::init(chains, where);
    assign(where, s.lowest, s.highest * 0.5);
  };
};

/// A likelihood that already contains the prior, as in the paper's code for the Gaussian process.
struct PriorCountedTwice : target::GaussianLikelihood {
  template <class Real, int W>
  lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real* workspace) const {
    return GaussianLikelihood::log_likelihood<Real, W>(x, workspace) -
           Real(0.5) * dot(lanes::Mask<W>::all_lanes(), x, x);
  }
};

template <class Sampler>
double worst_on_conjugate() {
  return worst_z(sample(Sampler{}, target::GaussianLikelihood{}, job), burn_in, posterior_moments());
}

TEST(EllipticalSlice, TheAssembledSamplerItselfIsRight) {
  EXPECT_LT((worst_on_conjugate<Broken<GoodInit, GoodShrink>>()), limit);
}
TEST(EllipticalSlice, BrokenSignErrorInTheShrink) {
  EXPECT_GT((worst_on_conjugate<Broken<GoodInit, ShrinkTheWrongEnd>>()), limit);
}
TEST(EllipticalSlice, BrokenBracketDoesNotContainX) {
  EXPECT_GT((worst_on_conjugate<Broken<BracketBesideX, GoodShrink>>()), limit);
}
TEST(EllipticalSlice, BrokenPriorCountedTwice) {
  EXPECT_GT(worst_z(sample(EllipticalSlice{}, PriorCountedTwice{}, job), burn_in, posterior_moments()), limit);
}

/// Its likelihood is NaN except at the start, so that no proposal is ever accepted.
struct NaNEverywhereElse {
  static int dimension() { return 1; }
  static target::GaussianPrior prior() { return {}; }
  template <class Real, int W>
  lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real*) const {
    return select(x[0] == lanes::Pack<Real, W>(Real(0.5)), lanes::Pack<Real, W>(Real(0)),
                  std::numeric_limits<Real>::quiet_NaN());
  }
};

TEST(EllipticalSlice, NaNRejectsUntilTheLimitAndTheChainStays) {
  runtime::SampleOptions options{.chains = 9, .draws = 20};
  options.starts = {.kind = runtime::Starts::Kind::given, .positions = {0.5}};
  const auto draws = sample(EllipticalSlice{.max_shrinks = 30}, NaNEverywhereElse{}, options);
  for (const double x : draws.values) EXPECT_EQ(x, 0.5);
  EXPECT_EQ(draws.facts.events, 9U * 20U);
  EXPECT_EQ(draws.facts.bad_starts, 0U);
}

}  // namespace
