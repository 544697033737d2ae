// The tool as a whole: help, version, unknown commands, and outputs that cannot be written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

using test::Result;
using test::run;

void expect_refused(const Result& result, const std::string& message) {
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "breakstep: " + message + "\n");
}

TEST(Main, HelpTeachesTheCommand) {
  const Result result = run({"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("breakstep fsm nuts"), std::string::npos);
  EXPECT_NE(result.out.find("Exit codes: 0 success; 1"), std::string::npos);
}

TEST(Main, VersionIsThatOfTheProject) {
  const Result result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.find("breakstep " BREAKSTEP_VERSION " (avx"), 0U) << result.out;
}

TEST(Main, RefusesWhatItDoesNotKnow) {
  expect_refused(run({}), "no command given (there is nothing to do): see breakstep --help");
  expect_refused(
      run({"draw"}),
      "unknown command 'draw' (the commands are sample, compare, advise, list, check-gradient, sbc and fsm): see "
      "breakstep --help");
  expect_refused(run({"--loud"}),
                 "unknown option '--loud' (options of a command come after it): breakstep --help lists the options");
  expect_refused(run({"fsm", "--loud", "nuts"}),
                 "unknown option '--loud' (fsm does not have it): breakstep fsm --help lists the options");
  expect_refused(run({"sample", "--chain=3"}),
                 "unknown option '--chain=3' (sample does not have it): did you mean --chains?");
  expect_refused(
      run({"sample", "slice"}),
      "unexpected argument 'slice' (every value follows the name of its option): see breakstep sample --help");
}

TEST(Main, SaysSoWhenOutputIsLost) {
  test::Setting setting;
  setting.output = "/dev/full";
  for (const auto& arguments :
       {std::vector<std::string>{"--help"}, {"--version"}, {"fsm", "nuts"}, {"fsm", "--list"}, {"list"}}) {
    const Result result = run(arguments, setting);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(
        result.err,
        "breakstep: cannot write to standard output (No space left on device): the output is incomplete; write it to "
        "a file with --output\n");
  }
}

TEST(Main, SaysSoWhenTheReaderHasGoneAway) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  test::Setting setting;
  setting.output_pipe = ends[1];
  const Result result = run({"fsm", "nuts"}, setting);
  close(ends[1]);
  EXPECT_EQ(result.code, 2) << "not ended by a signal";
  EXPECT_EQ(
      result.err,
      "breakstep: cannot write to standard output (Broken pipe): the output is incomplete; write it to a file with "
      "--output\n");
}

}  // namespace
}  // namespace breakstep_app
