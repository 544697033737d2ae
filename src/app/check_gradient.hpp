// The verb `breakstep check-gradient`: compares a target's gradient with differences of its density.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep check-gradient` with its options to `app`.
void add_check_gradient(CLI::App& app);

}  // namespace breakstep_app
