// Calibration: right samplers and targets stay inside the bands, six that are broken on purpose leave them.
#include "breakstep/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "../support/careless_hmc.hpp"
#include "breakstep/diagnostics/uniform_ranks.hpp"
#include "breakstep/error.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/sampler/hmc.hpp"
#include "breakstep/sampler/slice.hpp"
#include "breakstep/target/gaussian_likelihood.hpp"
#include "registry/target_of.hpp"

namespace {

using namespace breakstep;
using sampler::EllipticalSlice;
using sampler::Hmc;
using sampler::SliceTwoLoops;
using target::GaussianLikelihood;

/// A sampler of any type for the one width and storage that these tests run.
template <class Sampler>
class OneWidth final : public registry::AnySampler {
 public:
  explicit OneWidth(Sampler sampler) : sampler_(sampler) {}

  [[nodiscard]] target::Asks asks() const override { return Sampler::asks; }
  [[nodiscard]] std::vector<registry::Parameter> parameters() const override { return {}; }
  void set(std::string_view, double) override {}
  [[nodiscard]] PackPtr<float, 1> pack(registry::OneFloat, lanes::Storage, std::uint64_t,
                                       const target::AffineMap<float>&) const override {
    throw std::logic_error("not compiled");
  }
  [[nodiscard]] PackPtr<double, 1> pack(registry::OneDouble, lanes::Storage, std::uint64_t,
                                        const target::AffineMap<double>&) const override {
    throw std::logic_error("not compiled");
  }
  [[nodiscard]] PackPtr<float, lanes::native_width<float>> pack(registry::Floats, lanes::Storage, std::uint64_t,
                                                                const target::AffineMap<float>&) const override {
    throw std::logic_error("not compiled");
  }
  [[nodiscard]] PackPtr<double, lanes::native_width<double>> pack(registry::Doubles, lanes::Storage, std::uint64_t seed,
                                                                  const target::AffineMap<double>& map) const override {
    using Pack = runtime::SamplerPack<Sampler, double, lanes::native_width<double>, lanes::Storage::interleaved>;
    return std::make_unique<Pack>(sampler_, seed, map);
  }

 private:
  Sampler sampler_;
};

struct Verdict {
  std::vector<std::string> outside;  ///< names of quantities
  double least_worth = 1;
};

/// A right sampler on a right target has a quantity outside once in 100 seeds; the seed is fixed, so what passes once
/// passes always.
template <class Sampler, class Target>
Verdict verdict(const Sampler& sampler, const Target& subject, std::uint32_t thin) {
  constexpr double false_alarm = 0.01;
  const calibration::Options options{.replicates = 300,
                                     .draws = 49,
                                     .thin = thin,
                                     .warm_up = {.draws = 10 * thin},
                                     .tuning = runtime::Tuning{},
                                     .seed = 4};
  const registry::TargetOf<Target> erased(subject);
  const auto ranks =
      calibration::calibrate<double>([&] { return std::make_unique<OneWidth<Sampler>>(sampler); }, erased, options);
  const diagnostics::UniformRanks uniform(options.replicates, options.draws);
  const auto band = uniform.band(false_alarm / static_cast<double>(ranks.names.size()));
  Verdict result;
  for (std::size_t q = 0; q < ranks.names.size(); ++q) {
    if (!uniform.check(ranks.counts[q], band).is_inside) result.outside.push_back(ranks.names[q]);
    result.least_worth = std::min(result.least_worth, ranks.worth[q]);
  }
  return result;
}

using Names = std::vector<std::string>;

/// Data of one unknown scale: y ~ N(0, s²) six times, s ~ exponential(1), coordinate log s.
template <bool HasJacobian>
struct Scale {
  std::array<double, 6> y = {};

