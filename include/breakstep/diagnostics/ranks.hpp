// Normal scores of ranks, of numbers as they are or folded about their median.
#pragma once

#include <cstddef>
#include <span>

#include "breakstep/abi.hpp"
#include "breakstep/diagnostics/order.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// Writes for each of the numbers that were at places below scores.size() the normal score of its rank r among them,
/// Φ⁻¹((r - 3/8) / (size + 1/4)) (Blom 1958). Equal numbers share their average rank.
void normal_scores(const Order& order, std::span<double> scores);

/// The same for the distances of these numbers to their median, without another sort.
void folded_normal_scores(const Order& order, std::span<double> scores);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
