// Averages over chains, one chain at a time, and the R-hat and effective size that follow from them.
#include "breakstep/diagnostics/autocovariance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sum.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {
namespace {

// Up to this length, length² / 2 products cost less than a transform.
constexpr std::size_t longest_direct = 24;

}  // namespace

void ChainMoments::start(std::size_t length) {
  *this = {};
  length_ = length;
  smallest_ = std::numeric_limits<double>::infinity();
  largest_ = -smallest_;
}

void ChainMoments::add(std::span<const double> chain, double* centered) {
  const double first = chain.front();
  const double rise = sum(chain, [=](double x) { return x - first; }) / static_cast<double>(length_);
  double smallest = first;
  double largest = first;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    smallest = std::min(smallest, chain[i]);
    largest = std::max(largest, chain[i]);
    centered[i] = (chain[i] - first) - rise;
  }
  smallest_ = std::min(smallest_, smallest);
  largest_ = std::max(largest_, largest);
  squares_ += sum(std::span<const double>(centered, chain.size()), [](double x) { return x * x; });
  if (chains_ == 0) origin_ = first;
  ++chains_;
  const double mean = (first - origin_) + rise;
  const double change = mean - grand_mean_;
  grand_mean_ += change / static_cast<double>(chains_);
  squares_of_means_ += change * (mean - grand_mean_);
}

double ChainMoments::mean_variance() const { return squares_ / static_cast<double>(chains_ * length_); }

double ChainMoments::variance_of_means() const { return squares_of_means_ / (static_cast<double>(chains_) - 1.0); }

void Autocovariance::start(std::size_t length, Method method) {
  moments_.start(length);
  is_direct_ = method == Method::automatic ? length <= longest_direct : method == Method::direct;
  lags_.assign(length, 0.0);
  const std::size_t size = is_direct_ ? length : std::bit_ceil(2 * length);
  real_.resize(size);
  if (is_direct_) return;
  fourier_.resize(size);
  imaginary_.resize(size);
  power_.assign(size, 0.0);
}

void Autocovariance::add(std::span<const double> chain) {
  const bool is_second = moments_.chains() % 2 == 1;
  double* centered = is_second && !is_direct_ ? imaginary_.data() : real_.data();
  moments_.add(chain, centered);
  if (is_direct_) return add_products();
  std::fill(centered + chain.size(), centered + fourier_.size(), 0.0);
  if (is_second) add_power();
}

void Autocovariance::add_products() {
  const double* x = real_.data();
  double* lags = lags_.data();
  const std::size_t length = moments_.length();
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t lag = 0; lag < length - i; ++lag) lags[lag] += x[i] * x[i + lag];
  }
}

void Autocovariance::add_power() {
  fourier_.forward(real_.data(), imaginary_.data());
  for (std::size_t k = 0; k < fourier_.size(); ++k) power_[k] += real_[k] * real_[k] + imaginary_[k] * imaginary_[k];
}

void Autocovariance::finish() {
  const std::size_t length = moments_.length();
  auto divisor = static_cast<double>(moments_.chains() * length);
  if (!is_direct_) {
    if (moments_.chains() % 2 == 1) {
      std::fill(imaginary_.begin(), imaginary_.end(), 0.0);
      add_power();
    }
    // The real part of the autocovariance of x + iy is the sum of those of x and y.
    std::fill(imaginary_.begin(), imaginary_.end(), 0.0);
    fourier_.backward(power_.data(), imaginary_.data());
    std::copy_n(power_.begin(), length, lags_.begin());
    divisor *= static_cast<double>(fourier_.size());
  }
  for (double& lag : lags_) lag /= divisor;
  lags_[0] = moments_.mean_variance();
}

double rhat(const ChainMoments& moments) {
  const auto length = static_cast<double>(moments.length());
  const double within = moments.mean_variance() * length / (length - 1.0);
  const double between = length * moments.variance_of_means();
  return std::sqrt((between / within + length - 1.0) / length);
}

double effective_size(const Autocovariance& autocovariance) {
  const ChainMoments& moments = autocovariance.moments();
  const auto draws = static_cast<double>(moments.chains() * moments.length());
  if (moments.range() < 1e-15) return draws;
  const auto length = static_cast<double>(moments.length());
  const std::span<const double> lags = autocovariance.lags();
  const double within = lags[0] * length / (length - 1.0);
  double total = lags[0];
  if (moments.chains() > 1) total += moments.variance_of_means();
  const auto correlation = [&](std::size_t lag) { return 1.0 - (within - lags[lag]) / total; };

  // Pairs of neighbouring lags count until their sum is negative, and never more than the pair before.
  double even = 1.0;
  double odd = correlation(1);
  double pairs = 0.0;
  double previous = std::numeric_limits<double>::infinity();
  for (std::size_t lag = 2; lag + 2 < lags.size() && even + odd > 0.0; lag += 2) {
    previous = std::min(previous, even + odd);
    pairs += previous;
    even = correlation(lag);
    odd = correlation(lag + 1);
  }
  if (std::isnan(even + odd)) return std::numeric_limits<double>::quiet_NaN();
  // Of the pair after the last, the even lag counts once.
  const double last = even > 0.0 || even + odd >= 0.0 ? even : 0.0;
  const double time = std::max(-1.0 + 2.0 * pairs + last, 1.0 / std::log10(draws));
  return draws / time;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
