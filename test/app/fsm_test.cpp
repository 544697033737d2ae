// `breakstep fsm` from outside: stages, formats, names, files, limits, and the words it refuses with.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

using Json = nlohmann::json;
using test::Result;
using test::run;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

Result run_with_input(const std::vector<std::string>& arguments, const std::string& input) {
  test::Setting setting;
  setting.input = input;
  return run(arguments, setting);
}

std::string output_of(const std::vector<std::string>& arguments, const std::string& input = "") {
  const Result result = run_with_input(arguments, input);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// A folder of its own for each test, removed afterwards.
class Fsm : public testing::Test {
 protected:
  Fsm() : folder_(testing::TempDir() + "breakstep_fsm_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Fsm() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  int files() const {
    const std::filesystem::directory_iterator all(folder_);
    return static_cast<int>(std::distance(begin(all), end(all)));
  }

 private:
  std::string folder_;
};

TEST_F(Fsm, HelpHasExamplesAndLimits) {
  const std::string help = output_of({"fsm", "--help"});
  for (const char* part : {"breakstep fsm \"op1W{op1W{op1}}\" --stage raw", "Limits:   2,000,000 characters",
                           "W{ ... }", "R{ ... }", "E2 enters loop 2", "--number ORDER=paper"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

TEST_F(Fsm, DefaultsToTheFinalStageAsText) {
  EXPECT_EQ(output_of({"fsm", "op1W{op1}"}),
            "3 states\n"
            "  0   op1          initial\n"
            "  1   op1\n"
            "  2   T1           empty final\n"
            "4 edges\n"
            "  0 op1        -> 1 op1        E1\n"
            "  0 op1        -> 2 T1         S1\n"
            "  1 op1        -> 1 op1        C1\n"
            "  1 op1        -> 2 T1         F1\n");
}

TEST_F(Fsm, EveryStageInEveryFormat) {
  const std::string program = "op1W{op1W{op1}}";
  for (const std::string stage : {"parse", "coarse", "raw", "final"}) {
    for (const std::string format : {"text", "dot", "svg", "mermaid", "json"}) {
      const std::string out = output_of({"fsm", program, "--stage", stage, "--format", format});
      const bool graph = stage == "raw" || stage == "final";
      const std::string start = format == "dot"       ? graph ? "digraph machine {" : "digraph tree {"
                                : format == "svg"     ? "<?xml"
                                : format == "mermaid" ? graph ? "flowchart LR\n" : "flowchart TD\n"
                                                      : "";
      EXPECT_EQ(out.substr(0, start.size()), start);
      EXPECT_TRUE(format != "json" || Json::accept(out)) << out;
    }
  }
}

TEST_F(Fsm, RawJson) {
  const Json machine = Json::parse(output_of({"fsm", "op1R{op2}", "--stage", "raw", "--format", "json"}));
  EXPECT_EQ(machine, Json::parse(R"({
    "states": [{"id": 0, "name": "op1", "block": 0, "empty": false}, {"id": 1, "name": "I1", "block": null, "empty": true},
               {"id": 2, "name": "op2", "block": 1, "empty": false}, {"id": 3, "name": "T1", "block": null, "empty": true}],
    "edges": [{"from": 0, "to": 1, "labels": ["N"]}, {"from": 1, "to": 2, "labels": ["N"]},
              {"from": 2, "to": 2, "labels": ["C1"]}, {"from": 2, "to": 3, "labels": ["F1"]}],
    "initial": 0, "final": 3, "may_never_halt": false})"));
}

TEST_F(Fsm, NumbersLoopsInSourceOrderIfAsked) {
  const std::string coarse = output_of({"fsm", "W{op1W{op2}}", "--stage", "coarse", "--number", "source"});
  EXPECT_EQ(coarse, "blocks\n  while 1\n    op1\n    while 2\n      op2\n");
}

TEST_F(Fsm, ListsBuiltInMachines) {
  const std::string list = output_of({"fsm", "--list"});
  for (const char* name : {"delayed_rejection", "elliptical_slice", "slice", "slice_two_loops", "nuts", "nuts_while"}) {
    EXPECT_NE(list.find(name), std::string::npos) << name;
    EXPECT_FALSE(output_of({"fsm", name}).empty());
  }
  EXPECT_NE(list.find("blocks: init, double, integrate, check and done"), std::string::npos);
}

TEST_F(Fsm, NamesMayHaveHyphens) {
  EXPECT_EQ(output_of({"fsm", "slice-two-loops"}), output_of({"fsm", "slice_two_loops"}));
}

TEST_F(Fsm, BuiltInMachinesHaveTheirBlocksNames) {
  const Json nuts = Json::parse(output_of({"fsm", "nuts", "--format", "json"}));
  std::vector<std::string> names;
  for (const Json& state : nuts["states"]) names.push_back(state["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"init", "double", "integrate", "check", "done"}));
  EXPECT_EQ(nuts["edges"].size(), 7U);
}

TEST_F(Fsm, ReadsFilesAndStandardInput) {
  const std::string expected = output_of({"fsm", "op1W{op2}"});
  write("program.txt", "op1\nW{\n  op2\n}\n");
  EXPECT_EQ(output_of({"fsm", "--file", path("program.txt")}), expected);
  EXPECT_EQ(output_of({"fsm", "-"}, "op1 W{op2}\n"), expected);
  EXPECT_EQ(output_of({"fsm", "--file", "-"}, "op1 W{op2}\n"), expected);
}

TEST_F(Fsm, WritesFilesWholeOrNotAtAll) {
  EXPECT_EQ(output_of({"fsm", "nuts", "-o", path("nuts.txt")}), "");
  EXPECT_EQ(read("nuts.txt"), output_of({"fsm", "nuts"}));
  const mode_t mask = umask(0);
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("nuts.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
  EXPECT_EQ(run({"fsm", "op1}", "-o", path("nuts.txt")}).code, 2);
  EXPECT_EQ(read("nuts.txt"), output_of({"fsm", "nuts"})) << "a failure must leave the old file alone";
  EXPECT_EQ(files(), 1) << "no temporary file stays behind";
}

TEST_F(Fsm, WritesThroughLinksAndIntoDevices) {
  write("real.txt", "old");
  std::filesystem::create_symlink(path("real.txt"), path("link.txt"));
  output_of({"fsm", "nuts", "-o", path("link.txt")});
  EXPECT_EQ(read("real.txt"), output_of({"fsm", "nuts"}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt")));
  output_of({"fsm", "nuts", "-o", "/dev/null"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(
      run({"fsm", "nuts", "-o", "/dev/full"}).err,
      "breakstep: cannot write /dev/full (No space left on device): choose another file; nothing was left behind\n");
}

struct Wrong {
  std::vector<std::string> arguments;
  std::string message;
};

// The name of the test in listings.
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  for (const std::string& argument : wrong.arguments) out << '_' << (argument.empty() ? "nothing" : argument);
  return out;
}

class WrongFsm : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFsm, IsRefusedInWords) {
  const Result result = run(GetParam().arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "breakstep: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Fsm, WrongFsm,
    testing::Values(
        Wrong{{"fsm"},
              "no program given (fsm needs a text, a name or --file): try breakstep fsm \"op1W{op1}op1\" or breakstep "
              "fsm "
              "--list"},
        Wrong{{"fsm", ""}, "the program is empty (it has no block): write at least one operation, such as op1"},
        Wrong{{"fsm", "op1W{op1"},
              "the program ends inside a loop (the loop opened at character 4 is not closed): expected }, or more "
              "blocks\n"
              "  op1W{op1\n"
              "          ^"},
        Wrong{{"fsm", "x"},
              "unexpected 'x' at character 1 (no operation or loop starts with it): expected op1, W{ or R{\n"
              "  x\n"
              "  ^"},
        Wrong{
            {"fsm", "nutz"},
            "unknown machine 'nutz' (it is neither built in nor a program text such as op1W{op1}): did you mean nuts?"},
        Wrong{
            {"fsm", "slice-loops"},
            "unknown machine 'slice-loops' (it is neither built in nor a program text such as op1W{op1}): did you mean "
            "slice_two_loops or slice?"},
        Wrong{
            {"fsm", "metropolis"},
            "unknown machine 'metropolis' (it is neither built in nor a program text such as op1W{op1}): breakstep fsm "
            "--list shows the names"},
        Wrong{{"fsm", "nuts", "--stage", "fine"},
              "unknown stage 'fine' (there are parse, coarse, raw and final): did you mean final?"},
        Wrong{{"fsm", "nuts", "--format", "picture"},
              "unknown format 'picture' (there are text, dot, svg, mermaid and json): choose one of these"},
        Wrong{{"fsm", "nuts", "--number", "random"},
              "unknown numbering 'random' (there are paper and source): choose one of these"},
        Wrong{{"fsm", "nuts", "--stage", "parse"},
              "no parse tree (a built-in machine is a C++ program and has no text): ask for --stage coarse"},
        Wrong{{"fsm", "nuts", "--stage"},
              "--stage: 1 required STAGE missing (the command line cannot be read): see breakstep --help or breakstep "
              "fsm "
              "--help"},
        Wrong{
            {"fsm", "op1", "W{op1}"},
            "unexpected argument 'W{op1}' (one program is shown at a time): put quotes around a program that contains "
            "blanks"},
        Wrong{{"fsm", "op1", "--file", "program.txt"},
              "two programs given (one as an argument and one by --file): give only one of them"},
        Wrong{{"fsm", "--list", "nuts"},
              "--list with a program (--list shows all built-in machines): leave one of them out"},
        Wrong{{"fsm", "--file", "/no/such/file"},
              "cannot read /no/such/file (No such file or directory): check the name and its permissions"},
        Wrong{{"fsm", "--file", "/"}, "cannot read / (Is a directory): check the name and its permissions"},
        Wrong{
            {"fsm", "nuts", "-o", "/no/such/folder/nuts.svg"},
            "cannot write /no/such/folder/nuts.svg (No such file or directory): choose another file; nothing was left "
            "behind"}));

TEST_F(Fsm, SaysWhatIsMissingWithoutGraphviz) {
  test::Setting setting;
  setting.environment = {"PATH=/none"};
  const Result result = run({"fsm", "nuts", "--format", "svg"}, setting);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(
      result.err,
      "breakstep: cannot draw the SVG (the program dot was not found on the PATH): install Graphviz (on Debian: apt "
      "install graphviz), or ask for --format dot or mermaid\n");
}

TEST_F(Fsm, AMillionCharactersAtEveryStage) {
  const std::string deep = repeated("W{", 333332) + "op1" + repeated("}", 333332);
  const std::string long_and_flat = repeated("op1W{op1}", 111111);
  const std::vector<std::pair<std::string, std::string>> outputs{
      {"parse", "json"}, {"parse", "dot"}, {"coarse", "text"}, {"coarse", "json"}, {"raw", "json"}};
  for (const auto& [stage, format] : outputs) {
    EXPECT_GT(output_of({"fsm", "-", "--stage", stage, "--format", format}, deep).size(), 1000000U);
  }
  EXPECT_GT(output_of({"fsm", "-", "--format", "json"}, long_and_flat).size(), 1000000U);
  const Result refused = run_with_input({"fsm", "-"}, deep);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(
      refused.err,
      "breakstep: too many labels in the collapsed machine (the limit is 10000000): stop before collapsing (--stage "
      "raw, which grows only linearly) or put blocks between the loops\n");
}

TEST_F(Fsm, RefusesWhatIsTooLargePlainly) {
  const auto refusal = [](const std::vector<std::string>& arguments, const std::string& input) {
    const Result result = run_with_input(arguments, input);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(refusal({"fsm", "-"}, std::string(2000001, ' ')),
            "breakstep: too many characters (the limit is 2000000): give a shorter program\n");
  EXPECT_EQ(refusal({"fsm", "-", "--stage", "raw"}, repeated("W{", 600000) + "op1" + repeated("}", 600000)),
            "breakstep: too many states (the limit is 1000000): ask for --stage coarse or parse\n");
  EXPECT_EQ(refusal({"fsm", "-", "--format", "svg"}, repeated("op1W{op1}", 600)),
            "breakstep: too many states or nodes for a picture (the limit is 1000): ask for --format dot or json\n");
  EXPECT_EQ(refusal({"fsm", "-", "--format", "svg"}, repeated("W{op1}", 60)),
            "breakstep: too many edges for a picture (the limit is 1000): ask for --format dot or json\n");
}

}  // namespace
}  // namespace breakstep_app
