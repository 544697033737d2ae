// What `breakstep compare` has measured, and how it is reported.
#include "comparison.hpp"

#include <string>
#include <string_view>

#include "json.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

using breakstep::runtime::name_of;
using breakstep::runtime::Schedule;

// The baseline of all ratios: the first mode, by construction.
const Measured& lockstep(const Comparison& comparison) { return comparison.modes.front(); }

double draws_per_second(const Comparison& comparison, const Measured& measured) {
  return comparison.draws / median(measured.seconds);
}

double evaluations_per_second(const Measured& measured) {
  return static_cast<double>(measured.counters.evaluations_asked) / median(measured.seconds);
}

double speedup(const Comparison& comparison, const Measured& measured) {
  return median(lockstep(comparison).seconds) / median(measured.seconds);
}

// Lock-step runs the program's loops as they are and has no steps.
std::optional<std::string_view> step_name(const Mode& mode) {
  if (mode.schedule != Schedule::free_running) return std::nullopt;
  return name_of(mode.step);
}

}  // namespace

std::optional<double> waiting_ratio(const Comparison& comparison) {
  const auto& counters = lockstep(comparison).counters;
  if (comparison.loops != 1 || counters.rounds_wanted == 0) return std::nullopt;
  return static_cast<double>(counters.rounds_executed) / static_cast<double>(counters.rounds_wanted);
}

double evaluation_ratio(const Comparison& comparison) {
  const auto& counters = lockstep(comparison).counters;
  return static_cast<double>(counters.evaluations_executed) / static_cast<double>(counters.evaluations_asked);
}

std::string json_of(const Comparison& comparison) {
  JsonArray modes;
  for (const Measured& measured : comparison.modes) {
    modes.add(JsonObject()
                  .add("name", measured.mode.name)
                  .add("step", step_name(measured.mode))
                  .add("schedule", name_of(measured.mode.schedule))
                  .add("storage", name_of(measured.mode.storage))
                  .add("draws_per_second", draws_per_second(comparison, measured))
                  .add("evaluations_per_second", evaluations_per_second(measured))
                  .add("occupancy", measured.counters.occupancy())
                  .add("speedup", speedup(comparison, measured))
                  .add("same_bits", measured.same_bits)
                  .close());
  }
  return JsonObject()
             .add("R", waiting_ratio(comparison))
             .add("B", evaluation_ratio(comparison))
             .raw("modes", modes.close())
             .close() +
         "\n";
}

std::string text_of(const Comparison& comparison) {
  Table table({"mode", "storage", "draws/s", "evaluations/s", "occupancy", "speed-up", "same bits"}, 2);
  for (const Measured& measured : comparison.modes) {
    table.add({measured.mode.name, std::string(name_of(measured.mode.storage)),
               in_words(draws_per_second(comparison, measured)), in_words(evaluations_per_second(measured)),
               shown(100 * measured.counters.occupancy(), 1, 'f') + " %", shown(speedup(comparison, measured), 2, 'f'),
               measured.same_bits ? "yes" : "NO"});
  }
  std::string text = table.text() + "\n";
  if (const auto ratio = waiting_ratio(comparison)) {
    text += "R = " + shown(*ratio, 2, 'f') + ": rounds of the loop that lock-step executes for each one wanted\n";
  }
  return text + "B = " + shown(evaluation_ratio(comparison), 2, 'f') +
         ": evaluations of the density that lock-step executes for each one asked\n";
}

}  // namespace breakstep_app
