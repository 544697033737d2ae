// calibrate(): simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman 2018). Parameters are drawn
// from the prior, data from the model, and chains from the posterior, many times over; if all is right, the rank of the
// true parameter among a replicate's draws is uniform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/warm_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::calibration {

struct Options {
  std::size_t replicates = 1000;
  std::size_t chains = 8;  ///< of each replicate
  std::size_t draws = 99;  ///< of each replicate, all chains together, that a rank is taken among
  std::uint32_t thin = 1;  ///< every so many draws of a chain one counts
  /// Each replicate's warm-up; chains of a sampler without steps, or with a given tuning, forget as many draws. 0 draws
  /// leave the sampler's own step size.
  runtime::WarmUpOptions warm_up = {.draws = 500};
  /// Of samplers with steps: none means that every replicate finds its own.
  std::optional<runtime::Tuning> tuning = {};
  std::uint64_t seed = 1;
  int threads = 1;                                          ///< 0 means one per core; never changes a rank
  std::function<void(std::size_t)> on_replicate_done = {};  ///< is told how many are
};

/// How often each quantity had which rank. Quantities are what the target reports, and its log density, which alone
/// notices draws that ignore the data.
struct Ranks {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> counts;  ///< for each quantity, of ranks 0 … draws
  /// For each quantity, how many independent draws one of the draws is worth, by the bulk effective size: the median
  /// over replicates. NaN where chains are too short to tell. Much below 1, the ranks are not uniform even if all is
  /// right.
  std::vector<double> worth;
  std::uint64_t bad_starts = 0;  ///< chains, of all replicates
  std::uint64_t events = 0;      ///< draws that diverged or whose loop was cut short
  double seconds = 0;
};

using MakeSampler = std::function<std::unique_ptr<registry::AnySampler>()>;

/// The tuning that the first replicate of these options finds.
template <class Real>
runtime::Tuning first_tuning(const MakeSampler& make_sampler, const registry::AnyTarget& target,
                             const Options& options);

/// Throws Error if the target cannot simulate, or what a replicate's warm-up throws.
template <class Real>
Ranks calibrate(const MakeSampler& make_sampler, const registry::AnyTarget& target, const Options& options);

extern template runtime::Tuning first_tuning<float>(const MakeSampler&, const registry::AnyTarget&, const Options&);
extern template runtime::Tuning first_tuning<double>(const MakeSampler&, const registry::AnyTarget&, const Options&);
extern template Ranks calibrate<float>(const MakeSampler&, const registry::AnyTarget&, const Options&);
extern template Ranks calibrate<double>(const MakeSampler&, const registry::AnyTarget&, const Options&);

}  // namespace breakstep::inline BREAKSTEP_ABI::calibration
