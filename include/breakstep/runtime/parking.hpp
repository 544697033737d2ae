// ParkingTuner: finds while running how many lanes a cheap block should wait for.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// Tries the candidates in short windows, uses the fastest for a long one, and tries again, since the best may change
/// as chains move. Parking never changes a draw, so this may depend on the clock.
class ParkingTuner {
 public:
  /// `fixed` ≥ 1 is used as it is; 0 means tune, for packs of `width` lanes.
  ParkingTuner(int fixed, int width) : fixed_(fixed) {
    const std::array<int, candidates> shares = {1, width / 4, width / 2, 3 * width / 4};
    for (int i = 0; i < candidates; ++i) candidate_[i] = shares[i] < 1 ? 1 : shares[i];
  }

  /// How many lanes a block that asks nothing must have before it runs.
  [[nodiscard]] int threshold() const { return fixed_ > 0 ? fixed_ : candidate_[current_]; }

  /// Call once per step with the progress made so far (evaluations answered, say).
  BREAKSTEP_INLINE void step(std::uint64_t progress) {
    if (fixed_ > 0 || --steps_left_ > 0) return;
    end_window(progress);
  }

 private:
  static constexpr int candidates = 4;
  static constexpr int trial_steps = 256;
  static constexpr int trial_rounds = 3;
  static constexpr int settled_steps = 50'000;

  void end_window(std::uint64_t progress) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const double rate = static_cast<double>(progress - progress_before_) / (now - time_before_ + 1e-12);
    if (window_ > 0 && trying_) best_rate_[current_] = rate > best_rate_[current_] ? rate : best_rate_[current_];
    progress_before_ = progress;
    time_before_ = now;
    ++window_;
    if (trying_ && window_ <= candidates * trial_rounds) {
      current_ = window_ % candidates;
      steps_left_ = trial_steps;
    } else if (trying_) {
      current_ = 0;
      for (int i = 1; i < candidates; ++i) current_ = best_rate_[i] > best_rate_[current_] ? i : current_;
      trying_ = false;
      steps_left_ = settled_steps;
    } else {
      best_rate_ = {};
      trying_ = true;
      window_ = 0;
      steps_left_ = 1;
    }
  }

  int fixed_;
  std::array<int, candidates> candidate_{};
  std::array<double, candidates> best_rate_{};
  int current_ = 0;
  int window_ = 0;
  int steps_left_ = 1;
  bool trying_ = true;
  std::uint64_t progress_before_ = 0;
  double time_before_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
