// The verb `breakstep list`: lists the samplers, targets and modes of execution there are.
#include "list.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "breakstep/registry/sampler.hpp"
#include "breakstep/registry/target.hpp"
#include "breakstep/runtime/options.hpp"
#include "stream.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace registry = breakstep::registry;
using breakstep::runtime::name_of;
using breakstep::runtime::Schedule;
using breakstep::runtime::Step;

std::string line(std::string_view name, std::string_view meaning) {
  std::string text = "  " + std::string(name);
  text.resize(std::max<std::size_t>(text.size() + 2, 31), ' ');
  return text + std::string(meaning) + "\n";
}

std::string list_of_samplers() {
  std::string text = "Samplers (--sampler) and their parameters (--set name=value)\n";
  for (const registry::SamplerEntry& entry : registry::samplers()) {
    text += line(entry.name, entry.summary);
    for (const registry::Parameter& parameter : entry.make()->parameters()) {
      text += line("  " + parameter.name + "=" + shown(parameter.value, 6), parameter.meaning);
    }
  }
  return text;
}

std::string list_of_targets() {
  std::string text = "Targets (--target)\n";
  for (const registry::TargetEntry& entry : registry::targets()) {
    text += line(entry.name, std::string(entry.summary) + (entry.has_prior ? "; has a Gaussian prior" : ""));
  }
  return text;
}

std::string list_of_modes() {
  return "Schedules (--schedule): who moves now\n" +
         line(name_of(Schedule::lockstep), "masked loops; every chain waits for the last one to leave") +
         line(name_of(Schedule::lockstep_skip), "the same, but packs in which no lane is active are skipped") +
         line(name_of(Schedule::lockstep_pack), "only the chains of one pack wait for each other") +
         line(name_of(Schedule::free_running), "nobody waits: every chain moves through its own states") +
         "\nSteps (--step) of the schedule free: how one move is made\n" +
         line(name_of(Step::automatic),
              "bundled, bundled-amortized or gathered, whichever proves fastest while running") +
         line(name_of(Step::switched_inline), "each lane runs one block; the density is evaluated in each that asks") +
         line(name_of(Step::switched_amortized), "the same, with one evaluation of the density for all blocks") +
         line(name_of(Step::bundled_inline), "a lane may run the blocks that follow in the same step") +
         line(name_of(Step::bundled_amortized), "the same, with one evaluation of the density for all blocks") +
         line(name_of(Step::gathered), "a block runs while enough lanes stand at it; the others wait for company") +
         "\nStorages (--storage): how the vectors of a pack's chains lie in memory\n" +
         line(name_of(breakstep::lanes::Storage::interleaved), "coordinate by coordinate; for few dimensions") +
         line(name_of(breakstep::lanes::Storage::contiguous), "chain by chain; for many dimensions");
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("list", "List samplers with their parameters, targets and modes");
  verb->set_help_flag("-h,--help", "Print this help");
  verb->callback([] { write_to_stdout(list_of_samplers() + "\n" + list_of_targets() + "\n" + list_of_modes()); });
}

}  // namespace breakstep_app
