// Equal bits at every width: predator and prey, apart because it is slow to compile.
#include "breakstep/target/predator_prey.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

static_assert(target::TakesTwo<target::PredatorPrey>);
static_assert(!target::TakesTwo<target::PredatorPreyAsCoded>);

TEST(Widths, predator_prey) { expect_same_bits_everywhere(target::PredatorPrey::synthetic()); }

}  // namespace
