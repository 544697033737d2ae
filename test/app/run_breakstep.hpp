// Runs the command-line tool as a user would, and gives back what it said.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace breakstep_app::test {

struct Result {
  int code = -1;  ///< The exit code, or -1 if a signal ended the program.
  std::string out;
  std::string err;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A nameless file that never touches the disk: some tests pass hundreds of megabytes.
inline File memory_file() {
  File file(fdopen(memfd_create("breakstep", MFD_CLOEXEC), "w+"));
  if (!file) throw std::runtime_error("no temporary files");
  return file;
}

inline std::string content(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::vector<char> buffer(1 << 20);
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) text.append(buffer.data(), n);
  return text;
}

/// How to run it, besides the arguments.
struct Setting {
  std::string input;                     ///< What stands on standard input.
  std::string output;                    ///< A file to use as standard output, such as /dev/full.
  int output_pipe = -1;                  ///< Or an open descriptor to use for it.
  int error_terminal = -1;               ///< An open terminal to use as standard error.
  std::vector<std::string> environment;  ///< If not empty, replaces the environment.
};

inline Result run(const std::vector<std::string>& arguments, const Setting& setting = {}) {
  const File in = memory_file();
  const File out = memory_file();
  const File err = memory_file();
  std::fwrite(setting.input.data(), 1, setting.input.size(), in.get());
  std::fflush(in.get());
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  const int output = setting.output_pipe < 0 ? fileno(out.get()) : setting.output_pipe;
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (!setting.output.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, setting.output.c_str(), O_WRONLY, 0);
  }
  const int error_output = setting.error_terminal < 0 ? fileno(err.get()) : setting.error_terminal;
  posix_spawn_file_actions_adddup2(&actions, error_output, STDERR_FILENO);

  std::vector<std::string> words{BREAKSTEP_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = setting.environment;
  std::vector<char*> envp;
  envp.reserve(variables.size() + 1);
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);

  pid_t child = 0;
  const int failed =
      posix_spawn(&child, BREAKSTEP_PROGRAM, &actions, nullptr, argv.data(), variables.empty() ? environ : envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " BREAKSTEP_PROGRAM);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out.get()), content(err.get())};
}

}  // namespace breakstep_app::test
