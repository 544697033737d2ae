// Compiles the engine at every width for the tests.
#define BREAKSTEP_TEST_ENGINES_HERE
#include "engines.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {
BREAKSTEP_TEST_ENGINES()
}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
