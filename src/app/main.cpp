// Runs one command line: finds the verb, turns every failure into a message and an exit code.
#include <CLI/CLI.hpp>

#include "app.hpp"
#include "fsm.hpp"

namespace breakstep_app {

int run(int argc, char** argv) {
  CLI::App app("breakstep", "breakstep");
  add_fsm(app);
  CLI11_PARSE(app, argc, argv);
  return exit_ok;
}

}  // namespace breakstep_app
