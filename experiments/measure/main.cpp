// measure: runs the library for the experiments and writes CSV.
//
//   measure time JOB --chains 1,16,1024 --draws N [--work CHAINS·DRAWS] --modes lockstep,free,… [--seeds 1,2]
//                [--rounds N] [--seconds S] [--precision single|double] [--least-draws N]   rows on standard output
//                `seconds` is processor time of modes with one thread, so that a shared machine shows less, else
//                `wall_seconds`
//   measure lengths JOB --chains M --draws N --out PREFIX [--checkpoints 100,1000] [--seed S] [--threads T]
//   measure machine                                                                  one row: instruction set, cores
//   JOB: --sampler NAME --target NAME [--set a=1,b=2] [--points N] [--data FILE] [--dimension N]
//        [--start normal|mixture] [--start-scale X] [--warmup N] [--burn-in N]
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/pack.hpp"
#include "lengths.hpp"
#include "time.hpp"

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  try {
    if (std::strcmp(kind, "time") == 0) {
      experiments::time_modes(argc - 2, argv + 2);
    } else if (std::strcmp(kind, "lengths") == 0) {
      experiments::measure_lengths(argc - 2, argv + 2);
    } else if (std::strcmp(kind, "machine") == 0) {
      std::printf("isa,cores,float_lanes,double_lanes\n%s,%u,%d,%d\n", BREAKSTEP_ISA_AVX512 ? "AVX-512" : "AVX2",
                  std::thread::hardware_concurrency(), breakstep::lanes::native_width<float>,
                  breakstep::lanes::native_width<double>);
    } else {
      std::fprintf(stderr, "measure: no kind '%s' (known are time, lengths and machine): see the head of main.cpp\n",
                   kind);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "measure: %s\n", error.what());
    return 2;
  }
}
