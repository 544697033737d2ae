// Means, variances and autocovariances of many chains of equal length, averaged over the chains.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/diagnostics/fourier.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

/// What R-hat needs of a set of chains of equal length, taken in one at a time.
class ChainMoments {
 public:
  /// Forgets all chains; the next ones have `length` draws each, at least 2.
  void start(std::size_t length);

  /// Takes in one chain of finite draws and writes the draws minus their mean. A constant chain gives exact zeros.
  void add(std::span<const double> chain, double* centered);

  std::size_t chains() const { return chains_; }
  std::size_t length() const { return length_; }
  /// The largest draw minus the smallest one.
  double range() const { return largest_ - smallest_; }
  /// The mean over chains of their variances, with divisor length.
  double mean_variance() const;
  /// The variance of the chains' means, with divisor chains - 1.
  double variance_of_means() const;

 private:
  std::size_t length_ = 0;
  std::size_t chains_ = 0;
  double smallest_ = 0.0, largest_ = 0.0;
  double squares_ = 0.0;  // about each chain's own mean
  // Means are kept relative to the first draw of all: far from zero they differ in their last digits only.
  double origin_ = 0.0;
  double grand_mean_ = 0.0, squares_of_means_ = 0.0;  // Welford's recurrence
};

/// `ChainMoments` and autocovariances. All chains share one inverse transform, because only their average is wanted;
/// short chains are summed directly. Memory: O(length) whatever the number of chains.
class Autocovariance {
 public:
  enum class Method : unsigned char { automatic, direct, fourier };

  /// Forgets all chains; the next ones have `length` draws each, at least 2.
  void start(std::size_t length, Method method = Method::automatic);
  void add(std::span<const double> chain);
  /// To be called after the last chain.
  void finish();

  const ChainMoments& moments() const { return moments_; }
  /// The autocovariance at lags 0 to length - 1, each with divisor length, averaged over chains. Valid after `finish`.
  std::span<const double> lags() const { return {lags_.data(), moments_.length()}; }

 private:
  void add_products();
  void add_power();

  ChainMoments moments_;
  bool is_direct_ = true;
  std::vector<double> lags_;
  // Two chains are transformed at once as one complex sequence.
  Fourier fourier_;
  std::vector<double> real_, imaginary_, power_;
};

/// R-hat of the chains as taken in (split them before): √((length - 1) / length + variance of means / mean of
/// variances). Infinite if every chain is constant but they differ, NaN if all draws are equal.
double rhat(const ChainMoments& moments);

/// The number of independent draws with the same error of the mean, by Geyer's initial monotone positive sequence with
/// the conventions of ArviZ: never more than log10(draws) times the draws, and all of them if they are equal to 1e-15.
double effective_size(const Autocovariance& autocovariance);

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
