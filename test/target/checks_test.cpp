// Densities and gradients against values computed independently in float64, for the data sets of the paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "breakstep/registry/target.hpp"
#include "positions.hpp"

namespace {

namespace registry = breakstep::registry;
using breakstep::target::Asks;

struct Check {
  const char* key;  // in checks.json
  const char* target;
  const char* data;  // file name, or nothing
  int dimension = 0;
  int points = 0;
  // Relative to the value, and to the greatest component of the gradient.
  double float_value = 1e-4;
  double float_gradient = 1e-4;
};

std::ostream& operator<<(std::ostream& out, const Check& check) { return out << check.target << " " << check.key; }

const std::vector<Check> checks = {
    {"std_normal_d1", "standard_normal", "", 1},
    {"std_normal_d10", "standard_normal", "", 10},
    {"mixture_code", "mixture_code", ""},
    {"mixture_code", "mixture_code_dense", ""},
    {"mixture_paper", "mixture_paper", ""},
    {"gp_code_n25", "gp_regression", "real_estate.csv", 0, 25},
    {"gp_code_n100", "gp_regression", "real_estate.csv", 0, 100},
    {"gp_code_n400", "gp_regression", "real_estate.csv", 0, 400},
    {"gp_code_n414", "gp_regression", "real_estate.csv"},
    {"gp_ess_effective_n414", "gp_ess_effective", "real_estate.csv"},
    {"gp_paper_n414", "gp_paper", "real_estate.csv"},
    {"gc_code", "german_credit", "german_credit.csv"},
    {"pilots_stan", "pilots", "pilots.csv"},
    {"pilots_code", "pilots_code", "pilots.csv"},
    {"soil_stan", "soil", "soil.csv"},
    {"soil_code_diffrax", "soil_code", "soil.csv"},
    {"soil_code_scan", "soil_code_scan", "soil.csv"},
    {"gs_code", "google_stock", "google_stock.csv"},
    {"pp_intended_rk4", "predator_prey", "lynx_hare.csv"},
    {"pp_code", "predator_prey_code", "lynx_hare.csv"},
    {"bod_code", "bod_code", "bod.csv"},
    {"bod_stdnormal_prior", "bod_stdnormal_prior", "bod.csv"},
};

std::filesystem::path folder() {
  const char* given = std::getenv("BREAKSTEP_CHECKS");
  return given != nullptr ? given : BREAKSTEP_CHECKS;
}

struct Differences {
  double value = 0, gradient = 0;
};

template <class Real, int W>
Differences differences(const registry::AnyTarget& subject, const nlohmann::json& points) {
  const auto density = subject.density(registry::Width<Real, W>{}, Asks::gradient);
  std::vector<std::vector<double>> positions;
  for (const auto& point : points) positions.push_back(point.at("x"));
  const auto found = target_test::evaluate<Real, W>(*density, positions, true);
  Differences worst;
  const auto raise = [](double& most, double found_now) { most = found_now <= most ? most : found_now; };  // NaN counts
  for (std::size_t p = 0; p < found.size(); ++p) {
    const double value = points[p].at("logp");
    const std::vector<double> gradient = points[p].at("grad");
    double greatest = 0;
    for (const double slope : gradient) greatest = std::max(greatest, std::abs(slope));
    raise(worst.value, std::abs(found[p].value - value) / std::abs(value));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      raise(worst.gradient, std::abs(found[p].gradient[i] - gradient[i]) / greatest);
    }
  }
  return worst;
}

class Checks : public testing::TestWithParam<Check> {};

TEST_P(Checks, agree) {
  const auto path = folder() / "checks.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path << "; set BREAKSTEP_CHECKS to its folder";
  const auto all = nlohmann::json::parse(std::ifstream(path));
  const Check& check = GetParam();
  const auto& points = all.at(check.key).at("points");
  const std::string data = *check.data == 0 ? "" : (folder() / check.data).string();
  const auto subject =
      registry::make_target(check.target, {.dimension = check.dimension, .points = check.points, .data = data});
  const auto one = differences<double, 1>(*subject, points);
  const auto many = differences<double, breakstep::lanes::native_width<double>>(*subject, points);
  const auto single = differences<float, breakstep::lanes::native_width<float>>(*subject, points);
  std::cout << check.target << ": double " << one.value << " gradient " << one.gradient << ", float " << single.value
            << " gradient " << single.gradient << '\n';
  EXPECT_LT(one.value, 1e-8);
  EXPECT_LT(one.gradient, 1e-8);
  EXPECT_EQ(many.value, one.value);
  EXPECT_EQ(many.gradient, one.gradient);
  EXPECT_LT(single.value, check.float_value);
  EXPECT_LT(single.gradient, check.float_gradient);
}

std::string name_of(const testing::TestParamInfo<Check>& test) {
  return std::string(test.param.target) + "_" + test.param.key;
}

INSTANTIATE_TEST_SUITE_P(AllOf, Checks, testing::ValuesIn(checks), name_of);

}  // namespace
