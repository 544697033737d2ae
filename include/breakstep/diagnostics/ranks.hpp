// Normal scores of ranks, of numbers as they are or folded about their median.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/diagnostics/order.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Normal scores of ranks r among `size` numbers, Φ⁻¹((r - 3/8) / (size + 1/4)) (Blom 1958). Those of whole ranks are
/// remembered, 8 bytes each, as they are the same for all numbers of that size.
class RankScores {
 public:
  /// Before scores of another size.
  void start(std::size_t size);

  /// Of a run of equal numbers, with so many below it: they share their average rank.
  double of_run(std::size_t below, std::size_t length) {
    if (length % 2 == 0) return compute(below, length);
    double& score = of_whole_[below + length / 2];
    if (std::isnan(score)) score = compute(below, length);
    return score;
  }

 private:
  double compute(std::size_t below, std::size_t length) const;

  double divisor_ = 0;
  std::vector<double> of_whole_;  // NaN where nobody has asked yet
};

/// Writes for each of the numbers that were at places below scores.size() the normal score of its rank among them.
void normal_scores(const Order& order, std::span<double> scores, RankScores& of_ranks);

/// The same for the distances of these numbers to their median, without another sort.
void folded_normal_scores(const Order& order, std::span<double> scores, RankScores& of_ranks);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
