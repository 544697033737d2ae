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

enum class Width : bool { one_lane, as_wide_as_useful };

struct Size {
  std::size_t chains;
  std::uint32_t draws;
};

/// Hash of a job's draws, and how many lanes drew them.
struct Drawn {
  std::string hash;
  int lanes = 0;
};

template <class Real>
Drawn draw(std::string_view sampler_name, const registry::TargetEntry& entry, Size size, Width width) {
  const auto sampler = registry::make_sampler(sampler_name);
  const std::shared_ptr<const registry::AnyTarget> target =
      registry::make_target(entry, {.dimension = entry.takes_dimension ? 3 : 0, .points = entry.takes_points ? 20 : 0});
  const auto run = registry::make_run<Real>(*sampler, target, lanes::Storage::interleaved, 2025, size.chains,
                                            width == Width::one_lane);
  try {
    const auto result = runtime::draw_all(*run, {.chains = size.chains, .draws = size.draws, .seed = 2025});
    std::ostringstream text;
    text << std::hex << runtime::hash_of(result.values);
    return {text.str(), run->lane_count()};
  } catch (const Error&) {
    return {"refused"};  // folds of chains that start outside the support
  }
}

bool fit_together(std::string_view sampler, const registry::TargetEntry& target) {
  return registry::make_sampler(sampler)->asks() != target::Asks::likelihood || target.has_prior;
}

/// "sampler target precision" → hash, for every built-in pair that fits together.
std::map<std::string, std::string> all_hashes(Size size, Width width) {
  std::map<std::string, std::string> hashes;
  for (const auto& sampler : registry::samplers()) {
    for (const auto& target : registry::targets()) {
      if (!fit_together(sampler.name, target)) continue;
      const std::string pair = std::string(sampler.name) + " " + std::string(target.name);
      hashes[pair + " single"] = draw<float>(sampler.name, target, size, width).hash;
      hashes[pair + " double"] = draw<double>(sampler.name, target, size, width).hash;
    }
  }
  return hashes;
}

TEST(Golden, DrawsAreThoseOfTheDayTheFileWasWritten) {
  const auto hashes = all_hashes({.chains = 50, .draws = 40}, Width::as_wide_as_useful);
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

TEST(Golden, OneChainAtATimeDrawsTheSameThroughTheRegistry) {
  constexpr Size size{.chains = 50, .draws = 10};
  EXPECT_EQ(all_hashes(size, Width::one_lane), all_hashes(size, Width::as_wide_as_useful));
}

TEST(Golden, SeveralRegistersOfLanesDrawTheSame) {
  constexpr Size many{.chains = 16 * registry::WideFloats::lanes, .draws = 3};  // enough to be run so anywhere
  int wide_jobs = 0;
  for (const std::string_view sampler : {"delayed_rejection", "elliptical_slice", "slice"}) {
    for (const auto& target : registry::targets()) {
      if (!fit_together(sampler, target)) continue;
      const auto compare = [&]<class Real>(Real) {
        const auto wide = draw<Real>(sampler, target, many, Width::as_wide_as_useful);
        if (wide.lanes == lanes::native_width<Real>) return;
        ++wide_jobs;
        EXPECT_EQ(wide.hash, draw<Real>(sampler, target, many, Width::one_lane).hash) << sampler << " " << target.name;
      };
      compare(float{});
      compare(double{});
    }
  }
  EXPECT_GE(wide_jobs, 40);
}

}  // namespace
