// What is reported about the draws of one parameter: moments, quantiles, their Monte Carlo errors, and convergence.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/diagnostics/autocovariance.hpp"
#include "breakstep/diagnostics/order.hpp"
#include "breakstep/diagnostics/ranks.hpp"
#include "breakstep/diagnostics/view.hpp"

namespace breakstep::inline BREAKSTEP_ABI::diagnostics {

struct Summary {
  double mean;
  double sd;         ///< divisor draws - 1
  double mcse_mean;  ///< Monte Carlo standard error of the mean
  double mcse_sd;    ///< and of the standard deviation
  double q5, q50, q95;
  double rhat;  ///< above 1.01, the chains have not converged
  double ess_bulk;
  double ess_tail;
};

/// Computes what Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021, "Rank-normalization, folding, and localization:
/// an improved R-hat") define, with the conventions of ArviZ. Made once and used for one parameter after the other, it
/// keeps its memory: 40 bytes per draw, and O(draws of one chain).
///
/// Everything is NaN if any draw is NaN or infinite. R-hat, effective sizes and Monte Carlo errors are NaN below 4
/// draws per chain, and R-hat also for a single chain. If all draws are equal, effective sizes are their number, the
/// error of the mean is 0, R-hat and the error of sd are NaN. Of an odd number of draws per chain, the middle one is
/// left out of R-hat and effective sizes.
class Summarizer {
 public:
  Summary summarize(const DrawsView<float>& view) { return read(view).summarize(); }
  Summary summarize(const DrawsView<double>& view) { return read(view).summarize(); }

  /// Copies the draws; the functions below are about them. Throws above 2^32 - 1 draws.
  Summarizer& read(const DrawsView<float>& view);
  Summarizer& read(const DrawsView<double>& view);

  Summary summarize();
  double mean();
  double sd();
  /// With linear interpolation between draws (type 7 of Hyndman and Fan, NumPy's default). Throws unless 0 ≤ p ≤ 1.
  double quantile(double p);

  /// The larger of R-hat of split, rank-normalised draws and of those folded about the median.
  double rhat();
  /// Effective size of split, rank-normalised draws.
  double ess_bulk();
  /// The smaller of the effective sizes for the 5 % and 95 % quantiles.
  double ess_tail();
  /// Effective sizes for the mean, the standard deviation and a quantile.
  double ess_mean();
  double ess_sd();
  double ess_quantile(double p);

  /// Monte Carlo standard errors.
  double mcse_mean();
  double mcse_sd();
  double mcse_quantile(double p);

 private:
  // The mean is first + rise. Deviations from it are taken in two steps, which is exact where draws are far from zero,
  // and gives zero where all are equal.
  struct Moments {
    double first, rise;
    double variance;  // divisor draws

    double deviation(double x) const { return (x - first) - rise; }
  };
  struct Bulk {
    double rhat, ess;
  };

  template <class Real>
  Summarizer& copy(const DrawsView<Real>& view);
  bool can_diagnose() const { return is_finite_ && chains_ > 0 && draws_ >= 4; }
  const Moments& moments();
  const Bulk& bulk();
  const Order& order();
  double folded_rhat();
  template <class Function>
  double ess_of(Function function);

  std::size_t chains_ = 0, draws_ = 0;
  std::size_t half_ = 0;   // draws in each half of a chain
  std::size_t split_ = 0;  // draws in all halves
  bool is_finite_ = true;
  // The first half of chain 0, its second half, the first half of chain 1, ...; then the middle draws that halves leave
  // out.
  std::vector<double> values_;
  std::vector<double> row_;
  Order order_;
  RankScores rank_scores_;
  Autocovariance autocovariance_;
  // What has been computed of the present draws.
  bool is_sorted_ = false;
  std::optional<Moments> moments_;
  std::optional<Bulk> bulk_;
};

/// One parameter's summary; for many parameters, use one Summarizer.
template <class Real>
Summary summarize(const DrawsView<Real>& view) {
  return Summarizer().summarize(view);
}

/// One quantity alone, as the Summarizer's function of the same name.
template <class Real>
double mean(const DrawsView<Real>& view) {
  return Summarizer().read(view).mean();
}
template <class Real>
double sd(const DrawsView<Real>& view) {
  return Summarizer().read(view).sd();
}
template <class Real>
double quantile(const DrawsView<Real>& view, double p) {
  return Summarizer().read(view).quantile(p);
}
template <class Real>
double rhat(const DrawsView<Real>& view) {
  return Summarizer().read(view).rhat();
}
template <class Real>
double ess_bulk(const DrawsView<Real>& view) {
  return Summarizer().read(view).ess_bulk();
}
template <class Real>
double ess_tail(const DrawsView<Real>& view) {
  return Summarizer().read(view).ess_tail();
}
template <class Real>
double ess_mean(const DrawsView<Real>& view) {
  return Summarizer().read(view).ess_mean();
}
template <class Real>
double ess_sd(const DrawsView<Real>& view) {
  return Summarizer().read(view).ess_sd();
}
template <class Real>
double ess_quantile(const DrawsView<Real>& view, double p) {
  return Summarizer().read(view).ess_quantile(p);
}
template <class Real>
double mcse_mean(const DrawsView<Real>& view) {
  return Summarizer().read(view).mcse_mean();
}
template <class Real>
double mcse_sd(const DrawsView<Real>& view) {
  return Summarizer().read(view).mcse_sd();
}
template <class Real>
double mcse_quantile(const DrawsView<Real>& view, double p) {
  return Summarizer().read(view).mcse_quantile(p);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::diagnostics
