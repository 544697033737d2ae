// Runs Graphviz: a `dot` text in, an SVG picture out.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "breakstep/error.hpp"
#include "breakstep/fsm/render.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string& why) {
  throw Error("cannot draw the SVG", why, "ask for --format dot and draw it elsewhere");
}

// Files rather than pipes: neither side can then wait for the other.
TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) fail(std::string("no temporary file: ") + std::strerror(errno));
  return file;
}

std::string content(std::FILE* file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

// Dense graphs can keep Graphviz busy for hours.
constexpr std::chrono::seconds patience{60};

int wait_for(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail(std::string("dot was lost: ") + std::strerror(errno));
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      fail("dot did not finish within " + std::to_string(patience.count()) + " seconds");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// The standard streams and signals of the child process.
class ChildSetup {
 public:
  ChildSetup(std::FILE* in, std::FILE* out, std::FILE* err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, fileno(in), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, fileno(err), STDERR_FILENO);
    // The command-line tool ignores SIGPIPE to report failed writes itself; a child must not inherit that.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &broken_pipe);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ChildSetup(const ChildSetup&) = delete;
  ChildSetup& operator=(const ChildSetup&) = delete;
  ~ChildSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Starts `dot` and waits for it; returns its status as of waitpid.
  int run_dot() const {
    char program[] = "dot";
    char format[] = "-Tsvg";
    char* const arguments[] = {program, format, nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, program, &actions_, &attributes_, arguments, environ);
    if (error == ENOENT) {
      throw Error("cannot draw the SVG", "the program dot was not found on the PATH",
                  "install Graphviz (on Debian: apt install graphviz), or ask for --format dot or mermaid");
    }
    if (error != 0) fail(std::string("dot did not start: ") + std::strerror(error));
    return wait_for(child);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::string draw_svg(std::string_view dot) {
  const TemporaryFile in = temporary_file();
  const TemporaryFile out = temporary_file();
  const TemporaryFile err = temporary_file();
  if (std::fwrite(dot.data(), 1, dot.size(), in.get()) != dot.size() || std::fflush(in.get()) != 0) {
    fail(std::string("its temporary file cannot be written: ") + std::strerror(errno));
  }
  std::rewind(in.get());
  const int status = ChildSetup(in.get(), out.get(), err.get()).run_dot();
  std::string svg = content(out.get());
  if (status != 0 || svg.empty()) {
    const std::string said = content(err.get());
    fail(said.empty() ? "dot failed" : "dot said: " + said.substr(0, said.find('\n')));
  }
  return svg;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
