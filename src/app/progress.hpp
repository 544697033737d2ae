// One line on the terminal that says how far a long command is; nothing at all where standard error is no terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "table.hpp"

namespace breakstep_app {

/// Seconds since some moment.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The line is overwritten by each `show` and gone when the object is.
class Progress {
 public:
  Progress() = default;
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] bool is_shown() const { return is_shown_; }

  void show(const std::string& text) {
    if (!is_shown_) return;
    std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
    std::fflush(stderr);
    is_dirty_ = true;
  }

  /// To be called before anything else is written.
  void clear() {
    if (!is_dirty_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    is_dirty_ = false;
  }

  /// ", about 12 s left" once the share done so far allows a guess.
  [[nodiscard]] std::string time_left(double share_done) const {
    const double elapsed = now() - begin_;
    if (share_done <= 0 || elapsed < 0.5) return "";
    const double left = elapsed / share_done * (1 - share_done);
    return ", about " + (left < 100 ? shown(left, 0, 'f') + " s" : shown(left / 60, 0, 'f') + " min") + " left";
  }

 private:
  bool is_shown_ = ::isatty(STDERR_FILENO) == 1;
  bool is_dirty_ = false;
  double begin_ = now();
};

}  // namespace breakstep_app
