// How much memory there is, and the refusal of a job that would not fit.
#pragma once

#include <string>

namespace breakstep_app {

/// Bytes that this process can still use without swapping: of the machine, or of the container it runs in if that is
/// less.
double available_memory();

/// Throws an Error with the numbers if `bytes` are more than there are. `what` says what they are for.
void require_memory(double bytes, const std::string& what, const std::string& advice);

}  // namespace breakstep_app
