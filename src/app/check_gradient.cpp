// The verb `breakstep check-gradient`: compares a target's gradient with differences of its density.
#include "check_gradient.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/target/check_gradient.hpp"
#include "job.hpp"
#include "number.hpp"
#include "stream.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

using breakstep::Error;

constexpr const char* footer = R"(
Takes positions at random and compares each component of the gradient with a fourth-order
difference of the density, in double precision. Prints for each position the worst component and
its error as a share of what is allowed (1e-6 of the greatest component, and rounding). Exits with
2 if a share is above 1.

Example:
  breakstep check-gradient --target funnel --dimension 5 --positions 20)";

struct Options {
  JobOptions job;
  std::string positions = "10";
};

void run_check(const Options& options) {
  const auto target = read_target(options.job);
  const auto positions = whole_number("--positions", options.positions, 1, 1'000'000);
  const auto seed = whole_number("--seed", options.job.seed, 0, ~std::uint64_t{0});
  const double scale = finite_number("--start-scale", options.job.start_scale);
  const auto names = target->coordinate_names();
  const breakstep::lanes::FlushToZero scope;
  const auto density = target->density(breakstep::registry::OneDouble{}, breakstep::target::Asks::gradient);
  Table table({"position", "worst component", "gradient", "difference", "error"}, 2);
  std::size_t wrong = 0;
  for (std::uint64_t p = 0; p < positions; ++p) {
    const breakstep::lanes::Stream<double, 1> stream(seed, p, std::uint64_t{0});
    std::vector<double> position;
    for (std::size_t i = 0; i < names.size(); ++i) position.push_back(scale * stream.normals(i, 0)[0][0]);
    const auto check = breakstep::target::check_gradient(*density, position);
    wrong += check.error > 1 ? 1 : 0;
    table.add({std::to_string(p), names[static_cast<std::size_t>(check.coordinate)], shown(check.component, 6),
               shown(check.difference, 6), shown(check.error, 2)});
  }
  write_to_stdout(table.text());
  if (wrong > 0) {
    throw Error("the gradient disagrees with the density at " + std::to_string(wrong) + " of " +
                    std::to_string(positions) + " positions",
                "an error above 1, or - where something is not finite, cannot be rounding",
                "correct the gradient, or check closer to where the density is smooth with --start-scale");
  }
}

}  // namespace

void add_check_gradient(CLI::App& app) {
  CLI::App* const verb = app.add_subcommand("check-gradient", "Compare a target's gradient with its density");
  const auto options = std::make_shared<Options>();
  verb->set_help_flag("-h,--help", "Print this help");
  verb->footer(footer);
  add_target_options(*verb, options->job);
  const auto add = [&](const char* name, std::string& value, const char* meaning, const char* type) {
    verb->add_option(name, value, meaning)->type_name(type)->capture_default_str();
  };
  add("--positions", options->positions, "Positions to check at", "N");
  add("--seed", options->job.seed, "Seed of the positions", "N");
  add("--start-scale", options->job.start_scale, "Standard deviation of the positions", "X");
  verb->callback([options] { run_check(*options); });
}

}  // namespace breakstep_app
