// Fields by name, and the Halton sequence.
#include "breakstep/lanes/record_fields.hpp"

#include <gtest/gtest.h>

#include "breakstep/error.hpp"
#include "breakstep/lanes/halton.hpp"

namespace {

using namespace breakstep::lanes;

TEST(Halton, IsTheRadicalInverseInBaseTwo) {
  const double first[] = {0, 1.0 / 2, 1.0 / 4, 3.0 / 4, 1.0 / 8, 5.0 / 8, 3.0 / 8, 7.0 / 8, 1.0 / 16};
  for (std::uint32_t n = 0; n < 9; ++n) EXPECT_EQ(halton(n), first[n]) << n;
  EXPECT_EQ(halton(0x80000000U), 0x1p-32);
  EXPECT_EQ(halton(0xFFFFFFFFU), 1 - 0x1p-32);
}

/// Of any 2^k in a row that begin at a multiple of it, one lies in every interval of length 2^−k.
TEST(Halton, FillsTheGaps) {
  for (const std::uint32_t begin : {0U, 64U, 4096U}) {
    std::vector<int> hits(64);
    for (std::uint32_t n = begin; n < begin + 64; ++n) ++hits[static_cast<std::size_t>(halton(n) * 64)];
    for (const int hit : hits) EXPECT_EQ(hit, 1);
  }
}

TEST(RecordField, ReadsAndWritesByName) {
  ChainRecords records("x:f8[2] events:u8[1] step:f8[1] empty:f8[0] last:f8[1]", 40, 3);
  const RecordField<double> x(records, "x"), step(records, "step"), last(records, "last"), empty(records, "empty");
  EXPECT_EQ(x.elements(), 2U);
  EXPECT_EQ(empty.elements(), 0U);
  for (std::size_t c = 0; c < 3; ++c) {
    const double position[] = {1.0 + static_cast<double>(c), -2.0}, size = 0.5, end = 7.0 * static_cast<double>(c);
    x.write(records, c, position);
    step.write(records, c, &size);
    last.write(records, c, &end);
  }
  EXPECT_EQ(x.read(records), (std::vector<double>{1, -2, 2, -2, 3, -2}));
  EXPECT_EQ(step.read(records), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(last.read(records), (std::vector<double>{0, 7, 14}));
  EXPECT_TRUE(empty.read(records).empty());
}

TEST(RecordField, RefusesWhatIsNotThere) {
  const ChainRecords records("x:f8[2] events:u8[1]", 24, 1);
  EXPECT_THROW(RecordField<double>(records, "y"), breakstep::Error);
  EXPECT_THROW(RecordField<float>(records, "x"), breakstep::Error);
  EXPECT_THROW(RecordField<double>(records, "events"), breakstep::Error);
}

}  // namespace
