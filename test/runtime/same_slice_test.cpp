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

/// A narrow bracket is nearly always inside the slice: one draw in fifty has to shrink it, and at that block few lanes
/// meet. What shows that they are not left there is that nobody runs far ahead while the last one arrives. If nobody
/// saw to it, the fastest would be 131 draws ahead at two lanes and 389 at four or more.
TEST(FreeRunning, NobodyFallsBehindAtARareBlock) {
  for (const int parking : {1, 2, 4, 8, 16}) {
    const auto run =
        make_run<float>(Slice{.width = 0.02, .max_steps = 4}, target::StandardNormal{1}, 8, Storage::interleaved, 8, 1);
    run->start({});
    run->advance(100, 100'000, {}, {.step = Step::gathered, .parking = parking});
    std::uint32_t furthest = 0;
    for (std::size_t c = 0; c < 8; ++c) furthest = std::max(furthest, run->records().draws(c));
    EXPECT_LT(furthest, 150U) << "waiting for " << parking;
  }
}

}  // namespace
