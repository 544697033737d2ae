// The commands shown in the pages of docs are run, and must print what the page says.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

struct Example {
  std::string command;
  std::string output;
};

// The commands of all ```console blocks: lines that start with "$ ", each followed by its output.
std::vector<Example> examples(const std::string& page) {
  std::ifstream file(page);
  std::vector<Example> all;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      all.push_back({line.substr(2), ""});
    } else if (inside && !all.empty()) {
      all.back().output.append(line).append("\n");
    }
  }
  return all;
}

// Splits at blanks; double quotes hold words together.
std::vector<std::string> words(const std::string& command) {
  std::vector<std::string> split(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      split.emplace_back();
    } else {
      split.back() += c;
    }
  }
  return split;
}

void expect_real_output(const std::string& page, std::size_t fewest) {
  const std::vector<Example> all = examples(BREAKSTEP_DOCS "/" + page);
  EXPECT_GE(all.size(), fewest);
  for (const Example& example : all) {
    std::vector<std::string> arguments = words(example.command);
    ASSERT_EQ(arguments.front(), "breakstep");
    arguments.erase(arguments.begin());
    EXPECT_EQ(test::run(arguments).out, example.output) << example.command;
  }
}

TEST(Docs, MachinesPageShowsRealOutput) { expect_real_output("machines.md", 8); }

// What contains times stands in blocks of plain text.
TEST(Docs, CommandLinePageShowsRealOutput) { expect_real_output("command-line.md", 2); }

TEST(Docs, PicturesOfTheMachinesPageExist) {
  std::ifstream file(BREAKSTEP_DOCS "/machines.md");
  int pictures = 0;
  for (std::string line; std::getline(file, line);) {
    const auto begin = line.find("](images/");
    if (begin == std::string::npos) continue;
    const std::string name = line.substr(begin + 2, line.find(')', begin) - begin - 2);
    EXPECT_TRUE(std::ifstream(std::string(BREAKSTEP_DOCS "/") + name).good()) << name;
    ++pictures;
  }
  EXPECT_GE(pictures, 9);
}

}  // namespace
}  // namespace breakstep_app
