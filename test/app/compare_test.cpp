// `breakstep compare` from outside: its table and JSON, equal bits in every mode, and what happens if they were not.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/comparison.hpp"
#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

using Json = nlohmann::ordered_json;
using test::Result;
using Arguments = std::vector<std::string>;

std::string output_of(const Arguments& arguments) {
  const Result result = test::run(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(Compare, JsonHasTheseKeysAndEqualBits) {
  const Json report = Json::parse(output_of({"compare", "--sampler", "elliptical_slice", "--target",
                                             "gaussian-likelihood", "--chains", "50", "--draws", "20", "--json"}));
  EXPECT_EQ(keys(report), (Arguments{"R", "B", "modes"}));
  EXPECT_GE(report["B"], 1.0);
  EXPECT_GE(report["R"], 1.0) << "elliptical slice has one loop";
  std::vector<std::string> names;
  for (const Json& mode : report["modes"]) {
    EXPECT_EQ(keys(mode), (Arguments{"name", "step", "schedule", "storage", "draws_per_second",
                                     "evaluations_per_second", "occupancy", "speedup", "same_bits"}));
    EXPECT_EQ(mode["same_bits"], true) << mode;
    EXPECT_EQ(mode["storage"], "interleaved");
    EXPECT_GT(mode["draws_per_second"], 0.0);
    EXPECT_EQ(mode["step"].is_null(), mode["schedule"] != "free");
    names.push_back(mode["name"]);
  }
  EXPECT_EQ(names, (Arguments{"lockstep", "lockstep-skip", "lockstep-pack", "free-switched", "free-switched-amortized",
                              "free-bundled", "free-bundled-amortized", "free-gathered", "one-chain-at-a-time"}));
  EXPECT_EQ(report["modes"][0]["speedup"], 1.0);
  EXPECT_EQ(report["modes"][8]["occupancy"], 1.0);
}

TEST(Compare, BothStoragesAndSeveralRounds) {
  const Json report = Json::parse(
      output_of({"compare", "--sampler", "slice", "--target", "log-gamma", "--chains", "20", "--draws", "10",
                 "--precision", "single", "--threads", "2", "--all-storages", "--repeat", "3", "--json"}));
  EXPECT_TRUE(report["R"].is_null()) << "slice has two loops";
  EXPECT_GE(report["B"], 1.0);
  EXPECT_EQ(report["modes"].size(), 18U);
  std::set<std::pair<std::string, std::string>> different;
  for (const Json& mode : report["modes"]) {
    EXPECT_EQ(mode["same_bits"], true) << mode;
    different.emplace(mode["name"], mode["storage"]);
  }
  EXPECT_EQ(different.size(), 18U);
}

TEST(Compare, TheTableIsForPeople) {
  const std::string text = output_of(
      {"compare", "--sampler", "delayed-rejection", "--target", "standard-normal", "--chains", "20", "--draws", "10"});
  for (const char* part : {"mode", "storage", "draws/s", "evaluations/s", "occupancy", "speed-up", "same bits",
                           "\nlockstep ", "\nfree-bundled-amortized ", "\none-chain-at-a-time ", "\nR = ", "\nB = "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Compare, HelpListsItsOptions) {
  const std::string help = output_of({"compare", "--help"});
  for (const char* option : {"--sampler", "--target", "--chains", "--draws", "--all-storages", "--repeat", "--json",
                             "--parking", "speed-up is over lockstep", "Examples:"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST(Compare, RefusesInWords) {
  const auto refusal = [](const Arguments& arguments) {
    const Result result = test::run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(refusal({"compare", "--sampler", "slice", "--target", "log-gamma", "--repeat", "0"}),
            "breakstep: --repeat cannot be '0' (it is a whole number from 1 to 1000): give one, such as --repeat 1\n");
  EXPECT_EQ(refusal({"compare", "--sampler", "slice", "--target", "log-gamma", "--schedule", "free"}),
            "breakstep: unknown option '--schedule' (compare does not have it): breakstep compare --help lists the "
            "options\n");
}

TEST(Compare, DifferentDrawsAreAnErrorOfOurs) {
  Comparison comparison;
  comparison.modes.resize(3);
  comparison.modes[1].mode.name = "free-bundled";
  EXPECT_NO_THROW(require_same_bits(comparison));
  comparison.modes[1].same_bits = false;
  try {
    require_same_bits(comparison);
    FAIL() << "accepted";
  } catch (const std::logic_error& error) {  // Exit code 1, as any other error that no user made.
    EXPECT_STREQ(error.what(), "the draws of free-bundled differ from those of one chain at a time");
  }
}

TEST(Compare, TheMedianIsThatOfTheRounds) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

}  // namespace
}  // namespace breakstep_app
