// Names of execution choices, and the checks of options before a run.
#include "breakstep/runtime/options.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/runtime/sample.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

namespace {

template <class Value, std::size_t N>
using Names = std::array<std::pair<std::string_view, Value>, N>;

constexpr Names<Step, 6> steps = {{{"auto", Step::automatic},
                                   {"switched", Step::switched_inline},
                                   {"switched-amortized", Step::switched_amortized},
                                   {"bundled", Step::bundled_inline},
                                   {"bundled-amortized", Step::bundled_amortized},
                                   {"gathered", Step::gathered}}};
constexpr Names<Schedule, 4> schedules = {{{"lockstep", Schedule::lockstep},
                                           {"lockstep-skip", Schedule::lockstep_skip},
                                           {"lockstep-pack", Schedule::lockstep_pack},
                                           {"free", Schedule::free_running}}};
constexpr Names<lanes::Storage, 2> storages = {
    {{"interleaved", lanes::Storage::interleaved}, {"contiguous", lanes::Storage::contiguous}}};

template <class Value, std::size_t N>
std::string_view find_name(const Names<Value, N>& names, Value value) {
  for (const auto& [name, known] : names) {
    if (known == value) return name;
  }
  return "?";
}

template <class Value, std::size_t N>
Value find_value(const Names<Value, N>& names, std::string_view wanted, const char* what) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == wanted) return value;
    known.append(known.empty() ? "" : ", ").append(name);
  }
  throw Error(std::string("there is no ") + what + " '" + std::string(wanted) + "'", "known are " + known,
              "use one of them");
}

}  // namespace

lanes::Storage preferred_storage(target::Asks asks, int dimension, std::size_t bytes_per_number) {
  const int crossover = bytes_per_number == sizeof(float) ? 24 : 8;
  return asks == target::Asks::gradient && dimension > crossover ? lanes::Storage::contiguous
                                                                 : lanes::Storage::interleaved;
}

std::string_view name_of(Step step) { return find_name(steps, step); }
std::string_view name_of(Schedule schedule) { return find_name(schedules, schedule); }
std::string_view name_of(lanes::Storage storage) { return find_name(storages, storage); }
Step parse_step(std::string_view name) { return find_value(steps, name, "step"); }
Schedule parse_schedule(std::string_view name) { return find_value(schedules, name, "schedule"); }
lanes::Storage parse_storage(std::string_view name) { return find_value(storages, name, "storage"); }

void check(const SampleOptions& options, int dimension) {
  if (options.chains == 0) throw Error("no chains to run", "the number of chains is 0", "ask for at least one");
  if (options.draws == 0) throw Error("no draws to make", "the number of draws is 0", "ask for at least one");
  if (options.chains > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(std::to_string(options.chains) + " chains are too many",
                "random numbers are addressed by a 32-bit chain", "run several seeds instead");
  }
  if (options.draws >= std::numeric_limits<std::uint32_t>::max() - 1) {
    throw Error(std::to_string(options.draws) + " draws are too many", "random numbers are addressed by a 32-bit draw",
                "run several seeds instead");
  }
  if (options.threads < 0)
    throw Error("a negative number of threads", std::to_string(options.threads), "use 0 for one per core");
  if (options.execution.parking < 0)
    throw Error("a negative parking threshold", std::to_string(options.execution.parking), "use 0 to tune it");
  if (options.starts.kind == Starts::Kind::given) {
    const auto d = static_cast<std::size_t>(dimension);
    const std::size_t found = options.starts.positions.size();
    if (found != d && found != d * options.chains) {
      throw Error("the first positions have " + std::to_string(found) + " numbers",
                  std::to_string(d) + " are needed for one position, " + std::to_string(d * options.chains) +
                      " for one per chain",
                  "give either");
    }
  } else if (!(options.starts.scale > 0)) {
    throw Error("first positions of scale " + std::to_string(options.starts.scale), "it must be positive",
                "correct it");
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
