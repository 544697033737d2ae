// ChEES and MEADS on four posteriors of the paper: means and standard deviations against reference values, tuned by
// their own warm-ups.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "breakstep/registry/warm_up.hpp"
#include "posterior.hpp"

namespace {

using namespace breakstep;
using namespace sampler_test;

struct Posterior {
  const char* key;
  const char* target;
  const char* data;
  const char* sampler;
  std::size_t chains;
  std::uint32_t warm_up, draws;
};

std::ostream& operator<<(std::ostream& out, const Posterior& posterior) {
  return out << posterior.sampler << " on " << posterior.key;
}

const std::vector<Posterior> posteriors = {
    {"gs_code", "google_stock", "google_stock.csv", "chees", 128, 200, 100},
    {"gs_code", "google_stock", "google_stock.csv", "meads", 128, 200, 600},
    {"gc_code", "german_credit", "german_credit.csv", "chees", 64, 200, 200},
    {"gc_code", "german_credit", "german_credit.csv", "meads", 64, 500, 3000},
    {"bod_stdnormal_prior", "bod_stdnormal_prior", "bod.csv", "chees", 256, 300, 400},
    {"bod_stdnormal_prior", "bod_stdnormal_prior", "bod.csv", "meads", 256, 500, 6000},
    {"pp_intended_rk4", "predator_prey", "lynx_hare.csv", "chees", 32, 100, 100},
    {"pp_intended_rk4", "predator_prey", "lynx_hare.csv", "meads", 128, 500, 4000},
};

class ManyChains : public testing::TestWithParam<Posterior> {};

/// All |z| < 5: with up to 102 of them per posterior a right sampler fails once in 17,000 runs, were the seed not
/// fixed.
TEST_P(ManyChains, MomentsAgree) {
  const auto path = folder_of_checks() / "references.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path << "; set BREAKSTEP_CHECKS to its folder";
  const Posterior& posterior = GetParam();
  const Reference reference = read_reference(posterior.key);
  const std::shared_ptr<const registry::AnyTarget> target =
      registry::make_target(posterior.target, {.data = (folder_of_checks() / posterior.data).string()});
  const auto d = static_cast<std::size_t>(target->dimension());
  const auto storage = runtime::preferred_storage(target::Asks::gradient, target->dimension(), sizeof(double));
  const runtime::WarmUpOptions options{.draws = posterior.warm_up,
                                       .target_accept = registry::usual_acceptance(posterior.sampler),
                                       .starts = starts_near(reference, d, posterior.chains)};
  const auto tuned = registry::warm_up<double>([&] { return registry::make_sampler(posterior.sampler); }, target,
                                               storage, posterior.chains, false, options, 5, {.threads = 0});
  const auto sampler = registry::make_sampler(posterior.sampler);
  registry::use_tuning(*sampler, tuned.tuning);
  const auto run =
      registry::make_run<double>(*sampler, target, storage, 5, posterior.chains, false, tuned.tuning.metric);
  const auto draws = runtime::draw_all(
      *run, {.chains = posterior.chains,
             .draws = posterior.draws,
             .seed = 5,
             .threads = 0,
             .starts = {.kind = runtime::Starts::Kind::given, .scale = 1, .positions = tuned.positions}});
  const Verdict verdict = judged(draws, reference);
  std::cout << posterior << ": " << verdict.moments << " moments, worst |z| " << verdict.worst << ", "
            << verdict.beyond_four << " beyond 4, " << draws.facts.events << " divergent of " << draws.counters.draws
            << " draws, step size " << tuned.tuning.step_size << ", " << tuned.tuning.parameters[0].first << " "
            << tuned.tuning.parameters[0].second << ", acceptance " << tuned.facts.accept_stat << ", "
            << tuned.facts.seconds << " + " << draws.seconds << " s\n";
  EXPECT_LT(verdict.worst, 5.0);
  EXPECT_LE(verdict.beyond_four, verdict.moments / 100);
}

INSTANTIATE_TEST_SUITE_P(AllOf, ManyChains, testing::ValuesIn(posteriors),
                         [](const auto& test) { return std::string(test.param.sampler) + "_" + test.param.key; });

}  // namespace
