// Writes draws as a NumPy file (.npy, version 1.0), whole or not at all.
#include "draw_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "stream.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace fs = std::filesystem;

// The temporary file to remove if a signal ends the program; a plain array because handlers may touch little else.
std::array<char, 4096> unfinished{};

extern "C" void remove_unfinished(int signal) {
  ::unlink(unfinished.data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A new file beside `destination`, removed by the destructor, or by an interruption, unless it was given that name.
class Neighbour {
 public:
  explicit Neighbour(const std::string& destination) {
    const std::string pattern = destination + ".XXXXXX";
    if (pattern.size() >= unfinished.size()) refuse_output(destination, ENAMETOOLONG);
    pattern.copy(unfinished.data(), pattern.size());
    unfinished[pattern.size()] = '\0';
    for (std::size_t i = 0; i < signals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = remove_unfinished;
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
    }
    file_ = ::mkstemp(unfinished.data());
    error_ = file_ < 0 ? errno : 0;
  }
  ~Neighbour() {
    if (file_ >= 0) ::close(file_);
    if (!is_kept_ && error_ == 0) ::unlink(unfinished.data());
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  [[nodiscard]] int file() const { return file_; }
  // Why there is no file, or 0.
  [[nodiscard]] int error() const { return error_; }

  // Makes it durable and gives it its name. Returns 0 or the error number.
  int keep_as(const std::string& destination, bool may_replace) {
    // mkstemp makes the file private; give it the permissions any new file would have.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file_, 0666 & ~mask) != 0 || ::fsync(file_) != 0) return errno;
    if (::close(std::exchange(file_, -1)) != 0) return errno;
    int moved =
        ::renameat2(AT_FDCWD, unfinished.data(), AT_FDCWD, destination.c_str(), may_replace ? 0U : RENAME_NOREPLACE);
    // Not every file system can refuse to replace.
    if (moved != 0 && errno == EINVAL) moved = std::rename(unfinished.data(), destination.c_str());
    if (moved != 0) return errno;
    is_kept_ = true;
    return 0;
  }

 private:
  static constexpr std::array<int, 4> signals{SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
  std::array<struct sigaction, signals.size()> before_{};
  int file_ = -1;
  int error_ = 0;
  bool is_kept_ = false;
};

bool is_device(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The file itself, where `path` is a link to it: or the link would be replaced.
std::string destination_of(const std::string& path) {
  std::error_code ignored;
  const auto target = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  return ignored ? path : target.string();
}

[[noreturn]] void refuse_existing(const std::string& path) {
  throw breakstep::Error("will not replace " + path, "the file exists", "choose another name or add --force");
}

}  // namespace

std::string npy_header(std::string_view descr, const std::vector<std::size_t>& shape) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) text += std::to_string(extent) + ", ";
  text.erase(text.size() - (shape.size() > 1 ? 2 : 1));
  text += "), }";
  // The numbers begin at a multiple of 64; ten bytes precede the text, a line feed ends it.
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xffU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

DrawFile::DrawFile(std::string path, bool may_replace, double bytes)
    : path_(std::move(path)), may_replace_(may_replace) {
  if (is_device(path_)) return;
  std::error_code ignored;
  if (path_.empty()) refuse_output("''", ENOENT);
  if (fs::is_directory(path_, ignored)) refuse_output(path_, EISDIR);
  if (fs::exists(path_, ignored) && !may_replace_) refuse_existing(path_);
  const fs::path folder = fs::path(destination_of(path_)).parent_path();
  if (!fs::exists(folder, ignored)) refuse_output(path_, ENOENT);
  if (!fs::is_directory(folder, ignored)) refuse_output(path_, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse_output(path_, errno);
  const auto space = fs::space(folder, ignored);
  if (!ignored && bytes > static_cast<double>(space.available)) {
    throw breakstep::Error(
        "not enough room for " + path_,
        "it needs " + in_bytes(bytes) + " and " + in_bytes(static_cast<double>(space.available)) + " are free",
        "choose another folder, fewer draws, or --precision single");
  }
}

void DrawFile::write(std::string_view header, std::string_view numbers) const {
  if (is_device(path_)) {
    const int device = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) refuse_output(path_, errno);
    int error = write_all(device, header);
    if (error == 0) error = write_all(device, numbers);
    if (::close(device) != 0 && error == 0) error = errno;
    if (error != 0) refuse_output(path_, error);
    return;
  }
  const std::string destination = destination_of(path_);
  Neighbour file(destination);
  int error = file.error();
  if (error == 0) error = write_all(file.file(), header);
  if (error == 0) error = write_all(file.file(), numbers);
  if (error == 0) error = file.keep_as(destination, may_replace_);
  if (error == EEXIST) refuse_existing(path_);
  if (error != 0) refuse_output(path_, error);
}

}  // namespace breakstep_app
