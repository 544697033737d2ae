// One copy, one sort and one pass over the halves of the chains for each effective size.
#include "breakstep/diagnostics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "breakstep/diagnostics/beta_quantile.hpp"
#include "breakstep/diagnostics/ranks.hpp"
#include "breakstep/error.hpp"
#include "sum.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void require_probability(double p) {
  if (p >= 0.0 && p <= 1.0) return;
  throw Error("there is no quantile of order " + std::to_string(p), "the order is a probability",
              "give a number between 0 and 1");
}

// NumPy's formula to the last bit, because draws are then compared with the result: equal draws must count as not
// larger.
double interpolated_quantile(std::span<const double> sorted, double p) {
  const double position = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  const double low = sorted[below];
  const double high = sorted[std::min(below + 1, sorted.size() - 1)];
  const double weight = position - static_cast<double>(below);
  return weight < 0.5 ? low + (high - low) * weight : high - (high - low) * (1.0 - weight);
}

// Copies draws first_draw, first_draw + 1, ... of chain c to `to` + c * to_stride, a few chains at a time: where chains
// lie side by side, those share cache lines.
template <class Real>
void copy_draws(const DrawsView<Real>& view, std::size_t first_draw, std::size_t draws, double* to,
                std::size_t to_stride) {
  if (draws == 0) return;
  constexpr std::size_t tile = 16;
  const Real* from = view.data + static_cast<std::ptrdiff_t>(first_draw) * view.draw_stride;
  for (std::size_t begin = 0; begin < view.chains; begin += tile) {
    const std::size_t end = std::min(begin + tile, view.chains);
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const Real* row = from + static_cast<std::ptrdiff_t>(draw) * view.draw_stride;
      for (std::size_t chain = begin; chain < end; ++chain) {
        to[chain * to_stride + draw] = static_cast<double>(row[static_cast<std::ptrdiff_t>(chain) * view.chain_stride]);
      }
    }
  }
}

}  // namespace

template <class Real>
Summarizer& Summarizer::copy(const DrawsView<Real>& view) {
  const std::size_t total = view.chains * view.draws;
  if (view.draws != 0 && (total / view.draws != view.chains || total > std::numeric_limits<std::uint32_t>::max())) {
    throw Error(
        "cannot summarize " + std::to_string(view.chains) + " chains of " + std::to_string(view.draws) + " draws",
        "there can be at most 4294967295 draws of one parameter", "thin the draws or leave out some chains");
  }
  values_.resize(total);
  chains_ = view.chains;
  draws_ = view.draws;
  half_ = draws_ / 2;
  split_ = 2 * half_ * chains_;
  is_sorted_ = false;
  moments_.reset();
  bulk_.reset();
  copy_draws(view, 0, half_, values_.data(), 2 * half_);
  copy_draws(view, draws_ - half_, half_, values_.data() + half_, 2 * half_);
  copy_draws(view, half_, draws_ - 2 * half_, values_.data() + split_, 1);
  is_finite_ = std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); });
  return *this;
}

Summarizer& Summarizer::read(const DrawsView<float>& view) { return copy(view); }
Summarizer& Summarizer::read(const DrawsView<double>& view) { return copy(view); }

const Summarizer::Moments& Summarizer::moments() {
  if (moments_) return *moments_;
  const auto draws = static_cast<double>(values_.size());
  Moments moments{.first = values_.front(), .rise = 0.0, .variance = 0.0};
  moments.rise = sum(values_, [&](double x) { return x - moments.first; }) / draws;
  moments.variance = sum(values_, [&](double x) { return moments.deviation(x) * moments.deviation(x); }) / draws;
  moments_ = moments;
  return *moments_;
}

const Order& Summarizer::order() {
  if (!is_sorted_) order_.sort(values_);
  is_sorted_ = true;
  return order_;
}

// The effective size of function(draw) over the halves of the chains.
template <class Function>
double Summarizer::ess_of(Function function) {
  row_.resize(half_);
  autocovariance_.start(half_);
  for (std::size_t begin = 0; begin < split_; begin += half_) {
    for (std::size_t i = 0; i < half_; ++i) row_[i] = function(values_[begin + i]);
    autocovariance_.add(row_);
  }
  autocovariance_.finish();
  return effective_size(autocovariance_);
}

