// `breakstep sample --warmup`: what it finds, what it says, and that its tuning can be kept.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "json_report.hpp"

namespace breakstep_app {
namespace {

using test::Arguments;
using test::Json;
using test::json_of;
using test::run;
using test::with;

const Arguments job = {"sample",      "--sampler", "nuts",     "--target", "multivariate-normal",
                       "--dimension", "3",         "--chains", "16",       "--draws",
                       "50",          "--seed",    "5"};

class WarmUpVerb : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(file); }
  void TearDown() override { std::filesystem::remove(file); }
  const std::string file =
      testing::TempDir() + "breakstep_tuning_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(WarmUpVerb, TunesWhatFollows) {
  const Json report = json_of(with(job, {"--warmup", "200"}));
  EXPECT_NEAR(report["trajectories"]["accept_stat"].get<double>(), 0.8, 0.07);
  EXPECT_GT(report["warm_up"]["evaluations"].get<double>(), 16 * 200);
  EXPECT_GT(report["warm_up"]["step_size"].get<double>(), 0.0);
}

TEST_F(WarmUpVerb, TunesEverySamplerThatHasSomethingToTune) {
  for (const std::string sampler : {"nuts", "hmc", "mala", "chees", "meads", "transport_slice"}) {
    const auto result = run({"sample", "--sampler", sampler, "--target", "multivariate-normal", "--dimension", "3",
                             "--chains", "16", "--warmup", "40", "--draws", "10"});
    EXPECT_EQ(result.code, 0) << sampler << ": " << result.err;
  }
}

TEST_F(WarmUpVerb, MakesTrajectoriesOfCheesPayForTheirSteps) {
  const auto trajectory = [](const Arguments& more) {
    const Arguments chees = {"sample",      "--sampler", "chees",    "--target", "multivariate-normal",
                             "--dimension", "10",        "--chains", "64",       "--warmup",
                             "300",         "--draws",   "1"};
    return json_of(with(chees, more))["warm_up"]["trajectory"].get<double>();
  };
  const double as_published = trajectory({});
  EXPECT_EQ(trajectory({"--set", "price=0"}), as_published);
  EXPECT_LT(trajectory({"--set", "price=1"}), 0.9 * as_published);
  const auto negative = run({"sample", "--sampler", "chees", "--target", "banana", "--set", "price=-1"});
  EXPECT_EQ(negative.code, 2);
  EXPECT_EQ(negative.err,
            "breakstep: parameter 'price' cannot be -1 (it must be a finite number, at least 0): correct it\n");
}

TEST_F(WarmUpVerb, GivesTheSameDrawsHoweverItRuns) {
  const auto hash = [](const Arguments& more) {
    return json_of(with(job, with({"--warmup", "120"}, more)))["draws_hash"].get<std::string>();
  };
  const std::string reference = hash({"--one-chain-at-a-time"});
  EXPECT_EQ(hash({}), reference);
  EXPECT_EQ(hash({"--threads", "3"}), reference);
  EXPECT_EQ(hash({"--schedule", "lockstep"}), reference);
  EXPECT_EQ(hash({"--storage", "contiguous", "--step", "switched"}), reference);
  EXPECT_NE(hash({"--target-accept", "0.9"}), reference);
  const std::string each = hash({"--adapt", "each"});
  EXPECT_NE(each, reference);
  EXPECT_EQ(hash({"--adapt", "each", "--threads", "3"}), each);
}

TEST_F(WarmUpVerb, KeepsItsTuning) {
  for (const std::string metric : {"unit", "diagonal", "dense"}) {
    for (const std::string adapt : {"pooled", "each"}) {
      const Json first = json_of(
          with(job, {"--warmup", "100", "--metric", metric, "--adapt", adapt, "--save-tuning", file, "--force"}));
      std::ifstream stream(file);
      const Json saved = Json::parse(stream);
      EXPECT_EQ(saved["tunings"].size(), adapt == "each" ? 16U : 1U);
      const Json again = json_of(with(job, {"--tuning", file}));
      EXPECT_FALSE(again.contains("warm_up"));
      EXPECT_NEAR(again["trajectories"]["accept_stat"].get<double>(),
                  first["trajectories"]["accept_stat"].get<double>(), 0.1)
          << metric << ", " << adapt;
    }
  }
}

