// What `sample` and `compare` have in common: which chains to run, read from the command line and checked.
#include "job.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/registry/warm_up.hpp"
#include "breakstep/runtime/threads.hpp"
#include "choice.hpp"
#include "memory.hpp"
#include "number.hpp"
#include "table.hpp"

namespace breakstep_app {
namespace {

namespace registry = breakstep::registry;
namespace runtime = breakstep::runtime;
using breakstep::Error;

constexpr std::uint64_t most_chains = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_draws = std::numeric_limits<std::uint32_t>::max() - 2;
constexpr std::uint64_t most_dimensions = 1'000'000;
constexpr std::uint64_t most_points = 10'000;
constexpr std::uint64_t most_threads = 1024;

constexpr std::array<std::pair<const char*, bool>, 2> precisions{{{"single", true}, {"double", false}}};
enum class Start { normal, uniform, prior };
constexpr std::array<std::pair<const char*, Start>, 3> starts{
    {{"normal", Start::normal}, {"uniform", Start::uniform}, {"prior", Start::prior}}};

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The entry of a registry's list, with a guess at what was meant.
template <class Entry>
const Entry& find(const std::vector<Entry>& entries, const std::optional<std::string>& name, const std::string& kind) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (name && with_underscores(std::string(entry.name)) == with_underscores(*name)) return entry;
    names.emplace_back(entry.name);
  }
  // A message that nobody reads to its end helps nobody: long lists are left to `breakstep list`.
  const bool is_short = names.size() <= 8;
  const std::string known =
      "there are " + (is_short ? listed(names, "and") : std::to_string(names.size()) + " " + kind + "s");
  if (!name) {
    throw Error("no " + kind + " given", known, "add --" + kind + " " + names.front() + ", or see breakstep list");
  }
  const auto close = close_names(with_underscores(*name), names);
  const std::string otherwise = is_short ? "choose one of these, or see breakstep list" : "see breakstep list";
  throw Error("unknown " + kind + " '" + *name + "'", known,
              close.empty() ? otherwise : "did you mean " + listed(close) + "?");
}

// A number for a target; 0 if not given.
int target_option(const std::string& option, const std::optional<std::string>& text, std::uint64_t highest) {
  return text ? static_cast<int>(whole_number(option, *text, 1, highest)) : 0;
}

std::string data_path(const std::optional<std::string>& text) {
  if (text && text->empty())
    throw Error("--data is empty", "it is the path of a CSV or JSON file", "give one, or leave it out");
  return text.value_or("");
}

void apply_setting(registry::AnySampler& sampler, const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error("--set cannot be '" + setting + "'", "it is a parameter's name, =, and a number",
                "give one, such as --set scale=0.5; breakstep list shows the names");
  }
  const std::string name = with_underscores(setting.substr(0, equals));
  sampler.set(name, finite_number("--set " + name, setting.substr(equals + 1)));
}

void require_prior(const Job& job) {
  if (job.sampler->asks() != breakstep::target::Asks::likelihood || job.target->has_prior()) return;
  std::vector<std::string> names;
  for (const registry::TargetEntry& entry : registry::targets()) {
    if (entry.has_prior) names.emplace_back(entry.name);
  }
  throw Error("sampler " + job.sampler_name + " cannot draw from target " + job.target_name,
              "it needs a Gaussian prior, and this target declares none",
              "choose " + listed(names) + ", or another sampler");
}

void require_gradient(const Job& job) {
  if (job.sampler->asks() != breakstep::target::Asks::gradient || job.target->has_gradient()) return;
  throw Error("sampler " + job.sampler_name + " cannot draw from target " + job.target_name,
              "it needs gradients, and this target has only a density", "choose another target or sampler");
}

// Numbers separated by commas, blanks or line ends.
std::vector<double> read_numbers(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path, std::strerror(errno), "check the name of the file");
  std::vector<double> numbers;
  std::string word, line;
  for (int row = 1; std::getline(file, line); ++row) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    while (words >> word) numbers.push_back(finite_number("line " + std::to_string(row) + " of " + path, word));
  }
  return numbers;
}

