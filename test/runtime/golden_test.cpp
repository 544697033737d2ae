// Draws against hashes in golden_draws.txt, so that another instruction set or another day is compared with this one.
//
// The file changes only together with a sampler, a target, the mathematics or the random numbers, in a commit that says
// why. To write it anew: BREAKSTEP_UPDATE_GOLDEN=1 build/release/test/runtime/runtime_golden
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/sample.hpp"

namespace {

using namespace breakstep;

constexpr std::size_t chains = 50;
constexpr std::uint32_t draws = 40;

template <class Real>
std::string hash_of_job(std::string_view sampler_name, const registry::TargetEntry& entry, bool one_chain_at_a_time) {
  const auto sampler = registry::make_sampler(sampler_name);
  const std::shared_ptr<const registry::AnyTarget> target =
      registry::make_target(entry, {.dimension = entry.takes_dimension ? 3 : 0, .points = entry.takes_points ? 20 : 0});
  const auto run =
      registry::make_run<Real>(*sampler, target, lanes::Storage::interleaved, 2025, chains, one_chain_at_a_time);
  try {
    const auto result = runtime::draw_all(*run, {.chains = chains, .draws = draws, .seed = 2025});
    std::ostringstream text;
    text << std::hex << runtime::hash_of(result.values);
    return text.str();
  } catch (const Error&) {
    return "refused";  // folds of chains that start outside the support
  }
}

/// "sampler target precision" → hash, for every built-in pair that fits together.
std::map<std::string, std::string> all_hashes(bool one_chain_at_a_time) {
  std::map<std::string, std::string> hashes;
  for (const auto& sampler : registry::samplers()) {
    for (const auto& target : registry::targets()) {
      if (registry::make_sampler(sampler.name)->asks() == target::Asks::likelihood && !target.has_prior) continue;
      const std::string pair = std::string(sampler.name) + " " + std::string(target.name);
      hashes[pair + " single"] = hash_of_job<float>(sampler.name, target, one_chain_at_a_time);
      hashes[pair + " double"] = hash_of_job<double>(sampler.name, target, one_chain_at_a_time);
    }
  }
  return hashes;
}

TEST(Golden, DrawsAreThoseOfTheDayTheFileWasWritten) {
  const auto hashes = all_hashes(false);
  if (std::getenv("BREAKSTEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream out(BREAKSTEP_GOLDEN_FILE);
    for (const auto& [job, hash] : hashes) out << job << " " << hash << "\n";
  }
  std::ifstream in(BREAKSTEP_GOLDEN_FILE);
  std::map<std::string, std::string> expected;
  std::string sampler, target, precision, hash;
  while (in >> sampler >> target >> precision >> hash) {
    expected[std::string(sampler).append(" ").append(target).append(" ").append(precision)] = hash;
  }
  EXPECT_EQ(hashes, expected);
  EXPECT_GE(expected.size(), 40U);
}

TEST(Golden, OneChainAtATimeDrawsTheSameThroughTheRegistry) { EXPECT_EQ(all_hashes(true), all_hashes(false)); }

}  // namespace
