// Equal bits at every width: posteriors of Gaussian-process hyperparameters.
#include "breakstep/target/gp_regression.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

TEST(Widths, gp_regression) { expect_same_bits_everywhere(target::GpRegression::synthetic(31)); }
TEST(Widths, gp_paper) { expect_same_bits_everywhere(target::GpPaper(target::GpRegression::synthetic(17))); }

}  // namespace
