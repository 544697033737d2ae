// The faults that docs/command-line.md shows: exit codes, every word, and nothing half-written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace breakstep_app {
namespace {

namespace fs = std::filesystem;

struct Command {
  std::string text;
  std::string output;
};

// The commands of the n-th ```sh-session block of the page, each with what it prints.
std::vector<Command> commands_of_block(int n) {
  std::ifstream page(BREAKSTEP_DOCS "/command-line.md");
  std::vector<Command> commands;
  int block = 0;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh-session" && ++block == n;
    } else if (inside && line.starts_with("$ ")) {
      commands.push_back({line.substr(2), ""});
    } else if (inside && !commands.empty()) {
      commands.back().output.append(line).append("\n");
    }
  }
  return commands;
}

// Runs commands in a folder of its own, with the tool on the path.
class Faults : public testing::Test {
 protected:
  Faults() : folder_(testing::TempDir() + "breakstep_faults_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Faults() override { fs::remove_all(folder_); }

  struct Outcome {
    int code;
    std::string output;
  };
  [[nodiscard]] Outcome run(const std::string& command) const {
    setenv("BREAKSTEP_COMMAND", command.c_str(), 1);
    const std::string tool = fs::path(BREAKSTEP_PROGRAM).parent_path().string();
    const std::string shell = "cd '" + folder_ + "' && PATH='" + tool + "':$PATH bash -c \"$BREAKSTEP_COMMAND\" 2>&1";
    std::FILE* const pipe = popen(shell.c_str(), "r");
    std::string output;
    std::array<char, 4096> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) output += piece.data();
    const int code = WEXITSTATUS(pclose(pipe));
    return {code, output};
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }

 private:
  std::string folder_;
};

TEST_F(Faults, OfARequestAreRefusedAndLeaveNothing) {
  int refused = 0;
  for (const Command& command : commands_of_block(1)) {
    const auto before = files();
    const Outcome outcome = run(command.text);
    EXPECT_EQ(outcome.output, command.output) << command.text;
    if (!command.text.starts_with("breakstep")) continue;
    EXPECT_EQ(outcome.code, 2) << command.text;
    EXPECT_EQ(files(), before) << command.text;
    ++refused;
  }
  EXPECT_GE(refused, 14);
}

TEST_F(Faults, OfAChainAreToldAndTheRunGoesOn) {
  const auto commands = commands_of_block(2);
  EXPECT_EQ(commands.size(), 2U);
  for (const Command& command : commands) {
    const Outcome outcome = run(command.text);
    EXPECT_EQ(outcome.output, command.output) << command.text;
    EXPECT_EQ(outcome.code, 0) << command.text;
    EXPECT_EQ(files(), std::set<std::string>{"report.json"});
  }
}

}  // namespace
}  // namespace breakstep_app
