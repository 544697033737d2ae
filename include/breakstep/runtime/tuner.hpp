// Tuner: finds while running how a step is best made and how many lanes a cheap block should wait for.
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is of POSIX

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/runtime/options.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// One way of running freely: the kind of step, and how many lanes a block that may wait waits for.
struct Plan {
  Step step;
  int parking;
};

/// Tries the plans in short windows and uses the fastest in long ones. A short window flatters plans that make lanes
/// wait, since few wait yet when it begins; so what a plan gives in long ones replaces what its trials promised, and
/// another may take its place. After many of them all are tried again, since the best may change as chains move, but
/// ever more rarely, since they move less and less. No plan changes a draw, so the choice may depend on the clock.
///
/// A core shared with others may be a third slower for some milliseconds, whatever the plan. Trials take turns within
/// less than that; a plan that is being used is not given up for one slow window.
class Tuner {
 public:
  /// Seconds since anything.
  using Clock = double (*)();
  /// A thread's own time does not run while others have its core, which would make the plan that is just being tried
  /// look slow.
  static double time_of_thread() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
  /// Where other threads or devices do the work, only the world's time tells anything.
  static double time_of_world() { return seconds_of(CLOCK_MONOTONIC); }

  Tuner(std::vector<Plan> plans, Clock clock)
      : plans_(std::move(plans)),
        now_(clock),
        best_rate_(plans_.size()),
        promise_(plans_.size()),
        was_good_(plans_.size()),
        long_windows_of_(plans_.size()),
        look_(plans_.size(), Look::first) {}

  /// Every combination of the steps with `parking` lanes, or if that is 0 with several shares of a pack's `width`. The
  /// first step should be the one that leaves the fewest lanes without a question.
  static Tuner over(const std::vector<Step>& steps, int parking, int width, Clock clock) {
    std::vector<Plan> plans;
    for (const Step step : steps) {
      if (parking > 0) {
        plans.push_back({step, parking});
        continue;
      }
      int last = 0;
      for (const int share : shares_to_try(step, width)) {
        if (share > last) plans.push_back({step, last = share});
      }
    }
    return {std::move(plans), clock};
  }

  [[nodiscard]] const Plan& plan() const { return plans_[current_]; }

  /// Call before the first step of a run or of another segment of it, whose progress counts from 0 and is made by so
  /// many lanes.
  void resume(std::uint64_t lanes) {
    lanes_ = lanes;
    progress_before_ = 0;
    time_before_ = now_();
    const std::uint64_t wanted = turns_ * lanes_;
    window_end_ = plans_.size() == 1 ? never : wanted - std::min(done_, wanted);
  }

  /// Call after the last step of a segment. A window goes on in the next one.
  void pause(std::uint64_t progress) {
    done_ += progress - progress_before_;
    seconds_ += now_() - time_before_;
  }

  /// How much progress is left until another plan may be taken.
  [[nodiscard]] std::uint64_t room(std::uint64_t progress) const {
    return window_end_ > progress ? window_end_ - progress : 0;
  }

  /// Progress per second by the present plan, or a guess while nothing is known.
  [[nodiscard]] double rate() const { return best_rate_[current_] > 0 ? best_rate_[current_] : unknown_rate; }

  /// Call once per step with the progress made so far (evaluations answered, say).
  BREAKSTEP_INLINE void step(std::uint64_t progress) {
    if (progress >= window_end_) end_window(progress);
  }

 private:
  /// A few that between them come near the best on every target measured (bench/cheap, bench/engine): each more costs
  /// its trials. Who would wait for more than half of the lanes is better served by gathered steps.
  static std::vector<int> shares_to_try(Step step, int width) {
    const bool is_switched = step == Step::switched_inline || step == Step::switched_amortized;
    if (is_switched) return {1};  // its blocks never wait
    return {1, width / 4, width / 2};
  }

  static constexpr double unknown_rate = 1e7;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  /// Windows go by progress, in turns of all lanes: steps of one plan may be many times those of another. Of an
  /// expensive density the fewest turns tell enough, and trying the slower plans costs more; of a cheap one they would
  /// tell nothing, so trials last a while. A first one, which only finds out what is hopeless, may be shorter.
  static constexpr std::uint64_t trial_turns = 8, long_turns = 400;
  static constexpr double first_trial_seconds = 2e-5, trial_seconds = 5e-5;
  static constexpr std::size_t trial_rounds = 3;
  /// Where an evaluation takes so long, little else counts, and the first plan, which keeps lanes fullest, is best or
  /// nearly so: the others are not tried before a run has turned out to be long. Their trials took a seventh of a run
  /// of three draws of a Gaussian process.
  static constexpr double long_evaluation_seconds = 2e-6;
  /// A plan this much slower than the best is not tried again, unless it was good when all were tried before: then one
  /// slow moment must not put it aside.
  static constexpr double hopeless_at_first = 0.75, hopeless_later = 0.85;
  static constexpr double about_equal = 0.97;
  /// Long windows after which it is known what a plan gives. Lanes still get into their places in the first, which is
  /// short, and the second.
  static constexpr int proving_windows = 5, settling_windows = 2;
  static constexpr std::uint64_t first_long_turns = 100;
  /// A plan that gives clearly less than another one promises is put off before it is proven, where a window takes so
  /// long that proving it would cost a short run dearly.
  static constexpr double clearly_less = 0.95, dear_seconds = 3e-4;
  static constexpr int fewest_long_windows = 100, most_long_windows = 1600;

  /// How often a plan has been looked at in long windows.
  enum class Look { first, put_off, second };

