// Data of the switching model.
#include "breakstep/target/google_stock.hpp"

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

GoogleStock::GoogleStock(std::vector<double> returns) : y_(std::move(returns)) {
  if (y_.size() == 0) throw Error("there are no returns", "at least one is needed", "give some data");
}

GoogleStock GoogleStock::read(const std::string& path, int points) {
  DataTable table = read_data(path);
  table.keep_first(static_cast<std::size_t>(points));
  std::vector<double> returns = table.column("log_return");
  for (double& value : returns) value *= 100;
  return GoogleStock(std::move(returns));
}

GoogleStock GoogleStock::synthetic(int points, std::uint64_t seed) {
  Synthetic random(seed);
  std::vector<double> returns;
  double previous = 0;
  bool is_calm = true;
  for (int i = 0; i < points; ++i) {
    if (random.uniform() < 0.1) is_calm = !is_calm;
    previous = is_calm ? 0.05 + 0.8 * random.normal() : 0.9 * previous + 1.5 * random.normal();
    returns.push_back(previous);
  }
  return GoogleStock(std::move(returns));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
