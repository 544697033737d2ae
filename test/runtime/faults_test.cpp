// Faults of one chain (a density or gradient that is not a number, a start outside the support) stay that chain's own:
// the draws of all others keep their bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/bowl.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/hmc.hpp"
#include "breakstep/sampler/mala.hpp"
#include "breakstep/sampler/nuts.hpp"

namespace {

using namespace breakstep;
using lanes::InterleavedVector;
using lanes::Pack;
using test_support::Bowl;

enum class Fault { none, nan_gradient, nan_value, minus_infinity, infinite_gradient };

/// A bowl that answers wrongly beyond x[0] = 100, where only a chain that starts there comes.
struct Faulty {
  Fault fault = Fault::none;
  Bowl bowl = Bowl::of_dimension(5);

  [[nodiscard]] int dimension() const { return bowl.dimension(); }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const {
    return with_fault(x, bowl.log_density<Real, W>(x, workspace));
  }
  template <class Real, int W>
  Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                         const InterleavedVector<Real, W>& gradient, Real* workspace) const {
    const auto value = bowl.log_density_and_gradient<Real, W>(x, gradient, workspace);
    using Limits = std::numeric_limits<Real>;
    const auto beyond = x[0] > Pack<Real, W>(Real(100));
    if (fault == Fault::nan_gradient)
      gradient.store(1, select(beyond, Pack<Real, W>(Limits::quiet_NaN()), gradient[1]));
    if (fault == Fault::infinite_gradient)
      gradient.store(1, select(beyond, Pack<Real, W>(Limits::infinity()), gradient[1]));
    return with_fault(x, value);
  }

 private:
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> with_fault(const InterleavedVector<Real, W>& x, Pack<Real, W> value) const {
    using Limits = std::numeric_limits<Real>;
    const auto beyond = x[0] > Pack<Real, W>(Real(100));
    if (fault == Fault::nan_value) return select(beyond, Pack<Real, W>(Limits::quiet_NaN()), value);
    if (fault == Fault::minus_infinity) return select(beyond, Pack<Real, W>(-Limits::infinity()), value);
    return value;
  }
};

constexpr std::size_t chains = 21;
constexpr std::size_t ill = 6;

template <class Sampler>
runtime::Draws<double> draws_of(const Sampler& sampler, Fault fault, lanes::Storage storage, double start,
                                runtime::Schedule schedule = runtime::Schedule::free_running) {
  runtime::Starts starts{.kind = runtime::Starts::Kind::given};
  for (std::size_t c = 0; c < chains; ++c) {
    for (int i = 0; i < 5; ++i) starts.positions.push_back(c == ill ? start : 0.1 * static_cast<double>(c) - 0.03 * i);
  }
  return sample(sampler, Faulty{.fault = fault},
                {.chains = chains,
                 .draws = 30,
                 .seed = 4,
                 .threads = 2,
                 .storage = storage,
                 .starts = starts,
                 .execution = {.schedule = schedule}});
}

template <class Sampler>
void expect_others_untouched(const Sampler& sampler) {
  for (const auto storage : {lanes::Storage::interleaved, lanes::Storage::contiguous}) {
    const auto healthy = draws_of(sampler, Fault::none, storage, 0.5);
    for (const Fault fault : {Fault::nan_gradient, Fault::nan_value, Fault::minus_infinity, Fault::infinite_gradient}) {
      const auto draws = draws_of(sampler, fault, storage, 1000.0);
      for (std::size_t c = 0; c < chains; ++c) {
        if (c == ill) continue;
        for (std::uint32_t t = 0; t < 30; ++t) {
          for (int i = 0; i < 5; ++i) {
            ASSERT_EQ(draws.at(c, t)[i], healthy.at(c, t)[i])
                << "fault " << static_cast<int>(fault) << " chain " << c << " draw " << t;
          }
        }
      }
      EXPECT_EQ(draws.facts.bad_starts, 1U);
      EXPECT_EQ(draws.facts.first_bad_start.at(0), 1000.0);
      EXPECT_FALSE(std::isnan(draws.at(ill, 29)[0])) << "the chain itself stays at its start";
    }
  }
}

TEST(Faults, StayInTheirChain) {
  expect_others_untouched(sampler::Nuts{.step_size = 0.1});
  expect_others_untouched(sampler::Hmc{.step_size = 0.1, .steps = 5});
  expect_others_untouched(sampler::Mala{.step_size = 0.1});
}

/// A chain that starts where the density is 0, but close to where it is not, takes nothing from other chains: its draws
/// are the same however chains are run.
template <class Sampler>
runtime::Draws<double> same_draws_from_outside(const Sampler& sampler) {
  const double start = 100.05;
  auto draws = draws_of(sampler, Fault::minus_infinity, lanes::Storage::interleaved, start);
  for (const auto storage : {lanes::Storage::interleaved, lanes::Storage::contiguous}) {
    for (const auto schedule : {runtime::Schedule::lockstep, runtime::Schedule::lockstep_pack}) {
      EXPECT_EQ(draws_of(sampler, Fault::minus_infinity, storage, start, schedule).values, draws.values);
    }
  }
  EXPECT_EQ(draws.facts.bad_starts, 1U);
  return draws;
}

TEST(Faults, AStartBesideTheSupportIsTheSameInEveryMode) {
  const auto draws = same_draws_from_outside(sampler::Nuts{.step_size = 0.1});
  for (std::uint32_t t = 0; t < 30; ++t) EXPECT_EQ(draws.at(ill, t)[0], 100.05) << "NUTS weighs leaves by their start";
  same_draws_from_outside(sampler::Hmc{.step_size = 0.1, .steps = 5});
  same_draws_from_outside(sampler::Mala{.step_size = 0.1});
}

}  // namespace
