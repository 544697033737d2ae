// Transport elliptical slice: the same draws in every way of running, through flows of every kind.
#include "../support/bowl.hpp"
#include "breakstep/runtime/transported.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/target/banana.hpp"
#include "breakstep/target/funnel.hpp"
#include "breakstep/target/synthetic.hpp"
#include "same.hpp"

namespace {

using namespace runtime_test;
using sampler::EllipticalSlice;

template <class Target>
target::Transported<Target> through(const Target& target, target::FlowKind kind) {
  const target::FlowShape shape{.dimension = target.dimension(), .kind = kind, .layers = 4, .hidden = 6, .depth = 1};
  target::Transported<Target> transported{std::make_shared<const Target>(target), target::identity_flow(shape, 4)};
  target::Synthetic random(5);
  for (double& p : transported.flow.parameters) p += 0.1 * random.normal();
  return transported;
}

TEST(Same, TransportSlice) {
  check_every_way_of_running<double>(EllipticalSlice{}, through(target::Funnel{3}, target::FlowKind::affine_spline));
  check_every_way_of_running<float>(EllipticalSlice{}, through(target::Banana{}, target::FlowKind::spline));
}

TEST(Same, TransportSliceOnADensityThatTakesTwoPacks) {
  const auto bowl = test_support::PairedBowl::of_dimension(3);
  check_every_way_of_running<double>(EllipticalSlice{}, through(bowl, target::FlowKind::affine));
  EXPECT_GT(*bowl.pairs, 0U);
}

TEST(Same, TransportSliceStoppedAndContinued) {
  check_stopping_and_going_on<double>(EllipticalSlice{}, through(target::Funnel{3}, target::FlowKind::affine_spline),
                                      40);
  check_stopping_and_going_on<float>(EllipticalSlice{}, through(target::Banana{}, target::FlowKind::affine), 40);
}

}  // namespace
