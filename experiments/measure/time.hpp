// Times modes of execution on one job in interleaved rounds.
#pragma once

namespace experiments {

/// Prints one CSV row per number of chains, seed, round and mode. A mode whose draws differ from those of the first
/// mode stops the run with an Error.
void time_modes(int argc, char** argv);

}  // namespace experiments
