// Transport elliptical slice on posteriors of its authors' paper and on the funnel, flow and chains warmed up together:
// means and standard deviations against reference values.
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

#include "breakstep/diagnostics/pareto.hpp"
#include "breakstep/registry/run.hpp"
#include "breakstep/registry/transport.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/runtime/transport_warm_up.hpp"

namespace {

using namespace breakstep;

struct Posterior {
  const char* key;
  const char* target;
  const char* data;
  std::size_t chains;
  std::uint32_t warm_up, draws;
  bool arrives = true;  ///< by HMC, before the flow learns from where chains have been; else it learns from the density
};

std::string name_of(const Posterior& posterior) {
  return std::string(posterior.key) + (posterior.arrives ? "" : "_without_arrival");
}
std::ostream& operator<<(std::ostream& out, const Posterior& posterior) { return out << name_of(posterior); }

const std::vector<Posterior> posteriors = {
    {"gs_code", "google_stock", "google_stock.csv", 64, 400, 400},
    // Mixes slowly: without arrival, 400 draws after 400 of warm-up failed (worst |z| 6.2, Pareto k 1.3).
    {"gc_code", "german_credit", "german_credit.csv", 64, 1600, 2000},
    {"bod_stdnormal_prior", "bod_stdnormal_prior", "bod.csv", 128, 400, 400},
    {"pp_intended_rk4", "predator_prey", "lynx_hare.csv", 32, 400, 400},
    {"gs_code", "google_stock", "google_stock.csv", 64, 400, 400, false},
    {"gc_code", "german_credit", "german_credit.csv", 64, 1600, 2000, false},
    {"bod_stdnormal_prior", "bod_stdnormal_prior", "bod.csv", 128, 400, 400, false},
    {"pp_intended_rk4", "predator_prey", "lynx_hare.csv", 32, 200, 100, false},
};

std::filesystem::path folder() {
  const char* given = std::getenv("BREAKSTEP_CHECKS");
  return given != nullptr ? given : BREAKSTEP_CHECKS;
}

/// Warms up from these starts and draws; prints how the flow fits.
runtime::Draws<double> draws_of(const std::shared_ptr<const registry::AnyTarget>& target, std::size_t chains,
                                std::uint32_t warm_up, std::uint32_t draws, const runtime::Starts& starts,
                                bool arrives) {
  const auto sampler = registry::make_sampler("transport_slice");
  runtime::TransportOptions options = registry::transport_options(*sampler->flow(), target->dimension(), warm_up);
  options.starts = starts;
  options.training.threads = 0;
  if (!arrives) options.training.loss = runtime::FlowLoss::reverse;
  const auto make = [&](const target::FlowNumbers& flow, std::uint64_t seed) {
    return registry::make_run<double>(*sampler, target, lanes::Storage::interleaved, seed, chains, false, {}, flow);
  };
  const auto warm =
      arrives ? registry::warm_up_transport<double>(*sampler, target, lanes::Storage::interleaved, chains, false,
                                                    options, 5, {.threads = 0})
              : runtime::warm_up_transport<double>(make, target->density(registry::Doubles{}, target::Asks::gradient),
                                                   options, 5, {.threads = 0});
  const auto run = make(warm.flow, 6);
  auto result = runtime::draw_all(
      *run, {.chains = chains,
             .draws = draws,
             .seed = 6,
             .threads = 0,
             .starts = {.kind = runtime::Starts::Kind::given, .scale = 1, .positions = warm.positions}});
  std::cout << "loss " << warm.facts.first_loss << " to " << warm.facts.last_loss << " in "
            << warm.facts.training_seconds << " s, Pareto k " << diagnostics::pareto_k(warm.facts.log_ratios) << ", "
            << static_cast<double>(result.counters.evaluations_asked) / static_cast<double>(chains * draws)
            << " evaluations per draw, " << result.seconds << " s\n";
  return result;
}

/// z of a mean of f over the second half of independent chains, against a truth that may itself have an error.
double z_of(const runtime::Draws<double>& draws, double truth, double truth_error,
            const std::function<double(const double*)>& f) {
  const auto m = static_cast<double>(draws.chains);
  double sum = 0, square = 0;
  for (std::size_t c = 0; c < draws.chains; ++c) {
    double own = 0;
    const std::uint32_t first = draws.draws / 2;
    for (std::uint32_t t = first; t < draws.draws; ++t) own += f(draws.at(c, t)) / (draws.draws - first);
    sum += own;
    square += own * own;
  }
  const double average = sum / m, error = std::sqrt((square / m - average * average) / (m - 1));
  return std::fabs(average - truth) / std::hypot(error, truth_error);
}

class TransportReferences : public testing::TestWithParam<Posterior> {};

/// All |z| < 5: with up to 102 of them per posterior a right sampler fails once in 17,000 runs, were the seed not
/// fixed.
TEST_P(TransportReferences, MomentsAgree) {
  const auto path = folder() / "references.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path << "; set BREAKSTEP_CHECKS to its folder";
  const Posterior& posterior = GetParam();
  const auto all = nlohmann::ordered_json::parse(std::ifstream(path));
  std::vector<double> mean, sd, mean_error, sd_error;
  for (const auto& [name, quantity] : all.at(posterior.key).at("quantities").items()) {
    mean.push_back(quantity.at("mean"));
    sd.push_back(quantity.at("sd"));
    mean_error.push_back(quantity.at("mcse_mean"));
    sd_error.push_back(quantity.at("mcse_sd"));
  }
  const std::shared_ptr<const registry::AnyTarget> target =
      registry::make_target(posterior.target, {.data = (folder() / posterior.data).string()});
  const auto d = static_cast<std::size_t>(target->dimension());
  ASSERT_GE(mean.size(), d);
  runtime::Starts starts{.kind = runtime::Starts::Kind::given};
  for (std::size_t c = 0; c < posterior.chains; ++c) {
    const lanes::Stream<double, 1> stream(17, static_cast<std::uint64_t>(c), std::uint64_t{0});
    for (std::size_t i = 0; i < d; ++i) {
      starts.positions.push_back(mean[i] + 0.5 * sd[i] * stream.normals(static_cast<std::uint64_t>(i), 0)[0][0]);
    }
  }
  const auto draws = draws_of(target, posterior.chains, posterior.warm_up, posterior.draws, starts, posterior.arrives);
  double worst = 0;
  const auto judge = [&](double z) { worst = z <= worst ? worst : z; };  // NaN counts
  for (std::size_t i = 0; i < d; ++i) {
    judge(z_of(draws, mean[i], mean_error[i], [i](const double* x) { return x[i]; }));
    judge(z_of(draws, sd[i] * sd[i], 2 * sd[i] * sd_error[i],
               [i, centre = mean[i]](const double* x) { return (x[i] - centre) * (x[i] - centre); }));
  }
  std::cout << posterior.key << ": " << 2 * d << " moments, worst |z| " << worst << "\n";
  EXPECT_LT(worst, 5.0);
}

INSTANTIATE_TEST_SUITE_P(AllOf, TransportReferences, testing::ValuesIn(posteriors),
                         [](const auto& test) { return name_of(test.param); });

/// v ~ N(0, 3²): P(v < −6) = 0.02275 lies in the neck, where e^v is below 1/400 of the variance in the middle.
void expect_neck(bool arrives) {
  const std::shared_ptr<const registry::AnyTarget> funnel = registry::make_target("funnel", {});
  const auto draws = draws_of(funnel, 128, 400, 1000, {.kind = runtime::Starts::Kind::uniform, .scale = 2.0}, arrives);
  double lowest = 0;
  for (std::size_t i = 0; i < draws.values.size(); i += 10) lowest = std::min(lowest, draws.values[i]);
  const double neck = z_of(draws, 0.0227501, 0, [](const double* x) { return x[0] < -6 ? 1.0 : 0.0; });
  const double median = z_of(draws, 0.5, 0, [](const double* x) { return x[0] < 0 ? 1.0 : 0.0; });
  std::cout << "lowest v " << lowest << ", |z| of the neck " << neck << ", of the median " << median << "\n";
  EXPECT_LT(lowest, -8);
  EXPECT_LT(neck, 5.0);
  EXPECT_LT(median, 5.0);
}

TEST(TransportFunnel, ReachesTheNeck) { expect_neck(true); }
TEST(TransportFunnel, ReachesTheNeckWithoutArrival) { expect_neck(false); }

}  // namespace