TEST_F(WarmUpVerb, ForgetsTheFirstDrawsOfSamplersWithoutSteps) {
  const Arguments slice = {"sample", "--sampler", "slice", "--target", "log-gamma", "--chains", "9", "--draws", "30"};
  const Json plain = json_of(slice), warm = json_of(with(slice, {"--warmup", "50"}));
  EXPECT_NE(plain["draws_hash"], warm["draws_hash"]);
  EXPECT_GT(warm["warm_up"]["evaluations"].get<double>(), 0.0);
  EXPECT_FALSE(warm["warm_up"].contains("step_size"));
}

TEST_F(WarmUpVerb, StartsFromAFile) {
  std::ofstream(file) << "3, 3, 3\n";
  const Json one = json_of(with(job, {"--start-file", file, "--set", "step_size=1e-6", "--set", "max_depth=1"}));
  for (const auto& parameter : one["parameters"]) EXPECT_NEAR(parameter["mean"].get<double>(), 3.0, 1e-3);
}

TEST_F(WarmUpVerb, RefusesWhatMakesNoSense) {
  const auto expect_refused = [&](const Arguments& more, const std::string& words) {
    const auto result = run(with(job, more));
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(file));
  };
  expect_refused({"--target-accept", "0.9"}, "--target-accept without --warmup");
  expect_refused({"--save-tuning", file}, "--save-tuning without --warmup");
  expect_refused({"--warmup", "100", "--target-accept", "1", "--save-tuning", file}, "between 0 and 1");
  expect_refused({"--warmup", "-3"}, "--warmup");
  expect_refused({"--warmup", "100", "--metric", "round"}, "diagonal");
  expect_refused({"--warmup", "100", "--adapt", "none"}, "pooled");
  expect_refused({"--warmup", "100", "--tuning", file}, "--tuning with --warmup");
  expect_refused({"--tuning", file}, "cannot read tuning file");
  expect_refused({"--warmup", "100", "--adapt", "each", "--superchains", "4"}, "--adapt pooled");
  expect_refused({"--start-file", file}, "cannot read");
}

TEST_F(WarmUpVerb, RefusesDamagedTunings) {
  const auto expect_refused = [&](const std::string& text, const std::string& words) {
    std::ofstream(file) << text;
    const auto result = run(with(job, {"--tuning", file}));
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  const std::string head = R"({"format":"breakstep tuning 1","sampler":"nuts","target":"multivariate_normal",)";
  expect_refused("", "cannot be understood");
  expect_refused("[1]", "no object");
  expect_refused(R"({"format":"breakstep tuning 2"})", "its format");
  expect_refused(R"({"format":"breakstep tuning 1","sampler":"hmc"})", "its sampler is \"hmc\"");
  expect_refused(head + R"("dimension":4,"tunings":[]})", "its dimension is 4");
  expect_refused(head + R"("dimension":3,"tunings":[]})", "tunings for 0 chains");
  expect_refused(head + R"("dimension":3,"tunings":[{"step_size":-1,"metric":"unit","numbers":[]}]})", "positive");
  expect_refused(head + R"("dimension":3,"tunings":[{"step_size":1,"metric":"sd","numbers":[1,2]}]})", "has 2 numbers");
  expect_refused(head + R"("dimension":3,"tunings":[{"step_size":1,"metric":"sd","numbers":[1,2,0]}]})", "positive if");
  expect_refused(head + R"("dimension":3,"tunings":[{"metric":"unit"}]})", "cannot be understood");
}

}  // namespace
}  // namespace breakstep_app
