// Runs chains of Stan's NUTS one after the other in this process and writes their draws, for bench/peers/stan_nuts.py.
//
// chains DATA.json STARTS OUT chains first_chain warmup draws seed step_size max_depth limit
// STARTS holds chains x d doubles. step_size > 0: unit metric, nothing adapted; 0: Stan's own warm-up, diagonal metric.
// OUT: for each chain that was finished within `limit` seconds, draws x (d + 1) doubles: n_leapfrog, then x.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/stream_logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/array_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
#include <stan/services/sample/hmc_nuts_unit_e.hpp>
#include <string>
#include <vector>

stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed, std::ostream* messages);

namespace {

constexpr std::size_t facts = 7;  // lp__, accept_stat__, stepsize__, treedepth__, n_leapfrog__, divergent__, energy__
constexpr std::size_t leapfrogs_at = 4;  // among them

class DrawsOf : public stan::callbacks::writer {
 public:
  using writer::operator();
  std::vector<double> values;
  void operator()(const std::vector<double>& state) override {
    values.push_back(state[leapfrogs_at]);
    values.insert(values.end(), state.begin() + facts, state.end());
  }
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 12) return 2;
  std::ifstream data_file(argv[1]), starts(argv[2], std::ios::binary);
  std::ofstream out(argv[3], std::ios::binary);
  const auto number = [&](int i) { return std::atof(argv[i]); };
  const int chains = static_cast<int>(number(4)), first = static_cast<int>(number(5)),
            warmup = static_cast<int>(number(6)), draws = static_cast<int>(number(7)),
            max_depth = static_cast<int>(number(10));
  const auto seed = static_cast<unsigned>(number(8));
  const double step_size = number(9), limit = number(11);
  stan::json::json_data data(data_file);
  stan::model::model_base& model = new_model(data, seed, &std::cerr);
  const std::size_t d = model.num_params_r();
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer nowhere;
  std::ofstream silence;
  stan::callbacks::stream_logger logger(silence, silence, silence, std::cerr, std::cerr);
  const double begin = seconds_now();
  int finished = 0;
  for (; finished < chains && seconds_now() - begin < limit; ++finished) {
    std::vector<double> start(d);
    starts.read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(d * sizeof(double)));
    if (!starts) return 3;
    const stan::io::array_var_context init({"x"}, start, {{d}});
    const auto chain = static_cast<unsigned>(first + finished + 1);
    DrawsOf result;
    const int error =
        step_size > 0
            ? stan::services::sample::hmc_nuts_unit_e(model, init, seed, chain, 2.0, 0, draws, 1, false, 0, step_size,
                                                      0.0, max_depth, interrupt, logger, nowhere, result, nowhere)
            : stan::services::sample::hmc_nuts_diag_e_adapt(model, init, seed, chain, 2.0, warmup, draws, 1, false, 0,
                                                            1.0, 0.0, max_depth, 0.8, 0.05, 0.75, 10.0, 75, 50, 25,
                                                            interrupt, logger, nowhere, result, nowhere);
    if (error != 0) return 4;
    out.write(reinterpret_cast<const char*>(result.values.data()),
              static_cast<std::streamsize>(result.values.size() * sizeof(double)));
  }
  std::printf("{\"finished\": %d, \"seconds\": %.6f}\n", finished, seconds_now() - begin);
}
