// FlowTrainer: fits a flow to a target by Adam (Kingma and Ba 2015), with the batch as the vector axis.
//
// A batch falls into pieces of fixed size, whose gradients are added up in their order: neither threads nor the
// machine's registers can be told from what a flow has learnt. Everything is in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "breakstep/target/density.hpp"
#include "breakstep/target/flow.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// reverse: of T(u), u ~ N(0, I), from the target: needs its gradient, and tends to cover too little of it.
/// forward: of the chains' draws from the flow: needs no gradient, but chains that have been there.
enum class FlowLoss { reverse, forward };

struct TrainingOptions {
  FlowLoss loss = FlowLoss::reverse;
  std::uint32_t steps = 400;  ///< in all; over them the learning rate falls to a hundredth
  std::size_t batch = 256;
  double learning_rate = 0.01;
  int threads = 1;  ///< 0 means one per core; never changes a bit
};

class FlowTrainer {
 public:
  using Density = target::Density<double, lanes::native_width<double>>;

  /// For the reverse loss `density` must know its gradient. Throws Error for options that make no sense.
  FlowTrainer(target::FlowNumbers start, std::shared_ptr<const Density> density, const TrainingOptions& options,
              std::uint64_t seed);
  ~FlowTrainer();
  FlowTrainer(const FlowTrainer&) = delete;
  FlowTrainer& operator=(const FlowTrainer&) = delete;

  /// One step of the reverse loss; returns the loss up to a constant, NaN if the step was skipped because its gradient
  /// was not finite.
  double step();
  /// One step of the forward loss, on a batch chosen at random from these positions (in the target's coordinates).
  double step(const std::vector<double>& positions);

  /// The shifts and scales that take N(0, 1) to each coordinate's median and quartiles; networks stay.
  void fit_scales(const std::vector<double>& positions);

  [[nodiscard]] const target::FlowNumbers& flow() const { return flow_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::uint32_t skipped() const { return skipped_; }
  /// Positions of batches at which the density or its gradient was not finite; they were left out.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  /// log π(T(u))·|det ∇T(u)|/N(u) at `count` fresh u, up to a constant: how well the flow fits.
  std::vector<double> log_ratios(std::size_t count);

 private:
  struct Piece;

  double take_step(const std::vector<double>* positions);
  bool move();

  target::FlowNumbers flow_;
  target::Flow<double> compiled_;
  std::shared_ptr<const Density> density_;
  TrainingOptions options_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::vector<double> gradient_, first_, second_;
  double decay_first_ = 1, decay_second_ = 1, usual_norm_ = 0;
  std::uint32_t steps_ = 0, skipped_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
