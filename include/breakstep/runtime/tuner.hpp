// Tuner: finds while running how a step is best made and how many lanes a cheap block should wait for.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/runtime/options.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One way of running freely: the kind of step, and how many lanes a block that asks nothing waits for.
struct Plan {
  Step step;
  int parking;
};

/// Tries the plans in short windows, uses the fastest for a long one, and tries again, since the best may change as
/// chains move. No plan changes a draw, so the choice may depend on the clock.
class Tuner {
 public:
  explicit Tuner(std::vector<Plan> plans) : plans_(std::move(plans)), best_rate_(plans_.size()) {}

  /// Every combination of the steps with `parking` lanes, or if that is 0 with several shares of a pack's `width`.
  static Tuner over(const std::vector<Step>& steps, int parking, int width) {
    std::vector<Plan> plans;
    for (const Step step : steps) {
      if (parking > 0) {
        plans.push_back({step, parking});
        continue;
      }
      int last = 0;
      for (const int share : {1, width / 4, width / 2, 3 * width / 4}) {
        if (share > last) plans.push_back({step, last = share});
      }
    }
    return Tuner(std::move(plans));
  }

  [[nodiscard]] const Plan& plan() const { return plans_[current_]; }

  /// Call once per step with the progress made so far (evaluations answered, say).
  BREAKSTEP_INLINE void step(std::uint64_t progress) {
    if (--steps_left_ > 0 || plans_.size() == 1) return;
    end_window(progress);
  }

 private:
  static constexpr int trial_steps = 256;
  static constexpr int trial_rounds = 3;
  static constexpr int settled_steps = 60'000;

  void end_window(std::uint64_t progress) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const double rate = static_cast<double>(progress - progress_before_) / (now - time_before_ + 1e-12);
    progress_before_ = progress;
    time_before_ = now;
    if (settled_) {
      settled_ = false;
      window_ = 0;
      best_rate_.assign(plans_.size(), 0.0);
    } else if (window_ > 0 && rate > best_rate_[current_]) {
      best_rate_[current_] = rate;
    }
    if (window_++ < plans_.size() * trial_rounds) {
      current_ = window_ % plans_.size();
      steps_left_ = trial_steps;
      return;
    }
    current_ = 0;
    for (std::size_t i = 1; i < plans_.size(); ++i) current_ = best_rate_[i] > best_rate_[current_] ? i : current_;
    settled_ = true;
    steps_left_ = settled_steps;
  }

  std::vector<Plan> plans_;
  std::vector<double> best_rate_;
  std::size_t current_ = 0;
  std::size_t window_ = 0;
  int steps_left_ = 1;
  bool settled_ = false;
  std::uint64_t progress_before_ = 0;
  double time_before_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
