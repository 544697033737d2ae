// The program's entry: refuses a machine that cannot run the rest, then hands over.
#include <cstdio>

#include "app/app.hpp"
#include "breakstep/cpu.hpp"

int main(int argc, char** argv) {
  if (const char* why = breakstep_cpu::refusal()) {
    std::fprintf(stderr, "breakstep: %s.\n", why);
    return breakstep_app::exit_unfit_machine;
  }
  return breakstep_app::run(argc, argv);
}
