// The program's entry: refuses a machine that cannot run the rest, in words, before any of the rest has run.
#include <cstdio>
#include <cstdlib>

#include "app/app.hpp"
#include "breakstep/cpu.hpp"

namespace {

// Not in main: global objects of the other files are made before main, with instructions this processor may not have.
// Priority 101 is the first a program may use, ahead of all of them.
__attribute__((constructor(101))) void refuse_unfit_machine() {
  if (const char* why = breakstep_cpu::refusal()) {
    std::fprintf(stderr, "breakstep: %s.\n", why);
    std::_Exit(breakstep_app::exit_unfit_machine);
  }
}

}  // namespace

int main(int argc, char** argv) { return breakstep_app::run(argc, argv); }
