// Data of the soil model.
#include "breakstep/target/soil.hpp"

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

Soil::Soil(std::vector<double> times, std::vector<double> evolved)
    : times_(std::move(times)), evolved_(std::move(evolved)) {
  if (times_.size() == evolved_.size() && times_.size() > 0) return;
  throw Error("the soil data do not fit together",
              std::to_string(times_.size()) + " times and " + std::to_string(evolved_.size()) + " measurements",
              "give one measurement for every time, and at least one");
}

Soil Soil::read(const std::string& path) {
  const DataTable table = read_data(path);
  const std::vector<double>& times = table.column("t");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(times[i] > 0)) table.refuse("t", i, "times count from the start and must be positive");
  }
  return {times, table.column("eco2_mean")};
}

Soil Soil::synthetic(std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> times, evolved;
  for (int i = 1; i <= 25; ++i) {
    times.push_back(1.6 * i);
    evolved.push_back(7.7 * (1 - exp_of(-0.04 * times.back())) + 0.3 * random.normal());
  }
  return {std::move(times), std::move(evolved)};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
