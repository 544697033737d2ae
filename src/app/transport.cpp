// The warm-up of a sampler that works through a flow: its options, training the flow, and what is said about it.
#include "transport.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "breakstep/diagnostics/pareto.hpp"
#include "breakstep/error.hpp"
#include "breakstep/registry/transport.hpp"
#include "choice.hpp"
#include "json.hpp"
#include "table.hpp"
#include "warm_up.hpp"

namespace breakstep_app {
namespace {

namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using breakstep::Error;
using breakstep::diagnostics::largest_good_pareto_k;
using breakstep::target::Activation;
using breakstep::target::FlowKind;

constexpr std::array<std::pair<const char*, FlowKind>, 4> kinds{{{"shift-scale", FlowKind::shift_scale},
                                                                 {"affine", FlowKind::affine},
                                                                 {"spline", FlowKind::spline},
                                                                 {"affine-spline", FlowKind::affine_spline}}};
constexpr std::array<std::pair<const char*, runtime::FlowLoss>, 2> losses{
    {{"reverse", runtime::FlowLoss::reverse}, {"forward", runtime::FlowLoss::forward}}};
constexpr std::array<std::pair<const char*, Activation>, 3> activations{
    {{"relu", Activation::relu}, {"tanh", Activation::tanh}, {"silu", Activation::silu}}};

std::string counted(std::uint64_t number, const char* one, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

}  // namespace

void add_flow_options(CLI::App& verb, FlowChoices& choices) {
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    verb.add_option(name, value, meaning)->type_name("NAME")->group("Warm-up (changes draws)");
  };
  add("--flow", choices.kind, "transport-slice: shift-scale, affine [the default], spline or affine-spline");
  add("--flow-loss", choices.loss,
      "transport-slice: forward [the default], which learns from the chains' draws, or reverse (needs gradients)");
  add("--flow-activation", choices.activation, "transport-slice: relu, tanh [the default] or silu");
}

void read_flow_choices(const FlowChoices& choices, Job& job) {
  registry::FlowSettings* const settings = job.sampler->flow();
  if (settings == nullptr) {
    if (!choices.any()) return;
    throw Error("sampler " + job.sampler_name + " has no flow", "--flow and its kin are for transport-slice",
                "leave them out, or choose that sampler");
  }
  if (choices.kind) settings->shape.kind = choose("flow", with_hyphens(*choices.kind), kinds);
  if (choices.activation) settings->shape.activation = choose("activation", *choices.activation, activations);
  if (choices.loss) settings->training.loss = choose("flow loss", *choices.loss, losses);
  if (settings->training.loss == runtime::FlowLoss::reverse && !job.target->has_gradient()) {
    throw Error("--flow-loss reverse with target " + job.target_name, "it needs gradients, and the target has none",
                "use --flow-loss forward");
  }
}

runtime::TransportOptions transport_options(const Job& job, std::uint32_t draws) {
  runtime::TransportOptions options = registry::transport_options(*job.sampler->flow(), job.target->dimension(), draws);
  options.training.threads = job.execution.threads;
  return options;
}

runtime::TransportWarmUp train_flow(const Job& job, const Mode& mode, const runtime::TransportOptions& options) {
  runtime::Execution execution = job.execution;
  execution.schedule = mode.schedule;
  execution.step = mode.step;
  const auto run = [&]<class Real>(Real) {
    return registry::warm_up_transport<Real>(*job.sampler, job.target, mode.storage, job.chains,
                                             mode.one_chain_at_a_time, options, job.seed, execution);
  };
  return job.is_single ? run(float{}) : run(double{});
}

std::string words_of_flow(const runtime::TransportWarmUp& result, const runtime::TransportOptions& options) {
  const runtime::TransportFacts& facts = result.facts;
  const double k = breakstep::diagnostics::pareto_k(facts.log_ratios);
  std::string text = "warm-up: " + counted(options.draws, "draw", "draws") + " of each chain and " +
                     counted(facts.steps, "step", "steps") + " of training in " + shown(facts.seconds, 3) + " s (" +
                     shown(facts.training_seconds, 3) + " s training); flow " + name_of(options.shape.kind) + " of " +
                     counted(result.flow.parameters.size(), "number", "numbers") + ", loss " +
                     shown(facts.first_loss, 5) + " to " + shown(facts.last_loss, 5);
  text += std::isfinite(k) ? ", Pareto k " + shown(k, 2, 'f') + "\n" : "\n";
  if (facts.retried_starts > 0) {
    text += counted(facts.retried_starts, "chain", "chains") + " needed several attempts at a usable start\n";
  }
  return text;
}

std::string warnings_of_flow(const runtime::TransportWarmUp& result, const runtime::TransportOptions& options) {
  const runtime::TransportFacts& facts = result.facts;
  std::string text = warning_of_starts(facts.bad_starts, options.starts);
  if (facts.skipped > 0) {
    text += "warning: " + std::to_string(facts.skipped) + " of " + std::to_string(facts.steps) +
            " steps of training were skipped: their gradients were not finite; try a smaller --set learning_rate\n";
  }
  if (facts.left_out > 0) {
    text += "warning: training left out " + counted(facts.left_out, "position", "positions") +
            " at which the density or its gradient is not finite\n";
  }
  const auto finite =
      std::count_if(facts.log_ratios.begin(), facts.log_ratios.end(), [](double ratio) { return !std::isnan(ratio); });
  if (finite == 0) {
    return text + "warning: the flow gives no number anywhere: chains stand still; try a smaller --set learning_rate\n";
  }
  const double k = breakstep::diagnostics::pareto_k(facts.log_ratios);
  if (k > largest_good_pareto_k) {
    text += "warning: the flow fits badly (Pareto k " + (std::isfinite(k) ? shown(k, 2, 'f') : "infinite") +
            " is above " + shown(largest_good_pareto_k, 1, 'f') +
            "): draws are right but may mix slowly; try a longer --warmup, another --flow or --flow-loss\n";
  }
  return text;
}

std::string json_of_flow(const runtime::TransportWarmUp& result) {
  const runtime::TransportFacts& facts = result.facts;
  return JsonObject()
      .add("seconds", facts.seconds)
      .add("training_seconds", facts.training_seconds)
      .add("evaluations", facts.counters.evaluations_asked)
      .add("retried_starts", facts.retried_starts)
      .add("bad_starts", facts.bad_starts)
      .add("steps", facts.steps)
      .add("skipped_steps", facts.skipped)
      .add("first_loss", facts.first_loss)
      .add("last_loss", facts.last_loss)
      .add("pareto_k", breakstep::diagnostics::pareto_k(facts.log_ratios))
      .close();
}

}  // namespace breakstep_app
