// The version that `breakstep --version` reports; a test compares it with the one in CMakeLists.txt.
#pragma once

namespace breakstep_app {

inline constexpr const char* version = "0.1.0";

}  // namespace breakstep_app
