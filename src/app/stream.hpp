// Reads an input whole, and writes an output whole or not at all.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "breakstep/error.hpp"

namespace breakstep_app {

/// Writes `text` to standard output. Throws if not all of it arrives.
inline void write_to_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw breakstep::Error("cannot write to standard output", std::strerror(errno),
                           "the output is incomplete; write it to a file with --output");
  }
}

/// Writes all of `text` to an open file. Returns 0 or the error number.
inline int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

[[noreturn]] inline void refuse_output(const std::string& path, int error) {
  throw breakstep::Error("cannot write " + path, std::strerror(error), "choose another file; nothing was left behind");
}

/// Makes `text` the content of the file at `path`. The file appears complete under its name or is left as it was: the
/// text goes to a temporary neighbour first, which then takes the name. Devices and pipes are written to directly.
inline void write_to_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) refuse_output(path, errno);
    const int error = write_all(device, text);
    ::close(device);
    if (error != 0) refuse_output(path, error);
    return;
  }
  // Through a link to the file itself, or the link would be replaced.
  const auto target = std::filesystem::weakly_canonical(path, ignored);
  const std::string destination = ignored ? path : target.string();
  std::string temporary = destination + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) refuse_output(path, errno);
  int error = write_all(file, text);
  // mkstemp makes the file private; give it the permissions any new file would have.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (error == 0 && ::fchmod(file, 0666 & ~mask) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), destination.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    refuse_output(path, error);
  }
}

/// The content of a file, or of standard input if `path` is "-"; stops soon after `limit` bytes, for the caller to
/// refuse.
inline std::string read_input(const std::string& path, std::size_t limit) {
  std::FILE* const input = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  const std::string name = path == "-" ? "standard input" : path;
  int error = input == nullptr ? errno : 0;
  std::string text;
  char buffer[65536];
  while (error == 0 && text.size() <= limit) {
    const std::size_t read = std::fread(buffer, 1, sizeof buffer, input);
    text.append(buffer, read);
    if (std::ferror(input) != 0) error = errno;
    if (read == 0) break;
  }
  if (input != nullptr && input != stdin) std::fclose(input);
  if (error != 0)
    throw breakstep::Error("cannot read " + name, std::strerror(error), "check the name and its permissions");
  return text;
}

}  // namespace breakstep_app
