// breakstep's NUTS with fixed parameters from given starts, for bench/peers/breakstep_nuts.py.
//
// fixed_nuts TARGET single|double SCHEDULE STARTS DRAWS LEAPFROGS chains draws seed step_size max_depth threads
// STARTS holds chains x d doubles; draws and leapfrogs are written as doubles, chain by chain. Prints the seconds.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/registry/run.hpp"
#include "breakstep/runtime/options.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;

struct Request {
  std::string target, precision, schedule, starts, draws_file, leapfrogs_file;
  std::size_t chains;
  std::uint32_t draws;
  std::uint64_t seed;
  double step_size, max_depth;
  int threads;
};

std::vector<double> read_doubles(const std::string& path, std::size_t count) {
  std::vector<double> values(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(double)));
  if (!file) throw Error("cannot read " + path, "it is missing or too short", "write chains x d doubles");
  return values;
}

void write_doubles(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw Error("cannot write " + path, "the folder is missing or full", "choose another");
}

/// Seconds that the draws took: of several whole runs, each from the starts, the middle one.
template <class Real>
double run(const Request& request) {
  const std::shared_ptr<const registry::AnyTarget> target = registry::make_target(request.target, {});
  const auto sampler = registry::make_sampler("nuts");
  sampler->set("step_size", request.step_size);
  sampler->set("max_depth", request.max_depth);
  const auto d = static_cast<std::size_t>(target->dimension());
  const std::vector<double> starts = read_doubles(request.starts, request.chains * d);
  std::vector<Real> values, facts;
  std::size_t leapfrogs_at = 0, fact_count = 0;
  const std::size_t count = request.chains * request.draws;
  const auto seconds_of_run = [&] {
    const auto run =
        registry::make_run<Real>(*sampler, target, lanes::Storage::contiguous, request.seed, request.chains);
    const auto names = run->fact_names();
    fact_count = names.size();
    leapfrogs_at = static_cast<std::size_t>(std::find(names.begin(), names.end(), "leapfrogs") - names.begin());
    values.assign(count * d, Real(0));
    facts.assign(count * fact_count, Real(0));
    run->start({.kind = runtime::Starts::Kind::given, .positions = starts});
    const double begin = bench::seconds_now();
    run->advance(request.draws, request.draws,
                 {.data = values.data(),
                  .first = 0,
                  .count = request.draws,
                  .dimension = run->dimension(),
                  .facts = facts.data(),
                  .fact_count = static_cast<int>(fact_count)},
                 {.schedule = runtime::parse_schedule(request.schedule), .threads = request.threads});
    return bench::seconds_now() - begin;
  };
  // One of some hundredths of a second says little on a machine that others use, too; the peers' take longer.
  constexpr double enough_seconds = 0.5;
  std::vector<double> seconds;
  double total = 0;
  while (total < enough_seconds) {
    seconds.push_back(seconds_of_run());
    total += seconds.back();
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  std::vector<double> leapfrogs(count);
  for (std::size_t i = 0; i < count; ++i) {
    leapfrogs[i] = static_cast<double>(facts[i * fact_count + leapfrogs_at]);
  }
  write_doubles(request.draws_file, std::vector<double>(values.begin(), values.end()));
  write_doubles(request.leapfrogs_file, leapfrogs);
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 13) {
    std::cerr << "fixed_nuts: 12 arguments are needed; see the head of fixed_nuts.cpp\n";
    return 2;
  }
  try {
    const Request request{argv[1],
                          argv[2],
                          argv[3],
                          argv[4],
                          argv[5],
                          argv[6],
                          std::stoul(argv[7]),
                          static_cast<std::uint32_t>(std::stoul(argv[8])),
                          std::stoull(argv[9]),
                          std::stod(argv[10]),
                          std::stod(argv[11]),
                          std::stoi(argv[12])};
    std::printf("{\"seconds\": %.6f}\n", request.precision == "single" ? run<float>(request) : run<double>(request));
  } catch (const std::exception& error) {
    std::cerr << "fixed_nuts: " << error.what() << '\n';
    return 2;
  }
}
