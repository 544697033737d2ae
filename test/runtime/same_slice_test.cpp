// Slice sampling in both forms, along directions and coordinates: the same draws in every way of running.
#include "breakstep/sampler/slice.hpp"
#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::Line;
using sampler::Slice;
using sampler::SliceTwoLoops;

TEST(Same, Slice) {
  check_every_way_of_running<float>(Slice{.width = 0.7, .max_steps = 6}, target::LogGamma{.size = 2});
  check_every_way_of_running<double>(Slice{.width = 0.7, .line = Line::coordinate}, target::StandardNormal{3});
  check_stopping_and_going_on<double>(Slice{.width = 0.5}, target::StandardNormal{2}, 40);
}

TEST(Same, SliceTwoLoops) {
  check_every_way_of_running<double>(SliceTwoLoops{.width = 0.7, .max_steps = 6}, target::StandardNormal{2});
  check_stopping_and_going_on<float>(SliceTwoLoops{.width = 0.5}, target::LogGamma{.size = 2}, 40);
}

TEST(Same, TheTwoFormsOfSliceAgree) {
  const target::StandardNormal normal{4};
  EXPECT_EQ(difference(one_chain_at_a_time<double>(SliceTwoLoops{.width = 0.6}, normal),
                       one_chain_at_a_time<double>(Slice{.width = 0.6}, normal), 4),
            "");
}

}  // namespace
