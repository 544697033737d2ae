// Transport slice from outside: its flow is trained, kept and used again, and what makes no sense is refused.
#include <gtest/gtest.h>

#include <algorithm>
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

Arguments job(const std::string& verb, const std::string& target = "funnel") {
  return {verb, "--sampler", "transport-slice", "--target", target, "--chains", "16", "--draws", "20"};
}

void expect_refused(const Arguments& arguments, const std::string& words) {
  const auto result = run(arguments);
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
}

class TransportVerb : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(file); }
  void TearDown() override { std::filesystem::remove(file); }
  const std::string file =
      testing::TempDir() + "breakstep_flow_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(TransportVerb, TrainsAFlowAndUsesItAgain) {
  const Json first = json_of(with(job("sample"), {"--warmup", "60", "--save-tuning", file}));
  EXPECT_EQ(first["warm_up"]["steps"], 60);
  EXPECT_LT(first["warm_up"]["last_loss"].get<double>(), first["warm_up"]["first_loss"].get<double>());
  std::ifstream stream(file);
  const Json saved = Json::parse(stream);
  EXPECT_EQ(saved["flow"]["kind"], "affine");
  const Json again = json_of(with(job("sample"), {"--tuning", file}));
  EXPECT_FALSE(again.contains("warm_up"));
  const std::string hash = again["draws_hash"];
  EXPECT_EQ(json_of(with(job("sample"), {"--tuning", file, "--threads", "2"}))["draws_hash"], hash);
  EXPECT_EQ(json_of(with(job("sample"), {"--tuning", file, "--schedule", "lockstep"}))["draws_hash"], hash);
}

TEST_F(TransportVerb, TakesEveryKindOfFlowAndLoss) {
  std::vector<std::string> hashes;
  for (const std::string kind : {"shift-scale", "affine", "spline", "affine-spline"}) {
    for (const std::string loss : {"reverse", "forward"}) {
      const Json report =
          json_of(with(job("sample"), {"--warmup", "20", "--flow", kind, "--flow-loss", loss, "--set", "hidden=8"}));
      hashes.push_back(report["draws_hash"]);
    }
  }
  for (const std::string activation : {"relu", "silu"}) {
    hashes.push_back(json_of(with(job("sample"), {"--warmup", "20", "--flow-activation", activation}))["draws_hash"]);
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end()) << "two flows made the same draws";
}

TEST_F(TransportVerb, ComparesItsModesThroughATrainedFlow) {
  const Json report = json_of(with(job("compare"), {"--warmup", "40"}));
  EXPECT_EQ(report["modes"].size(), 9U);
  for (const Json& mode : report["modes"]) EXPECT_EQ(mode["same_bits"], true) << mode;
}

TEST_F(TransportVerb, RefusesWhatMakesNoSense) {
  expect_refused(job("sample"), "has no flow");
  expect_refused(job("compare"), "has no flow");
  expect_refused(with(job("sample"), {"--warmup", "20", "--flow", "planar"}), "planar");
  expect_refused(with(job("sample"), {"--warmup", "20", "--flow-loss", "sideways"}), "sideways");
  expect_refused(with(job("sample"), {"--warmup", "20", "--metric", "dense"}), "no steps to tune");
  expect_refused(with(job("sample"), {"--warmup", "20", "--set", "bins=1"}), "bins");
  expect_refused({"sample", "--sampler", "nuts", "--target", "funnel", "--warmup", "20", "--flow", "spline"},
                 "has no flow");
  expect_refused({"sbc", "--sampler", "transport-slice", "--target", "eight-schools-noncentred", "--replicates", "20"},
                 "train a flow");
}

TEST_F(TransportVerb, RefusesFilesThatAreNotItsFlow) {
  expect_refused(with(job("sample"), {"--tuning", file}), file);
  json_of(with(job("sample"), {"--warmup", "20", "--save-tuning", file}));
  expect_refused(with(job("sample", "banana"), {"--tuning", file}), file);
  std::ifstream stream(file);
  Json saved = Json::parse(stream);
  saved["flow"]["numbers"].erase(0);
  std::ofstream(file) << saved;
  expect_refused(with(job("sample"), {"--tuning", file}), "numbers");
  std::ofstream(file) << "{";
  expect_refused(with(job("sample"), {"--tuning", file}), file);
}

}  // namespace
}  // namespace breakstep_app