  static double seconds_of(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  void end_window(std::uint64_t progress) {
    const double time = now_();
    done_ += progress - std::exchange(progress_before_, progress);
    seconds_ += time - std::exchange(time_before_, time) + 1e-12;
    const bool is_trial = !settled_ && window_ > 0;  // the first window of all finds caches cold, and does not count
    const double missing = (window_ <= plans_.size() ? first_trial_seconds : trial_seconds) - seconds_;
    if (is_trial && missing > 0) {
      window_end_ =
          progress + 1 + static_cast<std::uint64_t>(static_cast<double>(done_) * std::min(missing / seconds_, 4.0));
      return;
    }
    const double rate = static_cast<double>(done_) / seconds_;
    window_is_dear_ = seconds_ > dear_seconds;
    done_ = 0;
    seconds_ = 0;
    if (is_trial) best_rate_[current_] = std::max(best_rate_[current_], rate);
    const bool is_first_trial = is_trial && window_ == 1 && !has_tried_all_;
    if (is_first_trial && rate * long_evaluation_seconds < 1) window_ = plans_.size() * trial_rounds;
    if (settled_) note_long(rate);
    choose();
    window_end_ = progress + turns_ * lanes_;
  }

  /// The plan of the next window, and how many turns that has.
  void choose() {
    if (settled_ && ++windows_settled_ < long_windows_) return settle();
    if (settled_) try_all_again();
    const double best = *std::max_element(best_rate_.begin(), best_rate_.end());
    while (window_ < plans_.size() * trial_rounds) {
      current_ = window_ % plans_.size();
      const double share = window_ < 2 * plans_.size() ? hopeless_at_first : hopeless_later;
      const bool is_hopeless = window_ >= plans_.size() && !was_good_[current_] && best_rate_[current_] < share * best;
      ++window_;
      if (is_hopeless) continue;
      turns_ = trial_turns;
      return;
    }
    settled_ = true;
    windows_settled_ = 0;
    settle();
  }

  void try_all_again() {
    settled_ = false;
    has_tried_all_ = true;
    window_ = 0;
    const double best = *std::max_element(best_rate_.begin(), best_rate_.end());
    // Longer only once the choice has been confirmed.
    const bool is_confirmed = chosen_ && best_rate_[*chosen_] >= about_equal * best;
    if (is_confirmed) long_windows_ = std::min(2 * long_windows_, most_long_windows);
    chosen_ = current_;
    for (std::size_t i = 0; i < plans_.size(); ++i) was_good_[i] = best_rate_[i] >= hopeless_later * best;
    best_rate_.assign(plans_.size(), 0.0);
    long_windows_of_.assign(plans_.size(), 0);
    look_.assign(plans_.size(), Look::first);
  }

  /// What a plan gives in long windows replaces what its trials promised: the best of several after the first ones.
  /// Later ones can only be too slow, by what others do to the core, or very slowly become so, by what the chains do.
  void note_long(double rate) {
    const int windows = ++long_windows_of_[current_];
    double& known = best_rate_[current_];
    if (windows == 1) promise_[current_] = known;
    const bool is_first = windows <= settling_windows + 1;
    known = is_first || rate > known ? rate : windows <= proving_windows ? known : known + (rate - known) / 32;
  }

  /// A long window of the plan that looks best, or of the present one until that is proven or put off.
  void settle() {
    const int windows = long_windows_of_[current_];
    if (windows == 0 || windows >= proving_windows) {
      take(best_but(plans_.size()));
    } else if (const std::size_t other = best_but(current_);
               windows >= settling_windows && window_is_dear_ && best_rate_[current_] < clearly_less * worth(other)) {
      if (look_[current_] == Look::first) look_[current_] = Look::put_off;
      take(other);
    }
    turns_ = long_windows_of_[current_] == 0 ? first_long_turns : long_turns;
  }

  void take(std::size_t plan) {
    current_ = plan;
    if (look_[plan] == Look::put_off) look_[plan] = Look::second;
  }

  /// A neighbour may have slowed a plan down that was put off: its promise stands, and it is looked at once more if
  /// nothing else turns out to be as good.
  [[nodiscard]] double worth(std::size_t plan) const {
    return look_[plan] == Look::put_off ? promise_[plan] : best_rate_[plan];
  }
  [[nodiscard]] std::size_t best_but(std::size_t left_out) const {
    std::size_t best = left_out == 0 ? 1 : 0;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (i != left_out && worth(i) > worth(best)) best = i;
    }
    return best;
  }

  std::vector<Plan> plans_;
  Clock now_;
  std::vector<double> best_rate_;
  std::vector<double> promise_;       ///< what the trials of each plan gave
  std::vector<bool> was_good_;        ///< when all were tried the time before
  std::vector<int> long_windows_of_;  ///< of each plan since all were tried
  std::vector<Look> look_;
  std::size_t current_ = 0;
  std::optional<std::size_t> chosen_;  ///< when all had been tried the time before
  std::size_t window_ = 0;             ///< of the trials
  bool settled_ = false;
  bool window_is_dear_ = false;  ///< the one that has just ended
  bool has_tried_all_ = false;   ///< or is about to: no trial is the first any more
  int windows_settled_ = 0;
  int long_windows_ = fewest_long_windows;
  std::uint64_t lanes_ = 1;
  std::uint64_t turns_ = 1;       ///< of this window
  std::uint64_t window_end_ = 0;  ///< in the progress of this segment
  std::uint64_t done_ = 0;        ///< progress and time that belong to this window, up to those noted next
  double seconds_ = 0;
  std::uint64_t progress_before_ = 0;
  double time_before_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
