// Job: makes targets, tunes samplers and finds starts.
#include "job.hpp"

#include <cmath>

#include "breakstep/error.hpp"
#include "breakstep/lanes/random.hpp"

namespace experiments {

using namespace breakstep;

std::vector<std::string> job_arguments() {
  return {"sampler", "target", "set", "points", "data", "dimension", "start", "start-scale", "warmup", "burn-in"};
}

namespace {

registry::TargetOptions options_of(const Arguments& arguments) {
  return {.dimension = static_cast<int>(arguments.whole("dimension", 0)),
          .points = static_cast<int>(arguments.whole("points", 0)),
          .data = arguments.text("data")};
}

/// Exact draws from a mixture of N(mode·1, variance·Σ), Σ = 0.01·I + 0.99·11ᵀ, whose modes take turns.
runtime::Starts mixture_starts(const std::vector<double>& modes, double variance, int dimension, std::size_t chains,
                               std::uint64_t seed) {
  runtime::Starts starts{.kind = runtime::Starts::Kind::given};
  for (std::size_t c = 0; c < chains; ++c) {
    const lanes::Stream<double, 1> stream(runtime::derived_seed(seed, 8), static_cast<std::uint64_t>(c),
                                          std::uint64_t{0});
    const auto normal = [&](int i) { return stream.normals(static_cast<std::uint64_t>(i), 0)[0][0]; };
    const double shared = std::sqrt(0.99) * normal(dimension);
    for (int i = 0; i < dimension; ++i) {
      starts.positions.push_back(modes[c % modes.size()] + std::sqrt(variance) * (shared + 0.1 * normal(i)));
    }
  }
  return starts;
}

}  // namespace

Job::Job(const Arguments& arguments)
    : sampler_(arguments.text("sampler")),
      target_name_(arguments.text("target")),
      start_(arguments.text("start", "normal")),
      target_(registry::make_target(target_name_, options_of(arguments))),
      start_scale_(arguments.number("start-scale", 1)),
      warm_up_(static_cast<std::uint32_t>(arguments.whole("warmup", 0))),
      burn_in_(static_cast<std::uint32_t>(arguments.whole("burn-in", 0))) {
  for (const std::string& setting : arguments.list("set", "")) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      throw Error("'" + setting + "' cannot be set", "it has no value", "write name=value");
    }
    parameters_.emplace_back(setting.substr(0, equals), to_number(setting.substr(equals + 1)));
  }
}

void Job::tune(registry::AnySampler& sampler) const {
  for (const auto& [name, value] : parameters_) sampler.set(name, value);
}

lanes::Storage Job::storage(target::Asks asks, std::size_t bytes_per_number) const {
  return runtime::preferred_storage(asks, target_->dimension(), bytes_per_number);
}

template <class Real>
Job::Ready Job::prepare(registry::AnySampler& sampler, std::size_t chains, std::uint64_t seed) const {
  const auto storage_here = storage(sampler.asks(), sizeof(Real));
  Ready ready;
  ready.starts.scale = start_scale_;
  if (start_ == "mixture") {
    const bool is_paper = target_name_ == "mixture_paper";
    ready.starts = mixture_starts(is_paper ? std::vector<double>{-10, 0, 10} : std::vector<double>{-5, 5},
                                  is_paper ? 1.0 : 0.5, target_->dimension(), chains, seed);
  } else if (start_ != "normal") {
    throw Error("there is no start '" + start_ + "'", "known are normal and mixture", "use one of them");
  }
  if (warm_up_ > 0) {
    const auto one_step = registry::make_sampler(sampler_);
    tune(*one_step);
    registry::stop_after_one_step(*one_step);
    const auto found = runtime::warm_up(registry::runs_of<Real>(sampler, *one_step, target_, storage_here, chains),
                                        {.draws = warm_up_}, seed, {.threads = 0});
    sampler.set("step_size", found.tuning.step_size);
    ready.starts.kind = runtime::Starts::Kind::given;
    ready.starts.positions = found.positions;
    ready.metric = found.tuning.metric;
    ready.warm_up_seconds = found.facts.seconds;
  }
  if (burn_in_ > 0) {
    const auto run = registry::make_run<Real>(sampler, target_, storage_here, runtime::derived_seed(seed, 9), chains,
                                              false, ready.metric);
    run->start(ready.starts);
    run->advance(burn_in_, burn_in_, {}, {.threads = 0});
    ready.starts.kind = runtime::Starts::Kind::given;
    ready.starts.positions = run->positions();
  }
  return ready;
}

template Job::Ready Job::prepare<float>(registry::AnySampler&, std::size_t, std::uint64_t) const;
template Job::Ready Job::prepare<double>(registry::AnySampler&, std::size_t, std::uint64_t) const;

}  // namespace experiments
