// The verb `breakstep sbc`: simulation-based calibration of a sampler on a target.
#pragma once

namespace CLI {
class App;
}

namespace breakstep_app {

/// Adds `breakstep sbc` with its options to `app`.
void add_sbc(CLI::App& app);

}  // namespace breakstep_app
