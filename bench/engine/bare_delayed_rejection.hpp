// Delayed rejection on N(0, 1) written by hand for one pack of lanes: the ceiling of what an engine can reach.
#pragma once

#include <cstdint>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/random.hpp"
#include "table.hpp"

namespace bench {

struct BareRates {
  double draws = 0, tries = 0;  ///< per second
  double mean_square = 0;       ///< of the draws; 1 if they are right
};

/// The same random numbers, density and rule as the sampler's, but everything stays in registers: no program, no
/// schedule, no second chain for a lane, and no draw is kept.
template <int W>
BareRates bare_delayed_rejection(float scale, std::uint32_t max_tries, double seconds) {
  using namespace breakstep::lanes;
  using Reals = Pack<float, W>;
  using Counts = Pack<std::uint32_t, W>;
  const FlushToZero scope;
  Reals x(0.0F), log_density(0.0F), proposal(0.0F), best(0.0F), squares(0.0F);
  Counts draw(0U), tries(0U);
  constexpr int steps = 10000;
  double draws_made = 0, tries_made = 0, sum = 0;
  const double begin = seconds_now();
  double end = begin;
  for (; end - begin < seconds; end = seconds_now()) {
    for (int k = 0; k < steps; ++k) {
      const Stream<float, W> stream(1, Counts::lane_numbers(), draw);
      const auto [normal, uniform] = normal_and_uniform(stream, tries, 0);
      proposal = fma(normal, scale, proposal);
      const Reals answer = Reals(-0.5F) * (proposal * proposal);
      const Reals share = exp(answer - log_density);
      const auto accepted = uniform * (Reals(1.0F) - best) < share - best;
      tries = tries + Counts(1U);
      const auto over = accepted | (tries == Counts(max_tries));
      x = select(accepted, proposal, x);
      log_density = select(accepted, answer, log_density);
      proposal = select(over, x, proposal);
      best = select(over, Reals(0.0F), max(share, best));
      squares = fma(select(over, x, Reals(0.0F)), x, squares);
      draw = select(over, draw + Counts(1U), draw);
      tries = select(over, Counts(0U), tries);
    }
    tries_made += steps * W;
    for (int lane = 0; lane < W; ++lane) sum += squares[lane];
    squares = Reals(0.0F);
  }
  for (int lane = 0; lane < W; ++lane) draws_made += draw[lane];
  return {draws_made / (end - begin), tries_made / (end - begin), sum / draws_made};
}

}  // namespace bench
