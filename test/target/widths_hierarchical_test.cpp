// Equal bits at every width: posteriors of hierarchical models.
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/pilots.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

TEST(Widths, eight_schools) { expect_same_bits_everywhere(target::EightSchools{}); }
TEST(Widths, eight_schools_noncentred) { expect_same_bits_everywhere(target::EightSchoolsNoncentred{}); }
TEST(Widths, pilots) { expect_same_bits_everywhere(target::Pilots::synthetic()); }
TEST(Widths, pilots_code) { expect_same_bits_everywhere(target::PilotsAsCoded::synthetic()); }

}  // namespace
