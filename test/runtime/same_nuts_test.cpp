// The samplers that ask for gradients: the same draws in every way of running.
#include "../support/bowl.hpp"
#include "breakstep/sampler/nuts.hpp"
#include "breakstep/target/mixture_dense.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::Nuts;
using test_support::Bowl;

TEST(Same, Nuts) {
  check_every_way_of_running<float>(Nuts{.step_size = 0.15, .max_depth = 5}, Bowl::of_dimension(3));
  check_every_way_of_running<double>(Nuts{.step_size = 0.15, .max_depth = 5}, Bowl::of_dimension(19));
  check_every_way_of_running<float>(Nuts{.step_size = 0.1, .max_depth = 6, .stan_criterion = true},
                                    Bowl::of_dimension(3));
  check_every_way_of_running<double>(Nuts{.step_size = 0.05, .max_depth = 6, .stan_criterion = true},
                                     Bowl::of_dimension(19));
  check_stopping_and_going_on<double>(Nuts{.step_size = 0.2, .max_depth = 4}, Bowl::of_dimension(2), 40);
}

TEST(Same, NutsOnADensityThatReadsRows) {
  static_assert(target::ReadsRows<target::MixtureCodeDense>);
  check_every_way_of_running<float>(Nuts{.step_size = 0.05, .max_depth = 5}, target::MixtureCodeDense(19));
  check_every_way_of_running<double>(Nuts{.step_size = 0.05, .max_depth = 5}, target::MixtureCodeDense(9));
}

TEST(Same, NutsOnADensityThatTakesTwoPacks) {
  using test_support::PairedBowl;
  static_assert(target::TakesTwo<PairedBowl>);
  const auto bowl = PairedBowl::of_dimension(5);
  check_every_way_of_running<float>(Nuts{.step_size = 0.2, .max_depth = 4}, bowl);
  EXPECT_GT(*bowl.pairs, 0U);
  check_stopping_and_going_on<double>(Nuts{.step_size = 0.2, .max_depth = 4}, PairedBowl::of_dimension(3), 40);
}

TEST(Same, NutsWithDivergencesAndWithoutDoublings) {
  check_every_way_of_running<float>(Nuts{.step_size = 0.9, .max_depth = 5, .max_energy_error = 3},
                                    Bowl::of_dimension(4));
  check_every_way_of_running<double>(Nuts{.step_size = 0.1, .max_depth = 0}, Bowl::of_dimension(2));
}

}  // namespace
