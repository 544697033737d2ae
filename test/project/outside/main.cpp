// A project outside breakstep: uses the headers, the compiled part and the CPU check of an installed package.
#include <breakstep/cpu.hpp>
#include <breakstep/fsm/text.hpp>
#include <breakstep/lanes/math.hpp>
#include <cstdio>

int main() {
  if (const char* why = breakstep_cpu::refusal()) {
    std::puts(why);
    return 1;
  }
  using breakstep::lanes::Pack;
  const auto e = exp(Pack<double, 4>(1.0));
  std::printf("exp(1) = %.15g\n", e[3]);
  return e[3] > 2.718281828459044 && e[3] < 2.718281828459046 ? 0 : 1;
}
