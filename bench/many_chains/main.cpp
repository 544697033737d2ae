// Effective draws per second of MEADS, ChEES, NUTS and transport slice on the paper's four posteriors, one core:
// starts, a warm-up, then draws. The last two also in every kind of lock-step, beside the bound B(m) of what freedom
// can gain. Chains start as the tool's do; but where other modes would hold them (predator-prey, oxygen demand) and the
// means are known (references.json beside the data), near those.
//
// Usage: bench_many_chains [--chains N] [--warm-up N] [--draws N] [--precision single|double] [--target NAME]
// [--sampler NAME] [--data-dir DIR]. Without DIR targets make up their data.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/error.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/registry/transport.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/options.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;
using runtime::Schedule;
using Target = std::shared_ptr<const registry::AnyTarget>;

struct Options {
  std::size_t chains = 128;
  std::uint32_t warm_up = 400, draws = 1000;
  bool is_double = false;
  std::string target, sampler, data;
};

struct Posterior {
  const char* name;
  const char* file;
  const char* reference = nullptr;  ///< near whose means chains start
};
constexpr Posterior posteriors[] = {{"predator_prey", "lynx_hare.csv", "pp_intended_rk4"},
                                    {"google_stock", "google_stock.csv"},
                                    {"german_credit", "german_credit.csv"},
                                    {"bod_stdnormal_prior", "bod.csv", "bod_stdnormal_prior"}};

/// Uniform as the tool's, or within hundredths of a standard deviation of the reference's means.
runtime::Starts starts_of(const Posterior& posterior, std::size_t d, const Options& options) {
  runtime::Starts starts = runtime::WarmUpOptions{}.starts;
  if (posterior.reference == nullptr || options.data.empty()) return starts;
  std::ifstream file(options.data + "/references.json");
  if (!file) return starts;
  starts = {.kind = runtime::Starts::Kind::given};
  const auto quantities = nlohmann::ordered_json::parse(file).at(posterior.reference).at("quantities");
  for (std::size_t c = 0; c < options.chains; ++c) {
    const lanes::Stream<double, 1> stream(17, static_cast<std::uint64_t>(c), std::uint64_t{0});
    auto quantity = quantities.begin();
    for (std::size_t i = 0; i < d; ++i, ++quantity) {
      const double normal = stream.normals(static_cast<std::uint64_t>(i), 0)[0][0];
      starts.positions.push_back(quantity->at("mean").get<double>() + 0.02 * quantity->at("sd").get<double>() * normal);
    }
  }
  return starts;
}

struct Worth {
  double least = 0, mean = 0, worst_rhat = 0;
};

/// Effective sizes (bulk) over the sampler's coordinates.
template <class Real>
Worth worth_of(const std::vector<Real>& draws, const Options& options, std::size_t d) {
  Worth worth;
  diagnostics::Summarizer summarizer;
  for (std::size_t i = 0; i < d; ++i) {
    auto& one =
        summarizer.read(diagnostics::DrawsView<Real>{.data = draws.data() + i,
                                                     .chains = options.chains,
                                                     .draws = options.draws,
                                                     .chain_stride = static_cast<std::ptrdiff_t>(options.draws * d),
                                                     .draw_stride = static_cast<std::ptrdiff_t>(d)});
    const double ess = one.ess_bulk();
    worth.least = i == 0 ? ess : std::min(worth.least, ess);
    worth.mean += ess / static_cast<double>(d);
    worth.worst_rhat = std::max(worth.worst_rhat, one.rhat());
  }
  return worth;
}

/// A sampler tuned to a target, and where its chains ended.
template <class Real>
class Tuned {
 public:
  Tuned(const std::string& name, const Target& target, const runtime::Starts& starts, const Options& options)
      : target_(target), options_(options), sampler_(registry::make_sampler(name)) {
    storage_ = runtime::preferred_storage(sampler_->asks(), target->dimension(), sizeof(Real));
    if (const registry::FlowSettings* const flow = sampler_->flow()) {
      auto how = registry::transport_options(*flow, target->dimension(), options.warm_up);
      how.starts = starts;
      auto found = registry::warm_up_transport<Real>(*sampler_, target, storage_, options.chains, false, how, 1, {});
      flow_ = std::move(found.flow);
      positions_ = std::move(found.positions);
      warm_up_seconds_ = found.facts.seconds;
      return;
    }
    const auto make = [&] { return registry::make_sampler(name); };
    const runtime::WarmUpOptions how{
        .draws = options.warm_up, .target_accept = registry::usual_acceptance(name), .starts = starts};
    auto found = registry::warm_up<Real>(make, target, storage_, options.chains, false, how, 1, {});
    registry::use_tuning(*sampler_, found.tuning);
    metric_ = std::move(found.tuning.metric);
    positions_ = std::move(found.positions);
    warm_up_seconds_ = found.facts.seconds;
  }

  struct Result {
    std::vector<Real> draws;
    runtime::Counters counters;
    double seconds = 0;
  };

