// Elliptical slice: the same draws in every way of running, with identity and dense priors and a target that needs
// memory.
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/gp_regression.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::EllipticalSlice;

/// A likelihood with a prior that has a mean and correlations, so that the map does something.
struct CorrelatedPrior {
  static int dimension() { return 2; }
  static target::GaussianPrior prior() { return {.mean = {1.0, -2.0}, .sd = {}, .covariance = {2.0, 0.6, 0.6, 0.5}}; }
  template <class Real, int W>
  lanes::Pack<Real, W> log_likelihood(const lanes::InterleavedVector<Real, W>& x, Real*) const {
    return Real(-2) * (x[0] * x[0] + abs(x[1]));
  }
};

TEST(Same, EllipticalSlice) {
  check_every_way_of_running<float>(EllipticalSlice{}, target::GaussianLikelihood{});
  check_every_way_of_running<double>(EllipticalSlice{}, target::GaussianLikelihood{});
  check_stopping_and_going_on<float>(EllipticalSlice{}, target::GaussianLikelihood{}, 40);
}

TEST(Same, EllipticalSliceWithACorrelatedPrior) {
  check_every_way_of_running<double>(EllipticalSlice{}, CorrelatedPrior{});
  check_stopping_and_going_on<double>(EllipticalSlice{}, CorrelatedPrior{}, 40);
}

TEST(Same, EllipticalSliceOnAGaussianProcess) {
  const auto gp = target::GpRegression::synthetic(11);
  const auto reference = one_chain_at_a_time<float>(EllipticalSlice{}, gp);
  for (const int width : widths) {
    const auto run = make_run<float>(EllipticalSlice{}, gp, width, Storage::interleaved, chains, seed);
    ASSERT_EQ(difference(run_to_the_end(*run, {.threads = 2}), reference, 3), "") << width;
  }
}

}  // namespace