  [[nodiscard]] static int dimension() { return 1; }
  [[nodiscard]] static target::Parameters parameters() { return {target::positive("s")}; }
  [[nodiscard]] static std::vector<double> draw_prior(target::Synthetic& random) {
    return {std::log(-std::log(random.uniform()))};
  }
  [[nodiscard]] static Scale with_simulated_data(const std::vector<double>& x, target::Synthetic& random) {
    Scale simulated;
    for (double& one : simulated.y) one = std::exp(x[0]) * random.normal();
    return simulated;
  }
  template <class Real, int W>
  [[nodiscard]] lanes::Pack<Real, W> log_density(const lanes::InterleavedVector<Real, W>& x, Real*) const {
    const auto precision = exp(Real(-2) * x[0]);
    lanes::Pack<Real, W> sum(Real(0));
    for (const double one : y) sum = sum - Real(0.5 * one * one) * precision - x[0];
    return sum - exp(x[0]) + (HasJacobian ? x[0] : lanes::Pack<Real, W>(Real(0)));
  }
};

const Hmc hmc{.step_size = 0.35, .steps = 3};
const SliceTwoLoops slice{.width = 0.5};

TEST(Calibration, RightSamplersAreInside) {
  for (const auto& result : {verdict(hmc, GaussianLikelihood{}, 2), verdict(EllipticalSlice{}, GaussianLikelihood{}, 5),
                             verdict(slice, GaussianLikelihood{}, 10), verdict(slice, Scale<true>{}, 3)}) {
    EXPECT_EQ(result.outside, Names{});
    EXPECT_GT(result.least_worth, 0.5);
  }
}

TEST(Calibration, BrokenNothingRejected) {
  EXPECT_GE(verdict(test_support::CarelessHmc{hmc}, GaussianLikelihood{}, 2).outside.size(), 3U);
}

/// Takes the first point of the ellipse, whatever its likelihood: draws from the prior. The ranks of parameters are
/// uniform then; only the log density sees the data.
struct CarelessEllipticalSlice : EllipticalSlice {
  static constexpr auto program =
      fsm::program(fsm::block("init", EllipticalSlice::init, fsm::density), fsm::block("done", EllipticalSlice::done));
};
TEST(Calibration, BrokenDataIgnored) {
  EXPECT_EQ(verdict(CarelessEllipticalSlice{}, GaussianLikelihood{}, 5).outside, Names{"log_density"});
}

/// The level of the slice is half as far below the density as it should be: draws from the square of the density.
struct ShallowSlice : SliceTwoLoops {
  static constexpr auto program = fsm::program(
      fsm::block("init_e",
                 [](auto& chains, auto where) {
                   auto& s = chains.state;
                   SliceTwoLoops::init_expansion(chains, where);
                   assign(where, s.threshold, (s.threshold + s.log_density) * 0.5);
                 }),
      fsm::loop(SliceTwoLoops::lower_is_open,
                fsm::block("expand_lower", SliceTwoLoops::ask_lower, fsm::density, SliceTwoLoops::step_lower)),
      fsm::loop(SliceTwoLoops::upper_is_open,
                fsm::block("expand_upper", SliceTwoLoops::ask_upper, fsm::density, SliceTwoLoops::step_upper)),
      fsm::block("init_s", SliceTwoLoops::init_shrinkage, fsm::density),
      fsm::loop(SliceTwoLoops::rejected, fsm::block("shrink", SliceTwoLoops::shrink, fsm::density)),
      fsm::block("done", SliceTwoLoops::done));
};
TEST(Calibration, BrokenLevelTooHigh) {
  EXPECT_EQ(verdict(ShallowSlice{slice}, Scale<true>{}, 3).outside, (Names{"s", "log_density"}));
}

/// A likelihood that is raised to a power.
template <int Percent>
struct Tempered : GaussianLikelihood {
  [[nodiscard]] Tempered with_simulated_data(const std::vector<double>& x, target::Synthetic& random) const {
    return {GaussianLikelihood::with_simulated_data(x, random)};
  }
  template <class Real, int W>
  [[nodiscard]] lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real* workspace) const {
    return GaussianLikelihood::log_likelihood<Real, W>(x, workspace) * Real(0.01 * Percent);
  }
};
TEST(Calibration, BrokenLikelihoodOffByAFactor) {
  EXPECT_EQ(verdict(EllipticalSlice{}, Tempered<100>{}, 5).outside, Names{});
  EXPECT_GE(verdict(EllipticalSlice{}, Tempered<60>{}, 5).outside.size(), 2U);
}

/// A likelihood that already contains the prior, as in the paper's code for the Gaussian process.
struct PriorCountedTwice : GaussianLikelihood {
  [[nodiscard]] PriorCountedTwice with_simulated_data(const std::vector<double>& x, target::Synthetic& random) const {
    return {GaussianLikelihood::with_simulated_data(x, random)};
  }
  template <class Real, int W>
  [[nodiscard]] lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real* workspace) const {
    return GaussianLikelihood::log_likelihood<Real, W>(x, workspace) -
           Real(0.5) * dot(lanes::Mask<W>::all_lanes(), x, x);
  }
};
TEST(Calibration, BrokenPriorCountedTwice) {
  // With measurements as vague as the prior it matters most.
  EXPECT_EQ(verdict(EllipticalSlice{}, GaussianLikelihood{.noise = 1}, 5).outside, Names{});
  EXPECT_GE(verdict(EllipticalSlice{}, PriorCountedTwice{{.noise = 1}}, 5).outside.size(), 3U);
}

TEST(Calibration, BrokenJacobianMissing) { EXPECT_EQ(verdict(slice, Scale<false>{}, 3).outside, Names{"s"}); }

TEST(Calibration, RanksDoNotDependOnThreads) {
  const auto schools = registry::make_target("eight_schools_noncentred", {});
  const auto make_sampler = [] { return registry::make_sampler("nuts"); };
  calibration::Options options{.replicates = 12, .chains = 3, .draws = 10, .thin = 2, .warm_up = {.draws = 60}};
  const auto alone = calibration::calibrate<double>(make_sampler, *schools, options);
  options.threads = 3;
  EXPECT_EQ(calibration::calibrate<double>(make_sampler, *schools, options).counts, alone.counts);
  options.seed = 2;
  EXPECT_NE(calibration::calibrate<double>(make_sampler, *schools, options).counts, alone.counts);
  options.tuning = calibration::first_tuning<float>(make_sampler, *schools, options);
  EXPECT_GT(options.tuning->step_size, 0);
  for (const auto& counts : calibration::calibrate<float>(make_sampler, *schools, options).counts) {
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 12U);
  }
}

TEST(Calibration, RefusesTargetsThatCannotSimulate) {
  const auto funnel = registry::make_target("funnel", {});
  EXPECT_THROW(calibration::calibrate<double>([] { return registry::make_sampler("slice"); }, *funnel, {}), Error);
}

}  // namespace