  Result draw(Schedule schedule) const {
    const auto run = registry::make_run<Real>(*sampler_, target_, storage_, 1, options_.chains, false, metric_, flow_);
    run->start({.kind = runtime::Starts::Kind::given, .scale = 1, .positions = positions_});
    Result result;
    result.draws.resize(options_.chains * options_.draws * static_cast<std::size_t>(run->dimension()));
    const double begin = bench::seconds_now();
    result.counters =
        run->advance(options_.draws, options_.draws,
                     {.data = result.draws.data(), .first = 0, .count = options_.draws, .dimension = run->dimension()},
                     {.schedule = schedule});
    result.seconds = bench::seconds_now() - begin;
    return result;
  }

  [[nodiscard]] double warm_up_seconds() const { return warm_up_seconds_; }

 private:
  Target target_;
  const Options& options_;
  std::unique_ptr<registry::AnySampler> sampler_;
  lanes::Storage storage_{};
  target::GaussianPrior metric_;
  target::FlowNumbers flow_;
  std::vector<double> positions_;
  double warm_up_seconds_ = 0;
};

template <class Real>
void print_row(const std::string& sampler, const Target& target, const runtime::Starts& starts,
               const Options& options) {
  const Tuned<Real> tuned(sampler, target, starts, options);
  const auto free = tuned.draw(Schedule::free_running);
  const Worth worth = worth_of(free.draws, options, static_cast<std::size_t>(target->dimension()));
  const double draws = static_cast<double>(options.chains) * options.draws;
  std::printf(
      "  %-16s warm-up %7.2f s   draws %7.2f s   %8.1f evaluations a draw   ESS/s %9.1f (least) %9.1f (mean)   "
      "R-hat up to %.3f\n",
      sampler.c_str(), tuned.warm_up_seconds(), free.seconds,
      static_cast<double>(free.counters.evaluations_asked) / draws, worth.least / free.seconds,
      worth.mean / free.seconds, worth.worst_rhat);
  if (sampler == "meads" || sampler == "chees") return;  // without loops there is nothing to gain
  const auto lockstep = tuned.draw(Schedule::lockstep), skip = tuned.draw(Schedule::lockstep_skip),
             pack = tuned.draw(Schedule::lockstep_pack);
  if (lockstep.draws != free.draws || skip.draws != free.draws || pack.draws != free.draws) {
    throw Error("schedules disagree about draws", "they must not", "report it");
  }
  const double bound = static_cast<double>(lockstep.counters.evaluations_executed) /
                       static_cast<double>(lockstep.counters.evaluations_asked);
  const auto ess_per_second = [&](double seconds) { return worth.least / seconds; };
  std::printf(
      "    least ESS/s: lockstep %.1f, lockstep-skip %.1f, lockstep-pack %.1f, free %.1f;  free is %.2f x, %.2f x and "
      "%.2f x as fast;  B(m) = %.2f, of which %.0f %% are reached\n",
      ess_per_second(lockstep.seconds), ess_per_second(skip.seconds), ess_per_second(pack.seconds),
      ess_per_second(free.seconds), lockstep.seconds / free.seconds, skip.seconds / free.seconds,
      pack.seconds / free.seconds, bound, 100 * lockstep.seconds / free.seconds / bound);
}

template <class Real>
void print_table(const Options& options) {
  std::printf("%zu chains of %u draws after %u of warm-up, %s precision, one core\n", options.chains, options.draws,
              options.warm_up, options.is_double ? "double" : "single");
  for (const Posterior& posterior : posteriors) {
    if (!options.target.empty() && options.target != posterior.name) continue;
    const Target target = registry::make_target(
        posterior.name, {.data = options.data.empty() ? std::string() : options.data + "/" + posterior.file});
    const auto starts = starts_of(posterior, static_cast<std::size_t>(target->dimension()), options);
    std::printf("%s (d = %d%s, starts %s)\n", posterior.name, target->dimension(),
                options.data.empty() ? ", made-up data" : "",
                starts.kind == runtime::Starts::Kind::given ? "near the means" : "uniform");
    for (const std::string sampler : {"meads", "chees", "nuts", "transport_slice"}) {
      if (!options.sampler.empty() && options.sampler != sampler) continue;
      try {
        print_row<Real>(sampler, target, starts, options);
      } catch (const Error& stopped) {
        std::printf("  %-16s stopped: %s\n", sampler.c_str(), stopped.what());
      }
      std::fflush(stdout);
    }
  }
}

/// Options of other benchmarks are ignored: tools/bench gives all of them the same.
Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--chains") options.chains = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--warm-up") options.warm_up = static_cast<std::uint32_t>(std::atoi(value.c_str()));
    if (name == "--draws") options.draws = static_cast<std::uint32_t>(std::atoi(value.c_str()));
    if (name == "--precision") options.is_double = value == "double";
    if (name == "--target") options.target = value;
    if (name == "--sampler") options.sampler = value;
    if (name == "--data-dir") options.data = value;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = read_options(argc, argv);
  bench::stay_on_one_core(true);
  if (options.is_double) {
    print_table<double>(options);
  } else {
    print_table<float>(options);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_many_chains: %s\n", error.what());
  return 2;
}
