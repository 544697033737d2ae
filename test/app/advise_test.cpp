// `breakstep advise` and `sample --auto` from outside: what they say, and that nothing they choose changes a draw.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "json_report.hpp"

namespace breakstep_app {
namespace {

using test::Arguments;
using test::Json;
using test::Result;
using test::with;

Json advice_for(const Arguments& job) {
  const Result result = test::run(with({"advise", "--json"}, job));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

// What a pilot can try depends on its time, and a sanitizer's build is slow.
#ifdef BREAKSTEP_FEW_WIDTHS
constexpr auto pilot_seconds = "15", many_chains = "2048";
#else
constexpr auto pilot_seconds = "1", many_chains = "8192";
#endif

TEST(Advise, LeavesNothingOpen) {
  const Json advice =
      advice_for({"--sampler", "elliptical-slice", "--target", "gaussian-likelihood", "--seconds", "0.3"});
  EXPECT_TRUE(advice["precision"] == "single" || advice["precision"] == "double");
  EXPECT_EQ(advice["precisions"].size(), 2U);
  EXPECT_EQ(advice["storages"].size(), 2U);
  Arguments modes;
  double best = 0, chosen = 0;
  for (const Json& trial : advice["schedules"]) {
    modes.push_back(trial["mode"]);
    EXPECT_GT(trial["draws_per_second"], 0.0);
    EXPECT_GE(trial["evaluation_ratio"], 1.0);
    if (trial["mode"] != "lockstep") best = std::max<double>(best, trial["draws_per_second"]);
    if (trial["mode"] == advice["schedule"]) chosen = trial["draws_per_second"];
  }
  EXPECT_EQ(modes, (Arguments{"lockstep", "free", "lockstep-skip", "lockstep-pack", "one-chain-at-a-time"}));
  EXPECT_GE(chosen, 0.97 * best) << "what is advised is as fast as any that was tried";
  EXPECT_EQ(advice["chain_numbers"].size(), 4U);
  EXPECT_GT(advice["least_ess_per_second"], 0.0);
  EXPECT_GE(advice["B"], 1.0);
}

TEST(Advise, KeepsWhatIsGiven) {
  const Json advice = advice_for({"--sampler", "slice", "--target", "log-gamma", "--precision", "double", "--chains",
                                  "48", "--seconds", pilot_seconds});
  EXPECT_EQ(advice["precision"], "double");
  EXPECT_EQ(advice["chains"], 48);
  EXPECT_EQ(advice["precisions"].size(), 1U);
  EXPECT_TRUE(advice["chain_numbers"].empty());
  EXPECT_EQ(advice["is_extrapolated"], false);
}

/// With so many chains the evaluations that lock-step wastes are predicted; they can be counted with `compare`, where
/// they do not depend on the machine.
TEST(Advise, PredictsTheWaitingOfManyChains) {
  const Arguments job{"--sampler", "slice", "--target", "log-gamma", "--dimension", "4", "--chains", many_chains};
  const Json advice = advice_for(with(job, {"--seconds", pilot_seconds}));
  EXPECT_EQ(advice["is_extrapolated"], true);
  const Result compared = test::run(with({"compare", "--draws", "30", "--json"}, job));
  const double truth = Json::parse(compared.out)["B"];
  EXPECT_NEAR(advice["B"].get<double>() / truth, 1.0, 0.2);
}

TEST(Advise, TunesFirstAndSaysWhy) {
  const Result result = test::run({"advise", "--sampler", "nuts", "--target", "eight-schools-noncentred", "--warmup",
                                   "100", "--chains", "32", "--seconds", "0.3"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* word : {"precision", "storage", "schedule", "chains", "Expect ", "Lock-step with 32 chains",
                           "Options for breakstep sample: --precision ", "as given"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word << " is not in\n" << result.out;
  }
}

TEST(Advise, RefusesWhatMakesNoSense) {
  const auto complaint = [](const Arguments& arguments) {
    const Result result = test::run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(complaint({"advise", "--sampler", "slice", "--target", "log-gamma", "--seconds", "0"}),
            "breakstep: --seconds cannot be '0' (a pilot takes some time): give a positive number\n");
  EXPECT_EQ(complaint({"advise", "--sampler", "nuts", "--target", "funnel", "--warmup", "50", "--adapt", "each"}),
            "breakstep: chains that have their own tunings (they run one by one in any mode): add --adapt "
            "pooled, or give a tuning for all\n");
  EXPECT_EQ(complaint({"sample", "--sampler", "slice", "--target", "log-gamma", "--auto", "--schedule", "lockstep"}),
            "breakstep: --auto with --schedule, --step, --storage or --one-chain-at-a-time (both say how to run the "
            "chains): leave one of them out\n");
}

/// The hash of the draws is the same however they are made.
TEST(SampleAuto, ChangesNoDraw) {
  const Arguments job{"sample",   "--sampler", "slice",   "--target", "log-gamma",
                      "--chains", "40",        "--draws", "30",       "--json"};
  const Result plain = test::run(job), chosen = test::run(with(job, {"--auto"}));
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_NE(chosen.err.find("runs as "), std::string::npos) << chosen.err;
  EXPECT_EQ(Json::parse(chosen.out)["draws_hash"], Json::parse(plain.out)["draws_hash"]);
}

}  // namespace
}  // namespace breakstep_app