runtime::Starts read_starts(const Job& job, const JobOptions& options) {
  if (options.start_is_given) {
    throw Error("--start-file with --start or --start-scale", "both say where chains begin", "leave one of them out");
  }
  if (options.superchains) {
    throw Error("--start-file with --superchains", "groups of chains share a random start", "leave one of them out");
  }
  runtime::Starts given{
      .kind = runtime::Starts::Kind::given, .scale = 1, .positions = read_numbers(*options.start_file)};
  const std::size_t found = given.positions.size(), d = job.parameters();
  if (found != d && found != d * job.chains) {
    throw Error(*options.start_file + " has " + std::to_string(found) + " numbers",
                "target " + job.target_name + " needs " + std::to_string(d) + " for all chains, or " +
                    std::to_string(d * job.chains) + " for " + std::to_string(job.chains) + " chains",
                "correct the file");
  }
  return given;
}

// First positions drawn from the target's prior; those of a superchain are the same.
runtime::Starts prior_starts(const Job& job, const registry::TargetEntry& target, const JobOptions& options) {
  if (!target.can_simulate) {
    std::vector<std::string> names;
    for (const registry::TargetEntry& entry : registry::targets()) {
      if (entry.can_simulate) names.emplace_back(entry.name);
    }
    throw Error("--start prior with target " + job.target_name, "it cannot draw from its prior",
                "choose " + listed(names) + ", or another start");
  }
  if (options.start_scale != "1") {
    throw Error("--start-scale with --start prior", "the prior has its own scale", "leave one of them out");
  }
  constexpr std::uint64_t purpose = 4;  // of seeds
  const std::uint64_t seed = runtime::derived_seed(job.seed, purpose);
  const std::size_t share = job.starts.superchains > 0 ? job.chains / job.starts.superchains : 1;
  runtime::Starts given{.kind = runtime::Starts::Kind::given, .scale = 1, .superchains = job.starts.superchains};
  given.positions.reserve(job.chains * job.parameters());
  for (std::size_t c = 0; c < job.chains; ++c) {
    if (c % share == 0) {
      const auto position = job.target->simulate(runtime::derived_seed(seed, c / share)).value().position;
      given.positions.insert(given.positions.end(), position.begin(), position.end());
    } else {
      const std::size_t last = given.positions.size() - job.parameters();
      for (std::size_t i = 0; i < job.parameters(); ++i) given.positions.push_back(given.positions[last + i]);
    }
  }
  return given;
}

// d numbers are variances, d·d a covariance.
breakstep::target::GaussianPrior read_metric(const Job& job, const std::string& path) {
  if (job.sampler->asks() != breakstep::target::Asks::gradient) {
    throw Error("sampler " + job.sampler_name + " takes no --inverse-metric", "it uses no gradients and has no mass",
                "leave it out");
  }
  const std::vector<double> numbers = read_numbers(path);
  const std::size_t d = job.parameters();
  breakstep::target::GaussianPrior metric;
  if (numbers.size() == d) {
    for (const double variance : numbers) {
      if (variance <= 0) {
        throw Error("an element of " + path + " is " + shown(variance, 4), "variances are positive",
                    "correct the file");
      }
      metric.sd.push_back(std::sqrt(variance));
    }
  } else if (numbers.size() == d * d) {
    metric.covariance = numbers;
    try {
      const breakstep::target::AffineMap<double> checked(metric, static_cast<int>(d));
    } catch (const Error&) {
      throw Error(path + " cannot be the inverse of a mass", "it is a covariance that is not positive definite",
                  "check its rows and columns");
    }
  } else {
    throw Error(path + " has " + std::to_string(numbers.size()) + " numbers",
                "target " + job.target_name + " needs " + std::to_string(d) + " variances or " + std::to_string(d * d) +
                    " elements of a covariance",
                "correct the file");
  }
  return metric;
}

// Bytes of everything but the draws: records and lanes of all chains, and each thread's workspace.
template <class Real>
double bytes_beside(const Job& job) {
  const auto width = registry::Width<Real, breakstep::lanes::native_width<Real>>{};
  const double workspace =
      static_cast<double>(job.target->density(width, job.sampler->asks())->workspace()) * sizeof(Real);
  const auto threads = static_cast<double>(breakstep::runtime::thread_count(job.execution.threads));
  // Lock-step keeps the lanes of all chains, and each thread of any schedule one pack. One chain tells their size.
  require_memory(workspace * threads,
                 "the target's workspace on " + shown(threads, 0, 'f') + (threads == 1 ? " thread" : " threads"),
                 "ask for fewer threads or a smaller target");
  const auto one =
      registry::make_run<Real>(*job.sampler, job.target, job.storage, job.seed, 1, false, job.metric, job.flow);
  const auto per_chain = static_cast<double>(one->records().bytes_per_chain() + 4 + one->bytes_per_lane());
  return per_chain * static_cast<double>(job.chains) + workspace * threads;
}

}  // namespace

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void add_target_options(CLI::App& verb, JobOptions& options) {
  const auto what = [&](const char* name, auto& value, const char* meaning, const char* type) {
    return verb.add_option(name, value, meaning)->type_name(type)->group("What to draw");
  };
  what("--target", options.target, "Name of the distribution; breakstep list shows them", "NAME");
  what("--dimension", options.dimension, "Coordinates of a target of free dimension", "N");
  what("--points", options.points, "Observations of a target with synthetic data, or rows of --data to use", "N");
  what("--data", options.data, "CSV file with a header, or JSON as Stan takes it, for targets that take data", "FILE");
}

