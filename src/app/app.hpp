// The command-line tool: its exit codes and the function that runs one command line.
#pragma once

namespace breakstep_app {

inline constexpr int exit_ok = 0;
inline constexpr int exit_user_error = 2;
inline constexpr int exit_unfit_machine = 3;

/// Runs one command line and returns the exit code. Never throws.
int run(int argc, char** argv);

}  // namespace breakstep_app
