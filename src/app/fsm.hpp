// The verb `breakstep fsm`: shows the state machine of a program.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep fsm` with its options to `app`.
void add_fsm(CLI::App& app);

}  // namespace breakstep_app
