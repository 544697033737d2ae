// The verb `breakstep compare`: runs one job in every mode of execution and compares their speed.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep compare` with its options to `app`.
void add_compare(CLI::App& app);

}  // namespace breakstep_app
