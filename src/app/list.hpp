// The verb `breakstep list`: lists the samplers, targets and modes of execution there are.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep list` with its options to `app`.
void add_list(CLI::App& app);

}  // namespace breakstep_app
