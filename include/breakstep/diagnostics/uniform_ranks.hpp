// Are ranks uniform? Bands around their distribution function that hold all along it at once (Säilynoja, Bürkner and
// Vehtari 2022, "Graphical test for discrete uniformity and its applications in goodness-of-fit evaluation and multiple
// sample comparison").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// How many of the ranks may be at most k, for k = 0, 1, … up to the last rank but one.
struct RankBand {
  std::vector<std::uint32_t> lowest, highest;
};

struct RankCheck {
  double p = 1;                  ///< probability that uniform ranks stray as far somewhere, or further; to within 1e-11
  double largest_deviation = 0;  ///< of the distribution function from the uniform one
  bool is_inside = true;
};

/// `count` independent ranks, each of 0 … highest_rank equally likely.
class UniformRanks {
 public:
  UniformRanks(std::size_t count, std::size_t highest_rank);

  /// The widest band that uniform ranks leave somewhere with a probability of at most `false_alarm`. At every k the
  /// binomial probability of being outside is the same, as far as whole numbers allow; computed, not simulated.
  [[nodiscard]] RankBand band(double false_alarm) const;

  /// The least and the most that a bin of so many different ranks holds, but for `false_alarm`.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> bin_interval(std::size_t ranks, double false_alarm) const;

  /// `counts` says how often each rank occurred.
  [[nodiscard]] RankCheck check(std::span<const std::uint32_t> counts, const RankBand& band) const;

 private:
  struct Tails {
    std::vector<double> below, above;  // probabilities of at most, and of at least, so many
  };
  [[nodiscard]] Tails tails(double share) const;
  [[nodiscard]] double share(std::size_t k) const {
    return (static_cast<double>(k) + 1) / (static_cast<double>(highest_rank_) + 1);
  }
  /// The counts whose two-sided probability is above `level`, if each rank has the probability `share` of counting.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> interval(double share, double level) const;
  /// All counts whose two-sided probability at their k is above `level`.
  [[nodiscard]] RankBand band_at(double level) const;
  /// The probability that uniform ranks stay in the band.
  [[nodiscard]] double coverage(const RankBand& band) const;

  std::size_t count_, highest_rank_;
  std::vector<double> log_factorials_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