void add_job_options(CLI::App& verb, JobOptions& options) {
  const auto what = [&](const char* name, auto& value, const char* meaning, const char* type) {
    return verb.add_option(name, value, meaning)->type_name(type)->group("What to draw");
  };
  what("--sampler", options.sampler, "Name of the sampler; breakstep list shows them", "NAME");
  what("--set", options.settings, "A parameter of the sampler; may be given several times", "NAME=VALUE")
      ->allow_extra_args(false);
  add_target_options(verb, options);
  what("--chains", options.chains, "Chains", "N")->capture_default_str();
  what("--draws", options.draws, "Draws of each chain", "N")->capture_default_str();
  what("--seed", options.seed, "Seed of the random numbers", "N")->capture_default_str();
  what("--precision", options.precision, "Arithmetic: single or double", "NAME")->capture_default_str();
  const auto given = [&options](const std::string&) { options.start_is_given = true; };
  what("--start", options.start, "Distribution of first positions: normal, uniform or prior", "NAME")
      ->capture_default_str()
      ->each(given);
  what("--start-scale", options.start_scale, "Its standard deviation, or half its width", "X")
      ->capture_default_str()
      ->each(given);

  what("--start-file", options.start_file, "First positions instead: d numbers for all chains, or d for each", "FILE");
  what("--superchains", options.superchains, "Groups of chains that share their start, for nested R-hat", "K");
  what("--inverse-metric", options.inverse_metric,
       "File of d variances or d rows of a covariance: the inverse mass of gradient samplers", "FILE");

  const auto how = [&](const char* name, auto& value, const char* meaning, const char* type) {
    verb.add_option(name, value, meaning)->type_name(type)->capture_default_str()->group("How (never changes a draw)");
  };
  how("--threads", options.threads, "Threads; 0 means one per core", "N");
  how("--storage", options.storage, "Vectors of a pack's chains: interleaved, contiguous or auto", "NAME");
  how("--parking", options.parking, "free: lanes that a block without density (gathered: any) waits for; 0 tunes it",
      "N");
  verb.add_flag("--no-skip", options.no_skip, "free: run blocks that no lane wants, too")
      ->group("How (never changes a draw)");
  verb.add_flag("--no-refill", options.no_refill, "free: leave a lane idle when its chain is done")
      ->group("How (never changes a draw)");
  verb.add_flag("--json", options.json, "Print JSON for another program")->group("Output");
}

std::shared_ptr<const registry::AnyTarget> read_target(const JobOptions& options) {
  const auto& target = find(registry::targets(), options.target, "target");
  return registry::make_target(target, {.dimension = target_option("--dimension", options.dimension, most_dimensions),
                                        .points = target_option("--points", options.points, most_points),
                                        .data = data_path(options.data)});
}

