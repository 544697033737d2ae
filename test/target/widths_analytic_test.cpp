// Equal bits at every width: targets given by a formula.
#include "breakstep/target/banana.hpp"
#include "breakstep/target/funnel.hpp"
#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/mixture_dense.hpp"
#include "breakstep/target/multivariate_normal.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

TEST(Widths, standard_normal) { expect_same_bits_everywhere(target::StandardNormal{5}); }
TEST(Widths, gaussian_likelihood) { expect_same_bits_everywhere(target::GaussianLikelihood{}); }
TEST(Widths, multivariate_normal) { expect_same_bits_everywhere(target::MultivariateNormal{7}); }
TEST(Widths, log_gamma) { expect_same_bits_everywhere(target::LogGamma{.size = 3}); }
TEST(Widths, funnel) { expect_same_bits_everywhere(target::Funnel{6}); }
TEST(Widths, banana) { expect_same_bits_everywhere(target::Banana{}); }
TEST(Widths, mixture_paper) { expect_same_bits_everywhere(target::MixturePaper(23)); }
TEST(Widths, mixture_code) { expect_same_bits_everywhere(target::MixtureCode(23)); }
TEST(Widths, mixture_code_dense) {
  expect_same_bits_everywhere(target::MixtureCodeDense(23));
  expect_same_bits_everywhere(target::MixtureCodeDense(100));
}

}  // namespace
