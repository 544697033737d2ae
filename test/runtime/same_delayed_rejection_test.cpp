// Delayed rejection in its three forms: the same draws in every way of running, and in every form.
#include "breakstep/sampler/delayed_rejection.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using namespace breakstep::sampler;

// A small scale and few tries, so that limits are reached and loops differ in length.
template <class Sampler>
void check_form() {
  const Sampler sampler{.scale = 0.3, .max_tries = 20};
  check_every_way_of_running<float>(sampler, target::StandardNormal{1});
  check_every_way_of_running<double>(sampler, target::StandardNormal{3});
  check_stopping_and_going_on<double>(sampler, target::StandardNormal{2}, 40);
  check_stopping_and_going_on<float>(sampler, target::StandardNormal{1}, 40);  // draws of one coordinate are logged
}

TEST(Same, DelayedRejection) { check_form<DelayedRejection>(); }
TEST(Same, DelayedRejectionCondensed) { check_form<DelayedRejectionCondensed>(); }
TEST(Same, DelayedRejectionUnrolled) { check_form<DelayedRejectionUnrolled>(); }

TEST(Same, TheThreeFormsOfDelayedRejectionAgree) {
  const target::StandardNormal normal{5};
  const auto three = one_chain_at_a_time<double>(DelayedRejection{.scale = 0.4}, normal);
  EXPECT_EQ(difference(one_chain_at_a_time<double>(DelayedRejectionCondensed{.scale = 0.4}, normal), three, 5), "");
  EXPECT_EQ(difference(one_chain_at_a_time<double>(DelayedRejectionUnrolled{.scale = 0.4}, normal), three, 5), "");
}

TEST(Same, TheCheckNoticesAnotherSeed) {
  const auto a = make_run<double>(DelayedRejection{}, target::StandardNormal{1}, 4, Storage::interleaved, chains, seed);
  const auto b =
      make_run<double>(DelayedRejection{}, target::StandardNormal{1}, 4, Storage::interleaved, chains, seed + 1);
  EXPECT_NE(difference(run_to_the_end(*a, {}), run_to_the_end(*b, {}), 1), "");
}

}  // namespace