Job read_job(const JobOptions& options) {
  Job job;
  const auto& sampler = find(registry::samplers(), options.sampler, "sampler");
  const auto& target = find(registry::targets(), options.target, "target");
  job.sampler_name = sampler.name;
  job.target_name = target.name;
  job.chains = whole_number("--chains", options.chains, 1, most_chains);
  job.draws = static_cast<std::uint32_t>(whole_number("--draws", options.draws, 1, most_draws));
  job.seed = whole_number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  job.is_single = choose("precision", options.precision, precisions);
  const Start start = choose("start", options.start, starts);
  job.starts.kind = start == Start::uniform ? runtime::Starts::Kind::uniform : runtime::Starts::Kind::normal;
  job.starts.scale = finite_number("--start-scale", options.start_scale);
  if (options.superchains) {
    job.starts.superchains = whole_number("--superchains", *options.superchains, 2, job.chains);
    if (job.chains % job.starts.superchains != 0 || (job.starts.superchains == job.chains && job.draws == 1)) {
      throw Error("--superchains cannot be '" + *options.superchains + "'",
                  std::to_string(job.chains) + " chains do not form so many equal groups that vary",
                  "choose a divisor of --chains");
    }
  }
  if (job.starts.scale <= 0) {
    throw Error("--start-scale cannot be '" + options.start_scale + "'", "first positions need some room",
                "give a positive number");
  }
  job.execution.threads = static_cast<int>(whole_number("--threads", options.threads, 0, most_threads));
  job.execution.skip = !options.no_skip;
  job.execution.refill = !options.no_refill;
  job.execution.parking =
      static_cast<int>(whole_number("--parking", options.parking, 0, breakstep::registry::WideFloats::lanes));

  job.sampler = sampler.make();
  for (const std::string& setting : options.settings) apply_setting(*job.sampler, setting);
  job.target = read_target(options);
  require_prior(job);
  require_gradient(job);
  if (options.inverse_metric) job.metric = read_metric(job, *options.inverse_metric);
  if (options.start_file) {
    job.starts = read_starts(job, options);
  } else if (start == Start::prior) {
    job.starts = prior_starts(job, target, options);
  }
  job.storage = options.storage == "auto"
                    ? runtime::preferred_storage(job.sampler->asks(), job.target->dimension(), job.is_single ? 4 : 8)
                    : runtime::parse_storage(with_hyphens(options.storage));
  return job;
}

std::unique_ptr<registry::AnySampler> sampler_like(const Job& job) {
  auto sampler = registry::make_sampler(job.sampler_name);
  for (const auto& parameter : job.sampler->parameters()) sampler->set(parameter.name, parameter.value);
  return sampler;
}

Job job_of_chain(const Job& job, std::size_t chain) {
  constexpr std::uint64_t first_purpose = 1000;  // of seeds; lower ones are the warm-up's own
  Job one;
  one.sampler_name = job.sampler_name;
  one.target_name = job.target_name;
  one.sampler = sampler_like(job);
  one.target = job.target;
  one.chains = 1;
  one.draws = job.draws;
  one.seed = runtime::derived_seed(job.seed, first_purpose + chain);
  one.is_single = job.is_single;
  one.starts = job.starts;
  if (job.starts.kind == runtime::Starts::Kind::given && job.starts.positions.size() > job.parameters()) {
    const auto first = job.starts.positions.begin() + static_cast<std::ptrdiff_t>(chain * job.parameters());
    one.starts.positions.assign(first, first + static_cast<std::ptrdiff_t>(job.parameters()));
  }
  one.metric = job.metric;
  one.flow = job.flow;
  one.storage = job.storage;
  one.execution = job.execution;
  one.execution.threads = 1;
  if (!job.tunings.empty()) {
    registry::use_tuning(*one.sampler, job.tunings[chain]);
    one.metric = job.tunings[chain].metric;
  }
  return one;
}

Mode mode_of_one_chain(const Job& job) {
  return {.name = "one chain",
          .schedule = runtime::Schedule::lockstep_pack,
          .step = runtime::Step::automatic,
          .storage = job.storage,
          .one_chain_at_a_time = true};
}

Mode free_mode(breakstep::lanes::Storage storage) {
  return {.name = "free",
          .schedule = runtime::Schedule::free_running,
          .step = runtime::Step::automatic,
          .storage = storage,
          .one_chain_at_a_time = false};
}

void require_room(const Job& job, bool for_summary, double more) {
  const double draws = static_cast<double>(job.chains) * job.draws;
  const std::string what = std::to_string(job.chains) + " chains of " + std::to_string(job.draws) + " draws of " +
                           std::to_string(job.parameters()) + (job.parameters() == 1 ? " number" : " numbers");
  const double summary = (for_summary ? summarizer_bytes_per_draw * draws : 0) + more;
  const char* const advice = "ask for fewer chains or draws, or for --precision single";
  require_memory(job.bytes_of_draws() + summary, what, advice);
  if (for_summary && draws > static_cast<double>(std::numeric_limits<std::uint32_t>::max())) {
    throw Error("cannot summarize " + what, "there can be at most 4294967295 draws of a parameter",
                "ask for fewer chains or draws");
  }
  const double beside = job.is_single ? bytes_beside<float>(job) : bytes_beside<double>(job);
  require_memory(job.bytes_of_draws() + std::max(summary, beside), what, advice);
}

}  // namespace breakstep_app
