// Which cores a measurement may use.
#pragma once

#include <sched.h>

namespace bench {

/// Keeps this thread, and those it starts, on one core (the last: interrupts like the first), or lets them go anywhere.
inline void stay_on_one_core(bool one) {
  static const cpu_set_t all = [] {
    cpu_set_t cores;
    sched_getaffinity(0, sizeof cores, &cores);
    return cores;
  }();
  cpu_set_t cores = all;
  if (one) {
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; ++core) last = CPU_ISSET(core, &all) ? core : last;
    CPU_ZERO(&cores);
    CPU_SET(last, &cores);
  }
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace bench
