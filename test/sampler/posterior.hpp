// Reference values of the paper's posteriors, starts close to their means, and z scores against them.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/sample.hpp"

namespace sampler_test {

inline std::filesystem::path folder_of_checks() {
  const char* given = std::getenv("BREAKSTEP_CHECKS");
  return given != nullptr ? given : BREAKSTEP_CHECKS;
}

/// Means and standard deviations with their errors: of the coordinates first, then of what is computed from them.
struct Reference {
  std::vector<double> mean, sd, mean_error, sd_error;
};

inline Reference read_reference(const std::string& key) {
  const auto all = nlohmann::ordered_json::parse(std::ifstream(folder_of_checks() / "references.json"));
  Reference reference;
  for (const auto& [name, quantity] : all.at(key).at("quantities").items()) {
    reference.mean.push_back(quantity.at("mean"));
    reference.sd.push_back(quantity.at("sd"));
    reference.mean_error.push_back(quantity.at("mcse_mean"));
    reference.sd_error.push_back(quantity.at("mcse_sd"));
  }
  return reference;
}

/// Within a few hundredths of a standard deviation from the means, where no step is too long.
inline breakstep::runtime::Starts starts_near(const Reference& reference, std::size_t d, std::size_t chains) {
  namespace lanes = breakstep::lanes;
  breakstep::runtime::Starts starts{.kind = breakstep::runtime::Starts::Kind::given};
  for (std::size_t c = 0; c < chains; ++c) {
    for (std::size_t i = 0; i < d; ++i) {
      const lanes::Stream<double, 1> stream(17, static_cast<std::uint64_t>(c), std::uint64_t{0});
      starts.positions.push_back(reference.mean[i] +
                                 0.02 * reference.sd[i] * stream.normals(static_cast<std::uint64_t>(i), 0)[0][0]);
    }
  }
  return starts;
}

struct Verdict {
  double worst = 0;  ///< largest |z|
  int within_one = 0, within_two = 0, beyond_four = 0, moments = 0;
};

/// Means and variances of the second half of the draws, by the errors of both sides. Chains are independent, so their
/// means are, whatever the autocorrelation within.
inline Verdict judged(const breakstep::runtime::Draws<double>& draws, const Reference& reference, int left_out = -1) {
  Verdict verdict;
  const auto m = static_cast<double>(draws.chains);
  const std::uint32_t first = draws.draws / 2;
  const auto judge = [&](double truth, double truth_error, auto f) {
    double sum = 0, square = 0;
    for (std::size_t c = 0; c < draws.chains; ++c) {
      double own = 0;
      for (std::uint32_t t = first; t < draws.draws; ++t) own += f(draws.at(c, t)) / (draws.draws - first);
      sum += own;
      square += own * own;
    }
    const double average = sum / m;
    const double error = std::sqrt((square / m - average * average) / (m - 1));
    const double z = std::fabs(average - truth) / std::hypot(error, truth_error);
    verdict.worst = z <= verdict.worst ? verdict.worst : z;  // NaN counts
    verdict.within_one += z < 1 ? 1 : 0;
    verdict.within_two += z < 2 ? 1 : 0;
    verdict.beyond_four += z > 4 ? 1 : 0;
    ++verdict.moments;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(draws.dimension); ++i) {
    if (static_cast<int>(i) == left_out) continue;
    judge(reference.mean[i], reference.mean_error[i], [i](const double* x) { return x[i]; });
    judge(reference.sd[i] * reference.sd[i], 2 * reference.sd[i] * reference.sd_error[i],
          [i, centre = reference.mean[i]](const double* x) { return (x[i] - centre) * (x[i] - centre); });
  }
  return verdict;
}

}  // namespace sampler_test
