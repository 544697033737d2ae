// The verb `breakstep sample`: makes draws and summarizes them.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep sample` with its options to `app`.
void add_sample(CLI::App& app);

}  // namespace breakstep_app
