// `breakstep list` from outside: everything that the registry has is on it.
#include <gtest/gtest.h>

#include <string>

#include "breakstep/registry/sampler.hpp"
#include "breakstep/registry/target.hpp"
#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

TEST(List, HasSamplersWithParametersTargetsAndModes) {
  const test::Result result = test::run({"list"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  const auto expect_line = [&](const std::string& start) {
    EXPECT_NE(result.out.find("\n  " + start), std::string::npos) << start;
  };
  for (const auto& entry : breakstep::registry::samplers()) {
    expect_line(std::string(entry.name) + " ");
    for (const auto& parameter : entry.make()->parameters()) expect_line("  " + parameter.name + "=");
  }
  for (const auto& entry : breakstep::registry::targets()) expect_line(std::string(entry.name) + " ");
  for (const char* name :
       {"lockstep", "lockstep-skip", "lockstep-pack", "free", "auto", "switched", "switched-amortized", "bundled",
        "bundled-amortized", "gathered", "interleaved", "contiguous"}) {
    expect_line(std::string(name) + " ");
  }
}

}  // namespace
}  // namespace breakstep_app
