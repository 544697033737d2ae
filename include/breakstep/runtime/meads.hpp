// MEADS (Hoffman and Sountsov 2022): chains in folds, each of which takes its step size, damping and scales from where
// the chains of another fold are now.
//
// In draw t, fold t mod K is held where it is, and every other fold k follows fold k − 1 as it was before the draw.
// That is the same as moving the folds one by one, from the one before the held fold down to the one after it, each
// with parameters from a fold that has not moved yet: hence every move leaves the product of the chains' distributions
// as it is, and the chains may adapt for ever. Every K draws chains are shuffled into new folds.
//
// All parameters of draw t are functions of the chains' states after draw t − 1, so that a run can be stopped, saved
// and continued like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breakstep/lanes/record_fields.hpp"
#include "breakstep/runtime/warm_up.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// As in the paper.
inline constexpr int usual_folds = 4;

/// Where some chains are: positions and gradients, chain by chain.
struct Ensemble {
  std::size_t dimension = 0;
  std::vector<double> positions, gradients;

  [[nodiscard]] std::size_t chains() const { return dimension > 0 ? positions.size() / dimension : 0; }
};

struct MeadsParameters {
  double step_size = 0;
  double damping = 0;
  std::vector<double> scale;
};

/// What suits a target in which these chains are at home, in the draw after `draws` others. Finite and positive
/// whatever the chains are, as long as they are numbers.
MeadsParameters meads_parameters(const Ensemble& ensemble, double draws);

/// The square root of an estimate of the largest eigenvalue of E xxᵀ, from rows x of length d: tr S²/tr S with unbiased
/// estimates of both traces. 0 if all rows are 0.
double root_of_largest_eigenvalue(const std::vector<double>& rows, std::size_t d);

/// The fold of each chain in the draw after `draws` others; the same for every so many draws as there are folds. Sizes
/// differ by at most one.
std::vector<std::size_t> folds_of(std::size_t chains, std::size_t folds, std::uint64_t seed, std::uint32_t draws);

/// A run of generalized HMC whose parameters are written into the chains' records before every draw: fields scale,
/// given_step_size (0 holds a chain) and given_damping.
template <class Real>
class FoldedRun final : public Run<Real> {
 public:
  /// `draws_before` were made by a warm-up.
  FoldedRun(std::unique_ptr<Run<Real>> run, std::size_t folds, std::uint64_t seed, double draws_before);

  [[nodiscard]] lanes::ChainRecords& records() override { return run_->records(); }
  [[nodiscard]] int dimension() const override { return run_->dimension(); }
  /// Throws Error if there are too few chains for the folds, or too few of them in places with a density.
  void start(const Starts& starts) override;
  /// Draw by draw: no chain runs ahead of the others.
  Counters advance(std::uint32_t goal, std::uint32_t ahead, const DrawWindow<Real>& window,
                   const Execution& execution) override;
  [[nodiscard]] std::vector<double> positions() override { return run_->positions(); }
  /// Throws: the folds choose them.
  void set_step_sizes(const StepSizes& sizes) override;
  [[nodiscard]] Facts facts() override { return run_->facts(); }
  [[nodiscard]] std::vector<std::string> state_names() const override { return run_->state_names(); }
  [[nodiscard]] std::vector<std::string> fact_names() const override { return run_->fact_names(); }
  [[nodiscard]] int loop_count() const override { return run_->loop_count(); }
  [[nodiscard]] int lane_count() const override { return run_->lane_count(); }
  [[nodiscard]] std::size_t bytes_per_lane() const override { return run_->bytes_per_lane(); }

 private:
  void write_parameters(std::uint32_t draw);
  void shuffle(std::uint32_t draw);

  std::unique_ptr<Run<Real>> run_;
  std::size_t folds_;
  std::uint64_t seed_;
  double draws_before_;
  lanes::RecordField<Real> x_, gradient_, log_density_, step_size_, damping_, scale_;
  std::vector<std::vector<std::size_t>> members_;              ///< of each fold, in order
  std::optional<std::uint32_t> shuffle_;                       ///< the number of the one that they are of
  std::vector<double> positions_, gradients_, log_densities_;  ///< of all chains before a draw; memory to use again
};

extern template class FoldedRun<float>;
extern template class FoldedRun<double>;

/// Draws that are forgotten. The tuning has what suits all chains at their end: a step size, a diagonal metric, and the
/// parameters `damping` and `draws_before`. `make` makes folded runs.
template <class Real>
WarmUp warm_up_meads(const typename RunsOf<Real>::Make& make, const WarmUpOptions& options, std::uint64_t seed,
                     const Execution& execution);

extern template WarmUp warm_up_meads<float>(const RunsOf<float>::Make&, const WarmUpOptions&, std::uint64_t,
                                            const Execution&);
extern template WarmUp warm_up_meads<double>(const RunsOf<double>::Make&, const WarmUpOptions&, std::uint64_t,
                                             const Execution&);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
