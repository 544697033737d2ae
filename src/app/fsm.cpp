// The verb `breakstep fsm`: shows the state machine of a program.
#include "fsm.hpp"

#include <CLI/CLI.hpp>

namespace breakstep_app {

void add_fsm(CLI::App& app) { app.add_subcommand("fsm", "Show the state machine of a program"); }

}  // namespace breakstep_app
