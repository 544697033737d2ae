// `breakstep sbc` from outside: its tables, JSON, picture, exit codes and refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

using Words = std::vector<std::string>;

test::Result sbc(const Words& more, const Words& job = {"--sampler", "elliptical-slice", "--target",
                                                        "gaussian-likelihood", "--replicates", "100", "--thin", "5"}) {
  Words all{"sbc"};
  all.insert(all.end(), job.begin(), job.end());
  all.insert(all.end(), more.begin(), more.end());
  return test::run(all);
}

TEST(Sbc, PrintsVerdictsAndHistograms) {
  const test::Result result = sbc({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"largest deviation", "log_density", "inside", "ranks from", "99 % from",
        "all 4 quantities are inside their bands; if all is right, any leaves its band in at most 1 % of runs"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

TEST(Sbc, JsonHoldsEveryRank) {
  const test::Result result = sbc({"--json", "--draws", "19", "--threads", "2"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json["inside"].get<bool>());
  EXPECT_EQ(json["quantities"].size(), 4U);
  EXPECT_EQ(json["band"]["lowest"].size(), 19U);
  for (const auto& quantity : json["quantities"]) {
    const auto counts = quantity["counts"].get<std::vector<int>>();
    EXPECT_EQ(counts.size(), 20U);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 100);
    EXPECT_EQ(quantity["bins"], quantity["counts"]);
  }
  const auto again = nlohmann::json::parse(sbc({"--json", "--draws", "19"}).out);
  EXPECT_EQ(again["quantities"], json["quantities"]) << "ranks depend on the threads";
}

// Chains that are hardly moved from starts far apart cannot be calibrated.
TEST(Sbc, SaysSoWhenRanksAreNotUniform) {
  const test::Result result = sbc({"--json"}, {"--sampler", "mala", "--target", "gaussian-likelihood", "--replicates",
                                               "100", "--warmup", "0", "--set", "step_size=0.001"});
  EXPECT_EQ(result.code, 2);
  EXPECT_FALSE(nlohmann::json::parse(result.out)["inside"].get<bool>());
  EXPECT_NE(result.err.find("quantities are not uniform"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("try a larger --thin"), std::string::npos) << result.err;
}

TEST(Sbc, DrawsAPicture) {
  const auto path = std::filesystem::temp_directory_path() / ("breakstep_sbc_" + std::to_string(::getpid()) + ".svg");
  EXPECT_EQ(sbc({"--picture", path}).code, 0);
  std::ifstream file(path);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 4U);
  EXPECT_EQ(sbc({"--picture", path}).code, 2) << "replaces a file without --force";
  EXPECT_EQ(sbc({"--picture", path, "--force"}).code, 0);
  std::filesystem::remove(path);
}

TEST(Sbc, RefusesWhatMakesNoSense) {
  const Words slice{"--sampler", "slice", "--target", "gaussian-likelihood"};
  for (const auto& result : {sbc({}, {"--sampler", "slice", "--target", "funnel"}), sbc({"--replicates", "3"}, slice),
                             sbc({"--false-alarm", "1"}, slice), sbc({"--metric", "dense"}, slice),
                             sbc({"--force"}, slice), sbc({"--thin", "0"}, slice), sbc({}, {"--sampler", "slice"})}) {
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
  EXPECT_NE(sbc({}, {"--sampler", "slice", "--target", "funnel"}).err.find("choose gaussian_likelihood, gp_regression"),
            std::string::npos);
}

}  // namespace
}  // namespace breakstep_app
