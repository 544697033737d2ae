// Tuner: finds while running how a step is best made and how many lanes a cheap block should wait for.
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is of POSIX

#include <algorithm>
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

/// Tries the plans in short windows and uses the fastest in long ones. A short window flatters plans that make lanes
/// wait, since few wait yet when it begins; so what a plan gives in a long one replaces what its trials promised, and
/// another may take its place. After many of them all are tried again, since the best may change as chains move. No
/// plan changes a draw, so the choice may depend on the clock.
class Tuner {
 public:
  /// What a plan's time is. A thread's own does not run while others have its core, which would make the plan that is
  /// just being tried look slow. Where other threads or devices do the work, only the world's tells anything.
  enum class Clock { of_thread, of_world };

  Tuner(std::vector<Plan> plans, Clock clock)
      : plans_(std::move(plans)), clock_(clock), best_rate_(plans_.size()), is_proven_(plans_.size()) {}

  /// Every combination of the steps with `parking` lanes, or if that is 0 with several shares of a pack's `width`.
  static Tuner over(const std::vector<Step>& steps, int parking, int width, Clock clock) {
    std::vector<Plan> plans;
    for (const Step step : steps) {
      if (parking > 0) {
        plans.push_back({step, parking});
        continue;
      }
      int last = 0;
      for (const int share : {1, width / 4, width / 2, 3 * width / 4, width}) {
        if (share > last) plans.push_back({step, last = share});
      }
    }
    return {std::move(plans), clock};
  }

  [[nodiscard]] const Plan& plan() const { return plans_[current_]; }

  /// Call before the first step of a run or of another segment of it, whose progress counts from 0.
  void resume() {
    progress_before_ = 0;
    time_before_ = now();
  }

  /// Call once per step with the progress made so far (evaluations answered, say).
  BREAKSTEP_INLINE void step(std::uint64_t progress) {
    if (--steps_left_ > 0 || plans_.size() == 1) return;
    end_window(progress);
  }

 private:
  static constexpr int most_trial_steps = 256;
  static constexpr int fewest_trial_steps = 24;
  static constexpr double trial_seconds = 1e-4;
  static constexpr std::size_t trial_rounds = 3;
  static constexpr double hopeless_share = 0.85;  ///< a plan this much slower than the best is not tried again
  static constexpr int long_steps = 1500, long_windows = 40;

  [[nodiscard]] double now() const {
    timespec time{};
    ::clock_gettime(clock_ == Clock::of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  void end_window(std::uint64_t progress) {
    const double time = now(), seconds = time - time_before_ + 1e-12;
    const double rate = static_cast<double>(progress - progress_before_) / seconds;
    progress_before_ = progress;
    time_before_ = time;
    if (settled_) {
      note_long(rate);
      if (++windows_settled_ < long_windows) return settle();
      settled_ = false;
      window_ = 0;
      best_rate_.assign(plans_.size(), 0.0);
      is_proven_.assign(plans_.size(), false);
    } else if (window_ > 0) {
      if (rate > best_rate_[current_]) best_rate_[current_] = rate;
      // Of an expensive density a few steps tell enough, and trying the slower plans costs more.
      trial_steps_ =
          static_cast<int>(std::clamp(trial_steps_ * trial_seconds / seconds, static_cast<double>(fewest_trial_steps),
                                      static_cast<double>(most_trial_steps)));
    }
    const double best = *std::max_element(best_rate_.begin(), best_rate_.end());
    while (window_ < plans_.size() * trial_rounds) {
      current_ = window_ % plans_.size();
      const bool is_hopeless = window_ >= plans_.size() && best_rate_[current_] < hopeless_share * best;
      ++window_;
      if (is_hopeless) continue;
      steps_left_ = trial_steps_;
      return;
    }
    settled_ = true;
    windows_settled_ = 0;
    settle();
  }

  /// What a plan first gives in a long window replaces what its trials promised. Later ones can only be too slow, by
  /// what others do to the core: one that is slower counts a quarter, or a good plan would be dropped for a moment's
  /// noise.
  void note_long(double rate) {
    double& known = best_rate_[current_];
    known = !is_proven_[current_] || rate > known ? rate : known + 0.25 * (rate - known);
    is_proven_[current_] = true;
  }

  /// A long window of the plan that looks best.
  void settle() {
    current_ = static_cast<std::size_t>(std::max_element(best_rate_.begin(), best_rate_.end()) - best_rate_.begin());
    steps_left_ = long_steps;
  }

  std::vector<Plan> plans_;
  Clock clock_;
  std::vector<double> best_rate_;
  std::vector<bool> is_proven_;  ///< by a long window
  std::size_t current_ = 0;
  std::size_t window_ = 0;
  int steps_left_ = 1;
  int trial_steps_ = fewest_trial_steps;
  bool settled_ = false;
  int windows_settled_ = 0;
  std::uint64_t progress_before_ = 0;
  double time_before_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
