// ChEES and MEADS: the same draws in every way of running.
#include "../support/bowl.hpp"
#include "breakstep/sampler/chees.hpp"
#include "breakstep/sampler/meads.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::Chees;
using sampler::Meads;
using test_support::Bowl;

TEST(Same, Chees) {
  check_every_way_of_running<float>(Chees{.step_size = 0.1, .trajectory = 0.7}, Bowl::of_dimension(3));
  check_every_way_of_running<double>(Chees{.step_size = 0.15, .trajectory = 1.0, .keep_proposals = true},
                                     Bowl::of_dimension(17));
  check_stopping_and_going_on<float>(Chees{.step_size = 0.15, .trajectory = 1.0, .max_steps = 5}, Bowl::of_dimension(2),
                                     40);
}

TEST(Same, MeadsWithFixedParameters) {
  check_every_way_of_running<float>(Meads{.step_size = 0.12, .damping = 0.3}, Bowl::of_dimension(18));
  check_stopping_and_going_on<double>(Meads{.step_size = 0.15, .damping = 0.1}, Bowl::of_dimension(2), 40);
}

TEST(Same, MeadsInFolds) {
  check_every_way_of_running<double>(Meads{.folds = 4}, Bowl::of_dimension(3));
  check_every_way_of_running<float>(Meads{.folds = 3}, Bowl::of_dimension(17));
  check_stopping_and_going_on<float>(Meads{.folds = 5}, Bowl::of_dimension(2), 40);
}

}  // namespace
