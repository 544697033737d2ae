// Lengths of loops: histograms, R(m), means of chains, and long-run costs.
#include "lengths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "counted.hpp"
#include "job.hpp"

namespace experiments {

using namespace breakstep;

namespace {

/// Rounds of the loop, by chain and draw.
struct Lengths {
  std::size_t chains, draws;
  std::vector<float> values;
  [[nodiscard]] float at(std::size_t chain, std::size_t draw) const { return values[chain * draws + draw]; }
};

class CsvFile {
 public:
  CsvFile(const std::string& path, const char* columns) : file_(std::fopen(path.c_str(), "w")) {
    if (!file_) throw Error("cannot write " + path, "it could not be opened", "choose another folder");
    std::fprintf(file_.get(), "%s\n", columns);
  }
  template <class... Values>
  void row(const char* format, Values... values) {
    std::fprintf(file_.get(), format, values...);
    std::fputc('\n', file_.get());
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

float longest(const Lengths& lengths, std::size_t first, std::size_t chains, std::size_t draw) {
  float most = 0;
  for (std::size_t c = first; c < first + chains; ++c) most = std::max(most, lengths.at(c, draw));
  return most;
}

void write_histogram(const Lengths& lengths, const std::string& prefix) {
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const float n : lengths.values) ++counts[static_cast<int>(n)].first;
  for (std::size_t t = 0; t < lengths.draws; ++t)
    ++counts[static_cast<int>(longest(lengths, 0, lengths.chains, t))].second;
  CsvFile file(prefix + "_histogram.csv", "rounds,draws,maxima");
  for (const auto& [n, count] : counts) {
    file.row("%d,%llu,%llu", n, static_cast<unsigned long long>(count.first),
             static_cast<unsigned long long>(count.second));
  }
}

std::vector<std::size_t> powers_up_to(std::size_t most, std::size_t base) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 1; k <= most; k *= base) numbers.push_back(k);
  if (numbers.back() != most) numbers.push_back(most);
  return numbers;
}

/// R(m) with its standard error over groups of m chains (NaN with one group).
void write_ratios(const Lengths& lengths, const std::string& prefix) {
  double mean = 0;
  for (const float n : lengths.values) mean += static_cast<double>(n) / static_cast<double>(lengths.values.size());
  CsvFile file(prefix + "_ratios.csv", "m,mean,mean_of_max,R,R_error");
  for (const std::size_t m : powers_up_to(lengths.chains, 2)) {
    const std::size_t groups = lengths.chains / m;
    double sum = 0, squares = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      double of_group = 0;
      for (std::size_t t = 0; t < lengths.draws; ++t) of_group += static_cast<double>(longest(lengths, g * m, m, t));
      of_group /= static_cast<double>(lengths.draws);
      sum += of_group;
      squares += of_group * of_group;
    }
    const auto count = static_cast<double>(groups);
    const double expected = sum / count;
    const double variance = groups > 1 ? std::max(0.0, (squares - count * expected * expected) / (count - 1)) : NAN;
    file.row("%zu,%.8g,%.8g,%.8g,%.3g", m, mean, expected, expected / mean, std::sqrt(variance / count) / mean);
  }
}

void write_means(const Lengths& lengths, const std::vector<std::uint64_t>& checkpoints, const std::string& prefix) {
  CsvFile file(prefix + "_means.csv", "draws,chain,mean");
  for (const std::uint64_t n : checkpoints) {
    if (n > lengths.draws) continue;
    for (std::size_t c = 0; c < lengths.chains; ++c) {
      double sum = 0;
      for (std::size_t t = 0; t < n; ++t) sum += static_cast<double>(lengths.at(c, t));
      file.row("%llu,%zu,%.6g", static_cast<unsigned long long>(n), c, sum / static_cast<double>(n));
    }
  }
}

/// After n draws of m chains: the mean over draws of the longest (what lock-step costs), and the longest mean (what
/// free chains cost), for every group of m chains.
void write_costs(const Lengths& lengths, const std::string& prefix) {
  CsvFile file(prefix + "_costs.csv", "m,group,draws,mean_of_max,max_of_mean");
  for (const std::size_t m : {std::size_t{1}, std::size_t{8}, std::size_t{32}, std::size_t{128}}) {
    for (std::size_t g = 0; g < lengths.chains / m; ++g) {
      std::vector<double> sums(m, 0);
      double maxima = 0;
      std::size_t next = 10;
      for (std::size_t t = 0; t < lengths.draws; ++t) {
        for (std::size_t c = 0; c < m; ++c) sums[c] += static_cast<double>(lengths.at(g * m + c, t));
        maxima += static_cast<double>(longest(lengths, g * m, m, t));
        if (t + 1 != next) continue;
        const auto n = static_cast<double>(next);
        file.row("%zu,%zu,%zu,%.8g,%.8g", m, g, next, maxima / n, *std::max_element(sums.begin(), sums.end()) / n);
        next = next * 316 / 100;
      }
    }
  }
}

template <class Real>
void measure(const Job& job, const Arguments& arguments) {
  const auto chains = static_cast<std::size_t>(arguments.whole("chains", 1024));
  const auto draws = static_cast<std::uint32_t>(arguments.whole("draws", 100));
  const std::uint64_t seed = arguments.whole("seed", 1);
  const std::string prefix = arguments.text("out");
  const auto sampler = make_counted(job.sampler_name());
  job.tune(*sampler);
  const auto ready = job.prepare<Real>(*sampler, chains, seed);
  const auto run = registry::make_run<Real>(*sampler, job.target(), job.storage(sampler->asks(), sizeof(Real)), seed,
                                            chains, false, ready.metric);
  const std::vector<std::string> names = run->fact_names();
  auto found = std::find(names.begin(), names.end(), "rounds");
  if (found == names.end()) found = std::find(names.begin(), names.end(), "leapfrogs");
  if (found == names.end()) {
    throw Error("sampler " + job.sampler_name() + " does not count", "its loop's rounds are not among its facts",
                "use elliptical_slice, delayed_rejection or nuts");
  }
  std::vector<Real> facts(chains * draws * names.size());
  run->start(ready.starts);
  run->advance(draws, draws, {.count = draws, .facts = facts.data(), .fact_count = static_cast<int>(names.size())},
               {.threads = static_cast<int>(arguments.whole("threads", 0))});

  Lengths lengths{chains, draws, std::vector<float>(chains * draws)};
  const auto which = static_cast<std::size_t>(found - names.begin());
  CsvFile means(prefix + "_facts.csv", "fact,mean");
  for (std::size_t k = 0; k < names.size(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < lengths.values.size(); ++i) {
      const Real fact = facts[i * names.size() + k];
      sum += static_cast<double>(fact);
      if (k == which) lengths.values[i] = static_cast<float>(fact);
    }
    means.row("%s,%.8g", names[k].c_str(), sum / static_cast<double>(lengths.values.size()));
  }
  write_histogram(lengths, prefix);
  write_ratios(lengths, prefix);
  write_means(lengths, arguments.wholes("checkpoints", "100,1000,10000"), prefix);
  write_costs(lengths, prefix);
}

}  // namespace

void measure_lengths(int argc, char** argv) {
  std::vector<std::string> known = job_arguments();
  known.insert(known.end(), {"chains", "draws", "seed", "out", "checkpoints", "threads", "precision"});
  const Arguments arguments(argc, argv, known);
  const Job job(arguments);
  arguments.text("precision", "single") == "double" ? measure<double>(job, arguments) : measure<float>(job, arguments);
}

}  // namespace experiments
