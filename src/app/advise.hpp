// The verb `breakstep advise`: tries ways to run a job and says which to take.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep advise` with its options to `app`.
void add_advise(CLI::App& app);

}  // namespace breakstep_app
