// Walks up the sorted numbers, or from the median outwards on both sides, one run of equal values at a time.
#include "breakstep/diagnostics/ranks.hpp"

#include <algorithm>
#include <limits>

#include "breakstep/diagnostics/normal_quantile.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

// The numbers that are ranked are those from places below `size`; the others are passed over.
class Walk {
 public:
  Walk(const Order& order, std::size_t size) : values_(order.values()), places_(order.places()), size_(size) {}

  std::ptrdiff_t end() const { return static_cast<std::ptrdiff_t>(values_.size()); }
  double value(std::ptrdiff_t i) const { return values_[i]; }
  std::size_t place(std::ptrdiff_t i) const { return places_[i]; }
  bool is_ranked(std::ptrdiff_t i) const { return places_[i] < size_; }

  // The first position from i on, in the given direction, that is ranked or outside.
  std::ptrdiff_t skip(std::ptrdiff_t i, std::ptrdiff_t direction) const {
    while (i >= 0 && i < end() && !is_ranked(i)) i += direction;
    return i;
  }

  std::ptrdiff_t next(std::ptrdiff_t i) const { return skip(i + 1, 1); }
  std::ptrdiff_t previous(std::ptrdiff_t i) const { return skip(i - 1, -1); }

 private:
  std::span<const double> values_;
  std::span<const std::uint32_t> places_;
  std::size_t size_;
};

}  // namespace

void RankScores::start(std::size_t size) {
  if (of_whole_.size() == size) return;
  divisor_ = static_cast<double>(size) + 0.25;
  of_whole_.assign(size, std::numeric_limits<double>::quiet_NaN());
}

double RankScores::compute(std::size_t below, std::size_t length) const {
  const double rank = static_cast<double>(below) + 0.5 * (static_cast<double>(length) + 1.0);
  return normal_quantile((rank - 0.375) / divisor_);
}

void normal_scores(const Order& order, std::span<double> scores, RankScores& of_ranks) {
  const Walk walk(order, scores.size());
  of_ranks.start(scores.size());
  std::size_t ranked = 0;
  for (std::ptrdiff_t begin = walk.skip(0, 1); begin < walk.end();) {
    std::size_t length = 0;
    std::ptrdiff_t end = begin;
    for (; end < walk.end() && walk.value(end) == walk.value(begin); end = walk.next(end)) ++length;
    const double score = of_ranks.of_run(ranked, length);
    ranked += length;
    for (std::ptrdiff_t i = begin; i < end; i = walk.next(i)) scores[walk.place(i)] = score;
    begin = end;
  }
}

void folded_normal_scores(const Order& order, std::span<double> scores, RankScores& of_ranks) {
  if (scores.empty()) return;
  const Walk walk(order, scores.size());
  of_ranks.start(scores.size());
  std::size_t ranked = 0;
  std::ptrdiff_t below = walk.skip(0, 1);
  for (std::size_t i = 1; i < (scores.size() + 1) / 2; ++i) below = walk.next(below);
  std::ptrdiff_t above = walk.next(below);
  const bool is_odd = scores.size() % 2 == 1;
  const double median = is_odd ? walk.value(below) : (walk.value(below) + walk.value(above)) / 2.0;

  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto distance_below = [&](std::ptrdiff_t i) { return i >= 0 ? median - walk.value(i) : infinity; };
  const auto distance_above = [&](std::ptrdiff_t i) { return i < walk.end() ? walk.value(i) - median : infinity; };
  while (below >= 0 || above < walk.end()) {
    const double distance = std::min(distance_below(below), distance_above(above));
    std::size_t length = 0;
    std::ptrdiff_t lowest = below;
    std::ptrdiff_t highest = above;
    for (; lowest >= 0 && distance_below(lowest) == distance; lowest = walk.previous(lowest)) ++length;
    for (; highest < walk.end() && distance_above(highest) == distance; highest = walk.next(highest)) ++length;
    const double score = of_ranks.of_run(ranked, length);
    ranked += length;
    for (; below > lowest; below = walk.previous(below)) scores[walk.place(below)] = score;
    for (; above < highest; above = walk.next(above)) scores[walk.place(above)] = score;
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
