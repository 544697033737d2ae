// Data of the predator–prey model.
#include "breakstep/target/predator_prey.hpp"

#include <utility>

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

AnimalCounts::AnimalCounts(const std::vector<double>& prey, const std::vector<double>& predators) {
  if (prey.size() != predators.size() || prey.empty()) {
    throw Error("the counts of prey and predators do not fit together",
                std::to_string(prey.size()) + " years of one and " + std::to_string(predators.size()) + " of the other",
                "give both for every year, and at least one year");
  }
  std::vector<double> logs;
  for (std::size_t i = 0; i < prey.size(); ++i) {
    for (const double count : {prey[i], predators[i]}) {
      if (!(count > 0)) throw Error("a count of animals is not positive", "it has no logarithm", "correct the data");
      logs.push_back(log_of(count));
      sum_of_log_counts_ += logs.back();
    }
  }
  log_counts_ = Numbers(std::move(logs));
}

AnimalCounts AnimalCounts::read(const std::string& path) {
  const DataTable table = read_data(path);
  for (const char* name : {"hare", "lynx"}) {
    const std::vector<double>& counts = table.column(name);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!(counts[i] > 0)) table.refuse(name, i, "counts must be positive, they have logarithms");
    }
  }
  table.require_rows(2);
  return {table.column("hare"), table.column("lynx")};
}

AnimalCounts AnimalCounts::synthetic(std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> prey, predators;
  double u = 30, v = 6;
  constexpr double h = 0.005;
  for (int year = 0; year <= 20; ++year) {
    prey.push_back(u * exp_of(0.2 * random.normal()));
    predators.push_back(v * exp_of(0.2 * random.normal()));
    for (int s = 0; s < 200; ++s) {  // the midpoint rule; how exact it is does not matter for made-up data
      const double um = u + h / 2 * (0.55 - 0.028 * v) * u, vm = v + h / 2 * (-0.8 + 0.024 * u) * v;
      u += h * (0.55 - 0.028 * vm) * um;
      v += h * (-0.8 + 0.024 * um) * vm;
    }
  }
  return {prey, predators};
}

PredatorPreyAsCoded::PredatorPreyAsCoded(AnimalCounts counts) : AnimalCounts(std::move(counts)) {
  const double* logs = log_counts_.as<double>();
  for (std::size_t species = 0; species < 2; ++species) {
    double sum = 0, squares = 0;
    for (std::size_t i = species; i < log_counts_.size(); i += 2) sum += logs[i];
    mean_[species] = sum / years();
    for (std::size_t i = species; i < log_counts_.size(); i += 2) {
      squares += (logs[i] - mean_[species]) * (logs[i] - mean_[species]);
    }
    variance_[species] = squares / years();
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
