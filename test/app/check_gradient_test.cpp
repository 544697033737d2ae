// `breakstep check-gradient`, and nested R-hat in `breakstep sample`, from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

TEST(CheckGradient, PrintsALineForEachPosition) {
  const test::Result result =
      test::run({"check-gradient", "--target", "funnel", "--dimension", "3", "--positions", "4"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 5) << result.out;
}

TEST(CheckGradient, SaysSoWhereTheDensityIsNotFinite) {
  const test::Result result =
      test::run({"check-gradient", "--target", "funnel", "--positions", "3", "--start-scale", "1e6"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("the gradient disagrees with the density at"), std::string::npos) << result.err;
}

TEST(CheckGradient, RefusesWhatMakesNoSense) {
  for (const auto& arguments : {std::vector<std::string>{"check-gradient"},
                                {"check-gradient", "--target", "funel"},
                                {"check-gradient", "--target", "funnel", "--positions", "0"}}) {
    const test::Result result = test::run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
}

TEST(Superchains, GiveNestedRhat) {
  const auto nested = [](const char* draws) {
    const test::Result result =
        test::run({"sample", "--sampler", "mala", "--target", "standard-normal", "--set", "step_size=0.5",
                   "--start-scale", "30", "--chains", "1024", "--draws", draws, "--superchains", "8", "--json"});
    return nlohmann::json::parse(result.out)["parameters"][0]["nested_rhat"].get<double>();
  };
  EXPECT_GT(nested("1"), 5.0);
  EXPECT_LT(nested("2000"), 1.1);
  EXPECT_EQ(test::run({"sample", "--sampler", "mala", "--target", "standard-normal", "--chains", "10", "--draws", "5",
                       "--superchains", "3"})
                .code,
            2);
}

}  // namespace
}  // namespace breakstep_app
