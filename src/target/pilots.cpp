// Data of the pilots model.
#include "breakstep/target/pilots.hpp"

#include <algorithm>
#include <numeric>

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

template <PilotsScales Scales>
PilotsWith<Scales>::PilotsWith(std::vector<int> group, std::vector<int> scenario, std::vector<double> y)
    : group_(std::move(group)), scenario_(std::move(scenario)), y_(std::move(y)) {
  if (y_.size() == 0 || group_.size() != y_.size() || scenario_.size() != y_.size()) {
    throw Error("the data of the pilots do not fit together",
                std::to_string(y_.size()) + " observations, " + std::to_string(group_.size()) + " groups and " +
                    std::to_string(scenario_.size()) + " scenarios",
                "give a group and a scenario for every observation");
  }
  groups_ = *std::max_element(group_.begin(), group_.end()) + 1;
  scenarios_ = *std::max_element(scenario_.begin(), scenario_.end()) + 1;
}

template <PilotsScales Scales>
PilotsWith<Scales> PilotsWith<Scales>::read(const std::string& path) {
  const DataTable table = read_data(path);
  const auto ids = [&](const char* name) {
    std::vector<int> result;
    for (const double id : table.column(name)) {
      // An id names a parameter: nobody has a million, and a mistaken column must not ask for that much memory.
      if (!(id >= 1 && id <= 100'000) || id != static_cast<int>(id)) {
        table.refuse(name, result.size(), "it must be a whole number from 1 to 100000");
      }
      result.push_back(static_cast<int>(id) - 1);
    }
    return result;
  };
  return {ids("group_id"), ids("scenario_id"), table.column("y")};
}

template <PilotsScales Scales>
void PilotsWith<Scales>::generate(const double* values, double* out) const {
  const double* b = values + groups_;
  const double mean_a = std::accumulate(values, b, 0.0) / groups_;
  const double mean_b = std::accumulate(b, b + scenarios_, 0.0) / scenarios_;
  *out++ = mean_a + mean_b;
  out = std::transform(values, b, out, [=](double a) { return a - mean_a; });
  std::transform(b, b + scenarios_, out, [=](double x) { return x - mean_b; });
}

template <PilotsScales Scales>
void PilotsWith<Scales>::pointwise_log_likelihood(const double* values, double* out) const {
  const double sigma = values[groups_ + scenarios_ + 4];
  const double constant = -half_log_two_pi - log(abs(Pack<double, 1>(sigma)))[0];
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double mean = values[group_[i]] + values[groups_ + scenario_[i]];
    const double residual = (y_.as<double>()[i] - mean) / sigma;
    out[i] = constant - 0.5 * residual * residual;
  }
}

template <PilotsScales Scales>
PilotsWith<Scales> PilotsWith<Scales>::synthetic(std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> a, b, y;
  std::vector<int> group, scenario;
  for (int i = 0; i < 5; ++i) a.push_back(0.1 * random.normal());
  for (int i = 0; i < 8; ++i) b.push_back(0.5 + 0.3 * random.normal());
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 8; ++j) {
      group.push_back(i);
      scenario.push_back(j);
      y.push_back(a[static_cast<std::size_t>(i)] + b[static_cast<std::size_t>(j)] + 0.2 * random.normal());
    }
  }
  return {std::move(group), std::move(scenario), std::move(y)};
}

template class PilotsWith<PilotsScales::bounded>;
template class PilotsWith<PilotsScales::raw>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
