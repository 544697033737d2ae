// Equal bits at every width: posteriors of models in time.
#include "breakstep/target/google_stock.hpp"
#include "breakstep/target/predator_prey.hpp"
#include "breakstep/target/soil.hpp"
#include "widths.hpp"

namespace {

using target_test::expect_same_bits_everywhere;
namespace target = breakstep::target;

TEST(Widths, soil) { expect_same_bits_everywhere(target::Soil::synthetic()); }
TEST(Widths, soil_code) {
  using target::SoilAsCoded;
  expect_same_bits_everywhere(target::Differentiated(SoilAsCoded::synthetic(SoilAsCoded::Grid::even)));
  expect_same_bits_everywhere(target::Differentiated(SoilAsCoded::synthetic(SoilAsCoded::Grid::times)));
}
TEST(Widths, predator_prey_code) { expect_same_bits_everywhere(target::PredatorPreyAsCoded::synthetic()); }
TEST(Widths, google_stock) { expect_same_bits_everywhere(target::GoogleStock::synthetic(40)); }

}  // namespace
