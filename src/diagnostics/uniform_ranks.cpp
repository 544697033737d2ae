// The number of ranks up to k, as k grows, is a Markov chain of binomial increments: followed exactly within a band.
#include "breakstep/diagnostics/uniform_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

UniformRanks::UniformRanks(std::size_t count, std::size_t highest_rank) : count_(count), highest_rank_(highest_rank) {
  log_factorials_.push_back(0);
  for (std::size_t n = 1; n <= count; ++n) {
    log_factorials_.push_back(log_factorials_.back() + std::log(static_cast<double>(n)));
  }
}

UniformRanks::Tails UniformRanks::tails(double share) const {
  Tails tails;
  const double log_share = std::log(share), log_rest = std::log1p(-share);
  for (std::size_t c = 0; c <= count_; ++c) {
    const double log_ways = log_factorials_[count_] - log_factorials_[c] - log_factorials_[count_ - c];
    tails.below.push_back(
        std::exp(log_ways + static_cast<double>(c) * log_share + static_cast<double>(count_ - c) * log_rest));
  }
  tails.above = tails.below;
  for (std::size_t c = 1; c <= count_; ++c) {
    tails.below[c] += tails.below[c - 1];
    tails.above[count_ - c] += tails.above[count_ - c + 1];
  }
  return tails;
}

std::pair<std::uint32_t, std::uint32_t> UniformRanks::interval(double share, double level) const {
  const Tails probability = tails(share);
  std::size_t lowest = 0, highest = count_;
  while (lowest < count_ && 2 * probability.below[lowest] <= level) ++lowest;
  while (highest > 0 && 2 * probability.above[highest] <= level) --highest;
  return {static_cast<std::uint32_t>(lowest), static_cast<std::uint32_t>(highest)};
}

std::pair<std::uint32_t, std::uint32_t> UniformRanks::bin_interval(std::size_t ranks, double false_alarm) const {
  return interval(static_cast<double>(ranks) / static_cast<double>(highest_rank_ + 1), false_alarm);
}

RankBand UniformRanks::band_at(double level) const {
  RankBand band;
  for (std::size_t k = 0; k < highest_rank_; ++k) {
    const auto [lowest, highest] = interval(share(k), level);
    band.lowest.push_back(lowest);
    band.highest.push_back(highest);
  }
  return band;
}

double UniformRanks::coverage(const RankBand& band) const {
  constexpr double negligible = 1e-25;
  // probability[c - lowest]: of c ranks up to k, and of having been in the band until there.
  std::vector<double> probability{1};
  std::size_t first = 0;
  for (std::size_t k = 0; k < highest_rank_; ++k) {
    const std::size_t lowest = band.lowest[k], highest = band.highest[k];
    if (lowest > highest) return 0;
    std::vector<double> next(highest - lowest + 1);
    // Of the ranks above k - 1, each is k with this probability.
    const double hit = 1 / static_cast<double>(highest_rank_ + 1 - k), odds = hit / (1 - hit);
    for (std::size_t i = 0; i < probability.size(); ++i) {
      const std::size_t c = first + i;
      if (probability[i] < negligible || c > highest) continue;
      const std::size_t left = count_ - c, least = std::max(lowest, c) - c, most = std::min(highest - c, left);
      if (least > most) continue;
      const auto mode = static_cast<std::size_t>(static_cast<double>(left + 1) * hit);
      const std::size_t middle = std::clamp(mode, least, most);
      const auto real = [](std::size_t n) { return static_cast<double>(n); };
      const double log_ways = log_factorials_[left] - log_factorials_[middle] - log_factorials_[left - middle];
      const double at_middle =
          probability[i] * std::exp(log_ways + real(middle) * std::log(hit) + real(left - middle) * std::log1p(-hit));
      double term = at_middle;
      for (std::size_t a = middle; a <= most && term > negligible; ++a) {
        next[c + a - lowest] += term;
        term *= real(left - a) / real(a + 1) * odds;
      }
      term = at_middle;
      for (std::size_t a = middle; a > least && term > negligible; --a) {
        term *= real(a) / real(left - a + 1) / odds;
        next[c + a - 1 - lowest] += term;
      }
    }
    probability = std::move(next);
    first = lowest;
  }
  double sum = 0;
  for (const double p : probability) sum += p;
  return sum;
}

RankBand UniformRanks::band(double false_alarm) const {
  double low = std::log(1e-15), high = 0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (coverage(band_at(std::exp(middle))) >= 1 - false_alarm ? low : high) = middle;
  }
  return band_at(std::exp(low));
}

RankCheck UniformRanks::check(std::span<const std::uint32_t> counts, const RankBand& band) const {
  RankCheck result;
  double level = 1;
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < highest_rank_; ++k) {
    sum += counts[k];
    const Tails probability = tails(share(k));
    level = std::min({level, 2 * probability.below[sum], 2 * probability.above[sum]});
    const double deviation = std::fabs(static_cast<double>(sum) / static_cast<double>(count_) - share(k));
    result.largest_deviation = std::max(result.largest_deviation, deviation);
    if (sum < band.lowest[k] || sum > band.highest[k]) result.is_inside = false;
  }
  result.p = std::clamp(1 - coverage(band_at(level)), 0.0, 1.0);
  return result;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
