// Equal bits at every width: posteriors of regressions.
#include "breakstep/target/bod.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/logistic_regression.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

TEST(Widths, logistic_regression) { expect_same_bits_everywhere(target::LogisticRegression::synthetic(23)); }
TEST(Widths, german_credit) { expect_same_bits_everywhere(target::GermanCredit::synthetic(51)); }
TEST(Widths, bod_code) { expect_same_bits_everywhere(target::BodCode(target::BodLikelihood::synthetic())); }
TEST(Widths, bod_stdnormal_prior) {
  expect_same_bits_everywhere(target::BodStandardNormalPrior(target::BodLikelihood::synthetic()));
}

}  // namespace
