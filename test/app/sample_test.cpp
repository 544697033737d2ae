// `breakstep sample` from outside: what it prints, that how it runs never shows in the draws, and how it refuses.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "json_report.hpp"

namespace breakstep_app {
namespace {

using test::Arguments;
using test::Json;
using test::Result;
using test::run;
using test::with;

const Arguments small_job = {"sample", "--sampler", "slice", "--target", "log-gamma", "--dimension", "2", "--chains",
                             "37",     "--draws",   "20",    "--seed",   "5"};

std::string output_of(const Arguments& arguments) {
  const Result result = run(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "") << "nothing but the result where no terminal is";
  return result.out;
}

Json json_of(const Arguments& arguments) { return Json::parse(output_of(with(arguments, {"--json"}))); }

std::string hash_of(const Arguments& more) { return json_of(with(small_job, more))["draws_hash"]; }

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(Sample, JsonHasTheseKeys) {
  const Json report = json_of(small_job);
  EXPECT_EQ(keys(report), (Arguments{"parameters", "chains", "draws", "seconds", "draws_per_second",
                                     "evaluations_per_second", "occupancy", "draws_hash", "bytes_per_chain",
                                     "bytes_per_lane", "unmoved_chains", "chains_apart"}));
  ASSERT_EQ(report["parameters"].size(), 2U);
  EXPECT_EQ(keys(report["parameters"][0]), (Arguments{"name", "mean", "sd", "mcse_mean", "mcse_sd", "q5", "q50", "q95",
                                                      "rhat", "ess_bulk", "ess_tail"}));
  EXPECT_EQ(report["parameters"][1]["name"], "x[1]");
  EXPECT_EQ(report["chains"], 37);
  EXPECT_EQ(report["draws"], 20);
  EXPECT_GT(report["draws_per_second"], 0.0);
  EXPECT_GE(report["evaluations_per_second"], report["draws_per_second"]) << "every draw of slice evaluates";
  EXPECT_GT(report["occupancy"], 0.0);
  EXPECT_LE(report["occupancy"], 1.0);
  EXPECT_EQ(report["draws_hash"].get<std::string>().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(report["draws_hash"].get<std::string>().size(), 16U);
}

TEST(Sample, WhatIsNotFiniteIsNull) {
  const Json report =
      json_of({"sample", "--sampler", "slice", "--target", "log-gamma", "--chains", "3", "--draws", "2"});
  EXPECT_TRUE(report["parameters"][0]["rhat"].is_null());
  EXPECT_TRUE(report["parameters"][0]["mcse_sd"].is_null());
  EXPECT_TRUE(report["parameters"][0]["mean"].is_number());
}

// The log of an exponential variable has mean -0.5772 and standard deviation 1.2825. The bounds are six Monte Carlo
// errors: a false alarm in 5e8, and none with this seed.
TEST(Sample, SummariesAreThoseOfTheTarget) {
  const Json parameter = json_of({"sample", "--sampler", "slice", "--target", "log-gamma", "--chains", "256", "--draws",
                                  "500", "--seed", "7"})["parameters"][0];
  EXPECT_NEAR(parameter["mean"], -0.57722, 6 * parameter["mcse_mean"].get<double>());
  EXPECT_NEAR(parameter["sd"], 1.28255, 6 * parameter["mcse_sd"].get<double>());
  EXPECT_LT(parameter["mcse_mean"], 0.02);
  EXPECT_LT(parameter["rhat"], 1.01);
}

TEST(Sample, SummariesDoNotDependOnThreads) {
  const auto parameters = [](const char* threads) {
    return json_of({"sample", "--sampler", "slice", "--target", "log-gamma", "--dimension", "5", "--chains", "32",
                    "--draws", "50", "--threads", threads})["parameters"];
  };
  const Json alone = parameters("1");
  ASSERT_EQ(alone.size(), 5U);
  EXPECT_NE(alone[0]["mean"], alone[4]["mean"]);
  EXPECT_EQ(parameters("3"), alone);
}

TEST(Sample, HowItRunsNeverShowsInTheDraws) {
  for (const std::string precision : {"single", "double"}) {
    const std::string expected = hash_of({"--precision", precision, "--one-chain-at-a-time"});
    for (const std::string schedule : {"lockstep", "lockstep-skip", "lockstep_pack", "free"}) {
      EXPECT_EQ(hash_of({"--precision", precision, "--schedule", schedule, "--threads", "2"}), expected) << schedule;
    }
    for (const std::string step :
         {"auto", "switched", "switched_amortized", "bundled", "bundled-amortized", "gathered"}) {
      EXPECT_EQ(hash_of({"--precision", precision, "--step", step, "--storage", "contiguous"}), expected) << step;
    }
    EXPECT_EQ(hash_of({"--precision", precision, "--no-skip", "--no-refill", "--parking", "3"}), expected);
    EXPECT_NE(hash_of({"--precision", precision, "--set", "width=1.5"}), expected);
    EXPECT_NE(hash_of({"--precision", precision, "--start", "uniform"}), expected);
  }
}

TEST(Sample, TheTableIsForPeople) {
  const std::string text = output_of({"sample", "--sampler", "elliptical-slice", "--target", "gp_regression",
                                      "--points", "5", "--chains", "8", "--draws", "10", "--set", "max-shrinks=50"});
  for (const char* part :
       {"mean", "sd", "mcse", "5 %", "50 %", "95 %", "R-hat", "bulk ESS", "tail ESS", "noise_variance",
        "8 chains of 10 draws in ", " draws/s, ", " evaluations/s\n", " % of the lanes"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Sample, WarnsInPlainWords) {
  const Arguments normal = {"sample", "--sampler", "delayed-rejection", "--target", "standard-normal"};
  const auto expect_warning = [&](const Arguments& more, const std::string& words) {
    const std::string text = output_of(with(normal, more));
    EXPECT_NE(text.find("warning: " + words), std::string::npos) << text;
  };
  expect_warning({"--chains", "8", "--draws", "3"}, "too few draws to tell whether the chains agree");
  expect_warning({"--chains", "1", "--draws", "9"}, "one chain cannot tell whether it has converged");
  expect_warning({"--chains", "8", "--draws", "20", "--set", "scale=0.001"}, "R-hat of x[0] is above 1.01");
  expect_warning({"--chains", "8", "--draws", "20", "--set", "scale=1e4", "--set", "max_tries=1"},
                 "160 draws (100 %) stayed where they were because a loop of the sampler reached its limit");
  expect_warning({"--chains", "8", "--draws", "5", "--start-scale", "1e200"},
                 "8 of 8 chains started where the density is zero, infinite or undefined, first at (");
  const Result result = run(with(normal, {"--chains", "8", "--draws", "5", "--start-scale", "1e200", "--json"}));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err.find("warning: 8 of 8 chains started"), 0U) << result.err;
  EXPECT_TRUE(Json::accept(result.out));
}

const Arguments schools = {"sample", "--sampler",     "nuts",     "--target", "eight_schools_noncentred",
                           "--set",  "step_size=0.2", "--chains", "8",        "--draws",
                           "100"};

std::vector<std::string> names_in(const Json& report) {
  std::vector<std::string> names;
  for (const auto& parameter : report["parameters"]) names.push_back(parameter["name"]);
  return names;
}

TEST(Sample, ReportsParametersOnTheirOwnScaleUnlessToldOtherwise) {
  const Json report = json_of(schools), unconstrained = json_of(with(schools, {"--unconstrained"}));
  ASSERT_EQ(names_in(report).size(), 18U);
  ASSERT_EQ(names_in(unconstrained).size(), 10U);
  EXPECT_EQ(names_in(report)[9], "tau");
  EXPECT_EQ(names_in(report)[10], "theta[0]");
  EXPECT_EQ(names_in(unconstrained)[9], "log_tau");
  EXPECT_EQ(report["draws_hash"], unconstrained["draws_hash"]) << "the draws are the same";
  const double quantile = report["parameters"][9]["q95"], log_quantile = unconstrained["parameters"][9]["q95"];
  EXPECT_NEAR(std::log(quantile), log_quantile, 0.01) << "quantiles follow a monotone map";
  EXPECT_EQ(report["parameters"][9]["ess_bulk"], unconstrained["parameters"][9]["ess_bulk"]) << "and so do ranks";
}

/// Steps too short to move leave the starts to be seen. μ has a prior of mean 0 and sd 5; 4,096 starts tell that to
/// |z| < 5, a false alarm in a million runs. A scale around 0 of another start would be off by hundreds of errors.
TEST(Sample, StartsFromThePrior) {
  const Json report = json_of({"sample", "--sampler", "hmc", "--set", "step_size=1e-9", "--set", "steps=1", "--target",
                               "eight-schools-noncentred", "--chains", "4096", "--draws", "1", "--start", "prior"});
  for (const Json& parameter : report["parameters"]) {
    if (parameter["name"] != "mu") continue;
    EXPECT_NEAR(parameter["mean"].get<double>(), 0.0, 5 * 5 / 64.0);
    EXPECT_NEAR(parameter["sd"].get<double>(), 5.0, 5 * 5 / 64.0 / std::sqrt(2.0));
    return;
  }
  FAIL() << "there is no mu";
}

TEST(Sample, NamesChainsThatStandApartOrNeverMoved) {
  // Started far out, chains settle in one of three modes and never leave it.
  const Arguments modes = {"sample", "--sampler",     "hmc",   "--target", "mixture_paper", "--dimension", "1",
                           "--set",  "step_size=0.5", "--set", "steps=3",  "--chains",      "15",          "--draws",
                           "400",    "--start-scale", "8"};
  const Json apart = json_of(modes)["chains_apart"];
  EXPECT_GT(apart["count"], 3);
  EXPECT_LT(apart["count"], 15);
  EXPECT_NEAR(apart["limit"], 3.5879, 1e-3) << "the normal quantile of 1 - 0.005 / (2 * 15)";
  ASSERT_EQ(apart["first"].size(), 4U);
  EXPECT_GT(apart["first"][0]["errors"], apart["limit"]);
  const double mean = apart["first"][0]["mean"], median = apart["first"][0]["median"];
  EXPECT_GT(std::abs(mean - median), 5);
  const std::string text = output_of(modes);
  const std::string first = "  chain " + apart["first"][0]["chain"].dump() + ": x[";
  EXPECT_NE(text.find(" of 15 chains stand apart, with means more than "), std::string::npos) << text;
  EXPECT_NE(text.find(first), std::string::npos) << text;
  EXPECT_EQ(json_of(small_job)["chains_apart"]["count"], 0);

  const Arguments stuck = {
      "sample", "--sampler",   "delayed-rejection", "--target", "standard-normal", "--set", "scale=1e6",
      "--set",  "max_tries=1", "--chains",          "6",        "--draws",         "20"};
  const Result unmoved = run(with(stuck, {"--json"}));
  EXPECT_EQ(Json::parse(unmoved.out)["unmoved_chains"].dump(), R"({"count":6,"first":[0,1,2,3]})");
  EXPECT_NE(unmoved.err.find("warning: 6 of 6 chains never moved: 0, 1, 2, 3 and others\n"), std::string::npos);
}

TEST(Sample, ShowsHowLongTrajectoriesWere) {
  const Json trajectories = json_of(schools)["trajectories"];
  std::uint64_t draws = 0, upper = 0, lower = 0;
  for (const auto& bin : trajectories["histogram"]) {
    draws += bin["draws"].get<std::uint64_t>();
    lower += bin["draws"].get<std::uint64_t>() * bin["from"].get<std::uint64_t>();
    upper += bin["draws"].get<std::uint64_t>() * bin["to"].get<std::uint64_t>();
  }
  EXPECT_EQ(draws, 800U);
  EXPECT_LE(static_cast<double>(lower), trajectories["leapfrogs"].get<double>() * 800);
  EXPECT_GE(static_cast<double>(upper), trajectories["leapfrogs"].get<double>() * 800);
  const std::string text = output_of(schools);
  EXPECT_NE(text.find("leapfrog steps"), std::string::npos) << text;
  EXPECT_NE(text.find(" ########################################\n"), std::string::npos) << "the longest bar\n" << text;
}

TEST(Sample, TellsTheMemoryOfChainsAndLanes) {
  const auto bytes = [](const std::string& sampler, const std::string& dimension) {
    const Result result = run({"sample", "--sampler", sampler, "--target", "standard_normal", "--dimension", dimension,
                               "--chains", "8", "--draws", "20", "--json"});
    const Json report = Json::parse(result.out);
    return std::pair<double, double>(report["bytes_per_chain"], report["bytes_per_lane"]);
  };
  for (const std::string sampler : {"slice", "nuts"}) {
    const auto few = bytes(sampler, "10"), many = bytes(sampler, "100");
    EXPECT_GE(few.first, 80) << "a position of doubles";
    EXPECT_GE(many.first - few.first, 720);
    EXPECT_GT(many.second, many.first) << "a lane has scratch besides";
  }
  EXPECT_GT(bytes("nuts", "100").second, 3 * bytes("slice", "100").second) << "rows of momenta";
  EXPECT_NE(output_of(small_job).find(" bytes are kept of each chain, "), std::string::npos);
}

TEST(Sample, HelpListsEveryOption) {
  const std::string help = output_of({"sample", "--help"});
  for (const char* option : {"--sampler", "--target",      "--set",       "--dimension",     "--points",
                             "--data",    "--chains",      "--draws",     "--seed",          "--precision",
                             "--start",   "--start-scale", "--threads",   "--storage",       "--schedule",
                             "--step",    "--no-skip",     "--no-refill", "--parking",       "--one-chain-at-a-time",
                             "--json",    "--out",         "--force",     "--unconstrained", "--log-likelihood",
                             "Examples:"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

// A terminal as standard error, and what was written to it.
class Terminal {
 public:
  Terminal() : outside_(posix_openpt(O_RDWR | O_NOCTTY)) {
    grantpt(outside_);
    unlockpt(outside_);
    inside_ = open(ptsname(outside_), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    close(inside_);
    close(outside_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int inside() const { return inside_; }
  [[nodiscard]] std::string text() const {
    std::string all(1 << 16, '\0');
    fcntl(outside_, F_SETFL, O_NONBLOCK);
    const ssize_t size = read(outside_, all.data(), all.size());
    all.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return all;
  }

 private:
  int outside_;
  int inside_ = -1;
};

TEST(Sample, ShowsProgressOnATerminalWithTheSameDraws) {
  const Terminal terminal;
  ASSERT_GE(terminal.inside(), 0);
  test::Setting setting;
  setting.error_terminal = terminal.inside();
  const Result result = run(with(small_job, {"--json"}), setting);
  EXPECT_EQ(result.code, 0);
  const std::string shown = terminal.text();
  EXPECT_NE(shown.find("\rsampling: 1 of 20 draws, "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\rsampling: 20 of 20 draws, "), std::string::npos) << shown;
  EXPECT_EQ(shown.substr(shown.size() - 4), "\r\x1b[K") << "the line is gone in the end";
  EXPECT_EQ(Json::parse(result.out)["draws_hash"], hash_of({})) << "segments never change draws";
}

struct Wrong {
  Arguments arguments;
  std::string message;
};

class WrongSample : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSample, IsRefusedInWords) {
  const Result result = run(GetParam().arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "breakstep: " + GetParam().message + "\n");
}

Wrong wrong(const Arguments& more, const std::string& message) {
  return {with({"sample", "--sampler", "slice", "--target", "standard_normal"}, more), message};
}

INSTANTIATE_TEST_SUITE_P(
    Sample, WrongSample,
    testing::Values(
        Wrong{{"sample", "--sampler", "slice", "--target", "log-gama"},
              "unknown target 'log-gama' (there are 26 targets): did you mean log_gamma?"},
        Wrong{{"sample", "--sampler", "slice"},
              "no target given (there are 26 targets): add --target standard_normal, or see breakstep list"},
        Wrong{{"sample", "--sampler", "elliptical-slice", "--target", "log-gamma"},
              "sampler elliptical_slice cannot draw from target log_gamma (it needs a Gaussian prior, and this target "
              "declares none): choose gaussian_likelihood, gp_regression, gp_paper, gp_ess_effective, "
              "logistic_regression or bod_stdnormal_prior, or another sampler"},
        Wrong{{"sample", "--sampler", "slice", "--target", "gaussian-likelihood", "--dimension", "5"},
              "target gaussian_likelihood takes no --dimension (it has one size only): leave it out, or see breakstep "
              "list"},
        wrong({"--points", "5"},
              "target standard_normal takes no --points (it has one size only): leave it out, or see breakstep list"),
        wrong({"--data", "x.csv"},
              "target standard_normal takes no --data (it is given by a formula alone): leave it out, or see breakstep "
              "list"),
        wrong({"--data", ""}, "--data is empty (it is the path of a CSV or JSON file): give one, or leave it out"),
        Wrong{{"sample", "--sampler", "slice", "--target", "soil", "--data", "no/such.csv"},
              "cannot read data file no/such.csv (there is no such file): check its name and folder"},
        wrong({"--chains", "0"},
              "--chains cannot be '0' (it is a whole number from 1 to 4294967295): give one, such as --chains 1"),
        wrong({"--chains", "many"},
              "--chains cannot be 'many' (it is a whole number from 1 to 4294967295): give one, such as --chains 1"),
        wrong({"--draws", "-3"},
              "--draws cannot be '-3' (it is a whole number from 1 to 4294967293): give one, such as --draws 1"),
        wrong({"--draws", "1.5"},
              "--draws cannot be '1.5' (it is a whole number from 1 to 4294967293): give one, such as --draws 1"),
        wrong({"--seed", "-1"},
              "--seed cannot be '-1' (it is a whole number from 0 to 18446744073709551615): give "
              "one, such as --seed 1"),
        wrong({"--precision", "half"}, "unknown precision 'half' (there are single and double): choose one of these"),
        wrong({"--start", "here"}, "unknown start 'here' (there are normal, uniform and prior): choose one of these"),
        wrong({"--start", "prior", "--start-scale", "2"},
              "--start prior with target standard_normal (it cannot draw from its prior): choose gaussian_likelihood, "
              "gp_regression, logistic_regression, german_credit, eight_schools or eight_schools_noncentred, or "
              "another start"),
        wrong({"--start-scale", "0"},
              "--start-scale cannot be '0' (first positions need some room): give a positive number"),
        wrong({"--start-scale", "nan"}, "--start-scale cannot be 'nan' (it is a finite number): give one, such as 0.5"),
        wrong({"--threads", "x"},
              "--threads cannot be 'x' (it is a whole number from 0 to 1024): give one, such as --threads 1"),
        wrong({"--set", "width"},
              "--set cannot be 'width' (it is a parameter's name, =, and a number): give one, such as --set scale=0.5; "
              "breakstep list shows the names"),
        wrong({"--set", "width=wide"}, "--set width cannot be 'wide' (it is a finite number): give one, such as 0.5"),
        wrong({"--log-likelihood", "l.npy"},
              "target standard_normal has no --log-likelihood (it does not give the likelihoods of single "
              "observations): leave it out"),
        Wrong{with(schools, {"--out", "x.npy", "--log-likelihood", "x.npy"}),
              "--out and --log-likelihood are both x.npy (one would replace the other): give each its own file"},
        wrong({"--force"}, "--force without --out (there is no file to replace): leave it out"),
        wrong({"--chains"},
              "--chains: 1 required N missing (the command line cannot be read): see breakstep --help or breakstep "
              "sample --help")));

// These words come from the library.
TEST(Sample, RefusesNamesThatTheLibraryDoesNotKnow) {
  for (const auto& [option, name] : {std::pair{"--step", "leap"},
                                     {"--schedule", "later"},
                                     {"--storage", "heap"},
                                     {"--set", "depth=3"},
                                     {"--set", "width=-1"},
                                     {"--set", "max_steps=0.5"}}) {
    const Result result = run(with(small_job, {option, name}));
    EXPECT_EQ(result.code, 2) << name;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("): "), std::string::npos) << result.err;
  }
}

TEST(Sample, RefusesWhatDoesNotFitIntoMemoryWithTheNumbers) {
  const Result result =
      run({"sample", "--sampler", "slice", "--target", "standard-normal", "--chains", "4e9", "--draws", "1e6"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(
      result.err.find("breakstep: not enough memory for 4000000000 chains of 1000000 draws of 1 number (needed are "
                      "192000 TB, available "),
      0U)
      << result.err;
}

}  // namespace
}  // namespace breakstep_app
