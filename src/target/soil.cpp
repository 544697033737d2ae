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

SoilAsCoded::SoilAsCoded(const std::vector<double>& times, std::vector<double> evolved, Grid grid)
    : evolved_(std::move(evolved)) {
  if (times.size() != evolved_.size() || times.size() < 2) {
    throw Error("the soil data do not fit together",
                std::to_string(times.size()) + " times and " + std::to_string(evolved_.size()) + " measurements",
                "give one measurement for every time, and at least two");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > (i == 0 ? 0 : times[i - 1])) continue;
    throw Error("the times of the soil data do not ascend",
                "time " + std::to_string(i + 1) + " is no later than before", "sort the rows; times count from 0");
  }
  const double last = times.back(), even = times[1] - times[0];
  constexpr double most_steps = 100'000;
  if (grid == Grid::even && last / even > most_steps) {
    throw Error("the soil data ask for too many steps", "a step is as long as the first two times are apart",
                "leave out rows that are close together");
  }
  double begin = 0;
  for (std::size_t next = 0; next < times.size();) {
    double end = grid == Grid::even ? begin + even : times[next];
    if (grid == Grid::even && end > last) end = last;
    Step step{end - begin, next, next};
    for (; next < times.size() && times[next] <= end; ++next) shares_.push_back((times[next] - begin) / step.length);
    step.end = next;
    steps_.push_back(step);
    begin = end;
  }
}

SoilAsCoded SoilAsCoded::read(const std::string& path, Grid grid) {
  const Soil data = Soil::read(path);
  return {data.times(), data.evolved(), grid};
}

SoilAsCoded SoilAsCoded::synthetic(Grid grid, std::uint64_t seed) {
  const Soil data = Soil::synthetic(seed);
  return {data.times(), data.evolved(), grid};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
