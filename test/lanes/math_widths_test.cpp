// Every function gives a lane the same bits at every width, in every position and beside every neighbour.
#include <gtest/gtest.h>

#include "breakstep/lanes/math/trigonometric.hpp"
#include "math_inputs.hpp"

namespace breakstep::test {
namespace {

constexpr std::size_t count = std::size_t(1) << 17;
constexpr std::size_t padding = 16;

template <class T>
class SameBits : public testing::TestWithParam<Row<T>> {
 protected:
  void check() {
    const Row<T>& row = this->GetParam();
    const std::vector<T> x = fixed_inputs<T>(count + padding, 1);
    const std::vector<T> y = fixed_inputs<T>(count + padding, 2);
    std::vector<T> alone(count + padding);
    row.apply[0](x.data(), y.data(), alone.data(), count + padding);
    std::vector<T> together(count);
    for (std::size_t w = 1; w < widths.size(); ++w) {
      for (const std::size_t shift : {0, 1, 2, 5, 11}) {
        row.apply[w](x.data() + shift, y.data() + shift, together.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(canonical_bits(together[i]), canonical_bits(alone[i + shift]))
              << row.function << "(" << x[i + shift] << ", " << y[i + shift] << ") at width " << widths[w]
              << ", shifted by " << shift << ": " << together[i] << " instead of " << alone[i + shift];
        }
      }
    }
  }
};

template <class T>
std::string name_of_row(const testing::TestParamInfo<Row<T>>& info) {
  return info.param.function;
}

using SameBitsFloat = SameBits<float>;
using SameBitsDouble = SameBits<double>;
TEST_P(SameBitsFloat, AtEveryWidth) { check(); }
TEST_P(SameBitsDouble, AtEveryWidth) { check(); }
INSTANTIATE_TEST_SUITE_P(Rows, SameBitsFloat, testing::ValuesIn(all_rows<float>()), name_of_row<float>);
INSTANTIATE_TEST_SUITE_P(Rows, SameBitsDouble, testing::ValuesIn(all_rows<double>()), name_of_row<double>);

template <class T>
void expect_sincos_equals_sin_and_cos() {
  using P = lanes::Pack<T, 4>;
  const lanes::FlushToZero mode;
  const std::vector<T> x = fixed_inputs<T>(count, 3);
  for (std::size_t i = 0; i < count; i += 4) {
    const P angle = P::load(&x[i]);
    const auto both = lanes::sincos(angle);
    const P sine = lanes::sin(angle);
    const P cosine = lanes::cos(angle);
    for (int lane = 0; lane < 4; ++lane) {
      ASSERT_EQ(canonical_bits(both.sin[lane]), canonical_bits(sine[lane])) << angle[lane];
      ASSERT_EQ(canonical_bits(both.cos[lane]), canonical_bits(cosine[lane])) << angle[lane];
    }
  }
}

TEST(SinCos, EqualsSinAndCos) {
  expect_sincos_equals_sin_and_cos<float>();
  expect_sincos_equals_sin_and_cos<double>();
}

}  // namespace
}  // namespace breakstep::test
