// Generalized HMC with fixed parameters and in folds: moments against known answers, and broken variants that the same
// test rejects.
#include "breakstep/sampler/meads.hpp"

#include <gtest/gtest.h>

#include "../support/bowl.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using sampler::Meads;
using test_support::Bowl;

const Bowl bowl{{0.5, 1.5}};

/// 6 functions with |z| < 5: a right sampler fails once in 290,000 runs, were the seed not fixed. Chains in folds share
/// parameters, but at every draw they are independent of each other.
template <class Sampler>
double worst_moment(const Sampler& sampler) {
  const auto result = sample(sampler, bowl, {.chains = 4096, .draws = 200, .seed = 5, .threads = 0});
  std::vector<Known> known;
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = bowl.scales[i];
    known.push_back({"mean", 0, [i](const double* x) { return x[i]; }});
    known.push_back({"variance", s * s, [i](const double* x) { return x[i] * x[i]; }});
    known.push_back({"upper tail", 0.5 * std::erfc(1.5 / std::sqrt(2.0)),
                     [i, s](const double* x) { return x[i] > 1.5 * s ? 1.0 : 0.0; }});
  }
  return worst_z(result, 100, known);
}

const Meads fixed{.step_size = 0.8, .damping = 0.3};

TEST(Meads, MomentsWithFixedParameters) {
  EXPECT_LT(worst_moment(fixed), limit);
  EXPECT_LT(worst_moment(Meads{.step_size = 0.4, .damping = 1.0}), limit);
}
TEST(Meads, MomentsInFolds) {
  EXPECT_LT(worst_moment(Meads{.folds = 4}), limit);
  EXPECT_LT(worst_moment(Meads{.folds = 512}), limit);  // folds of 8 chains, whose statistics vary much
}

/// The program with another last block.
template <class Done>
constexpr auto ending_with(Done done) {
  return fsm::program(fsm::block("refresh", Meads::refresh),
                      fsm::loop(Meads::has_to_move, fsm::block("move", Meads::drift, fsm::density, Meads::finish)),
                      fsm::block("done", done));
}

/// Goes on in the same direction after a rejection.
struct WithoutFlip : Meads {
  static constexpr auto program = ending_with([](auto& lanes_at_work, auto where) {
    auto& s = lanes_at_work.state;
    Meads::done(lanes_at_work, where);
    const auto stayed = where & (s.kept_slice == s.slice).mask();
    assign(stayed, s.kept_momentum, s.first_momentum);
  });
};
TEST(Meads, BrokenWithoutFlip) { EXPECT_GT(worst_moment(WithoutFlip{fixed}), limit); }

/// Moves the slice variable the wrong way when the density changes.
struct WrongSlice : Meads {
  static constexpr auto program = ending_with([](auto& lanes_at_work, auto where) {
    auto& s = lanes_at_work.state;
    Meads::done(lanes_at_work, where);
    const auto gained = s.first_energy - s.energy;
    const auto went = where & (s.kept_slice != s.slice).mask();
    assign(went, s.kept_slice, s.slice * exp(gained));
  });
};
TEST(Meads, BrokenSlice) { EXPECT_GT(worst_moment(WrongSlice{fixed}), limit); }

TEST(Meads, TurnedSlicesStayInsideAndCoverAll) {
  double slice = 0.25;
  std::vector<int> hits(20);
  for (int t = 0; t < 20'000; ++t) {
    slice = Meads::turned(lanes::Pack<double, 1>(slice), lanes::Pack<double, 1>(0.3 / 1.4142135623730951))[0];
    ASSERT_GE(slice, -1);
    ASSERT_LT(slice, 1);
    ++hits[static_cast<std::size_t>((slice + 1) * 10)];
  }
  for (const int hit : hits) EXPECT_NEAR(hit, 1000, 5);
}

}  // namespace