const Summarizer::Bulk& Summarizer::bulk() {
  if (bulk_) return *bulk_;
  order();
  const std::span<double> scores = order_.spare().first(split_);
  normal_scores(order_, scores, rank_scores_);
  autocovariance_.start(half_);
  for (std::size_t begin = 0; begin < split_; begin += half_) autocovariance_.add(scores.subspan(begin, half_));
  autocovariance_.finish();
  bulk_ = Bulk{diagnostics::rhat(autocovariance_.moments()), effective_size(autocovariance_)};
  return *bulk_;
}

double Summarizer::folded_rhat() {
  order();
  const std::span<double> scores = order_.spare().first(split_);
  folded_normal_scores(order_, scores, rank_scores_);
  row_.resize(half_);
  ChainMoments moments;
  moments.start(half_);
  for (std::size_t begin = 0; begin < split_; begin += half_) moments.add(scores.subspan(begin, half_), row_.data());
  return diagnostics::rhat(moments);
}

double Summarizer::mean() { return is_finite_ && !values_.empty() ? moments().first + moments().rise : nan; }

double Summarizer::sd() {
  if (!is_finite_ || values_.size() < 2) return nan;
  const auto draws = static_cast<double>(values_.size());
  return std::sqrt(moments().variance * draws / (draws - 1.0));
}

double Summarizer::quantile(double p) {
  require_probability(p);
  return is_finite_ && !values_.empty() ? interpolated_quantile(order().values(), p) : nan;
}

double Summarizer::rhat() {
  if (!can_diagnose() || chains_ < 2) return nan;
  const double whole = bulk().rhat;
  const double folded = folded_rhat();
  // Folding can make all draws equal; a NaN from there says nothing about them.
  return folded > whole ? folded : whole;
}

double Summarizer::ess_bulk() { return can_diagnose() ? bulk().ess : nan; }

double Summarizer::ess_tail() { return std::min(ess_quantile(0.05), ess_quantile(0.95)); }

double Summarizer::ess_mean() {
  return can_diagnose() ? ess_of([](double x) { return x; }) : nan;
}

double Summarizer::ess_sd() {
  if (!can_diagnose()) return nan;
  return ess_of([moments = moments()](double x) { return moments.deviation(x) * moments.deviation(x); });
}

double Summarizer::ess_quantile(double p) {
  require_probability(p);
  if (!can_diagnose()) return nan;
  return ess_of([bound = quantile(p)](double x) { return x <= bound ? 1.0 : 0.0; });
}

double Summarizer::mcse_mean() { return sd() / std::sqrt(ess_mean()); }

double Summarizer::mcse_sd() {
  if (!can_diagnose()) return nan;
  const Moments moments = this->moments();
  const double squares_of_excess = sum(values_, [&](double x) {
    const double excess = moments.deviation(x) * moments.deviation(x) - moments.variance;
    return excess * excess;
  });
  const double variance_of_square = squares_of_excess / static_cast<double>(values_.size());
  return std::sqrt(variance_of_square / ess_sd() / moments.variance / 4.0);
}

double Summarizer::mcse_quantile(double p) {
  const double size = ess_quantile(p);
  if (std::isnan(size)) return nan;
  // The order statistics one standard deviation below and above, as a quantile's rank has a beta distribution.
  const double below = beta_quantile(0.1586553, size * p + 1.0, size * (1.0 - p) + 1.0);
  const double above = beta_quantile(0.8413447, size * p + 1.0, size * (1.0 - p) + 1.0);
  const std::span<const double> sorted = order().values();
  const auto draws = static_cast<double>(sorted.size());
  const double lower = sorted[static_cast<std::size_t>(std::floor(std::max(below * draws - 1.0, 0.0)))];
  const double upper = sorted[static_cast<std::size_t>(std::ceil(std::clamp(above * draws - 1.0, 0.0, draws - 1.0)))];
  return (upper - lower) / 2.0;
}

Summary Summarizer::summarize() {
  return {.mean = mean(),
          .sd = sd(),
          .mcse_mean = mcse_mean(),
          .mcse_sd = mcse_sd(),
          .q5 = quantile(0.05),
          .q50 = quantile(0.5),
          .q95 = quantile(0.95),
          .rhat = rhat(),
          .ess_bulk = ess_bulk(),
          .ess_tail = ess_tail()};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
