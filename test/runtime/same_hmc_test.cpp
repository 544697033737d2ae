// Hamiltonian Monte Carlo and the Langevin sampler: the same draws in every way of running.
#include "../support/bowl.hpp"
#include "breakstep/sampler/hmc.hpp"
#include "breakstep/sampler/mala.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::Hmc;
using sampler::Mala;
using test_support::Bowl;

TEST(Same, Hmc) {
  check_every_way_of_running<float>(Hmc{.step_size = 0.1, .steps = 5}, Bowl::of_dimension(3));
  check_every_way_of_running<double>(Hmc{.step_size = 0.15, .steps = 7, .jitter = 1.0}, Bowl::of_dimension(17));
  check_stopping_and_going_on<float>(Hmc{.step_size = 0.15, .steps = 6, .jitter = 0.5}, Bowl::of_dimension(2), 40);
}

TEST(Same, Mala) {
  check_every_way_of_running<float>(Mala{.step_size = 0.1}, Bowl::of_dimension(18));
  check_every_way_of_running<double>(Mala{.step_size = 0.15}, Bowl::of_dimension(3));
  check_stopping_and_going_on<double>(Mala{.step_size = 0.1}, Bowl::of_dimension(2), 40);
}

}  // namespace
