// Data of biochemical oxygen demand.
#include "breakstep/target/bod.hpp"

#include <cmath>

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

BodLikelihood::BodLikelihood(std::vector<double> times, std::vector<double> observed)
    : times_(std::move(times)), observed_(std::move(observed)) {
  if (times_.size() == observed_.size() && times_.size() > 0) return;
  throw Error("the oxygen data do not fit together",
              std::to_string(times_.size()) + " times and " + std::to_string(observed_.size()) + " observations",
              "give one observation for every time, and at least one");
}

BodLikelihood BodLikelihood::read(const std::string& path) {
  const DataTable table = read_data(path);
  return {table.column("t"), table.column("obs")};
}

BodLikelihood BodLikelihood::synthetic(std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> times, observed;
  for (int i = 0; i < 20; ++i) {
    times.push_back(1 + 0.2 * i);
    observed.push_back(1 - exp_of(-0.1 * times.back()) + std::sqrt(2e-4) * random.normal());
  }
  return {std::move(times), std::move(observed)};
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
