// What tests do with the tool's JSON: add arguments to a job, run it, read the report.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_breakstep.hpp"

namespace breakstep_app::test {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

inline Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// What --json prints; warnings may stand on standard error.
inline Json json_of(const Arguments& arguments) {
  const Result result = run(with(arguments, {"--json"}));
  EXPECT_EQ(result.code, 0) << result.err;
  return Json::parse(result.out);
}

}  // namespace breakstep_app::test
