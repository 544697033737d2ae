// A model of one's own: Poisson regression with a hierarchical prior, written once, differentiated by the library.
#include <cstdio>

#include "breakstep/diagnostics/summary.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/nuts.hpp"
#include "breakstep/target/report.hpp"

using namespace breakstep;

struct Accidents {
  target::DataMatrix x{8, 2, {-1.5, 0.2, -1.0, -0.7, -0.6, 1.1, -0.2, -0.4, 0.2, 0.9, 0.6, -1.3, 1.0, 0.5, 1.5, -0.3}};
  target::DataVector count{1, 2, 1, 3, 3, 9, 7, 16};
  target::Parameters parameters{target::real("alpha"), target::real("beta", 2), target::positive("tau")};

  template <class Number>
  Number log_density(const target::Constrained<Number>& p) const {
    const auto beta = p.vector("beta");
    const Number tau = p.number("tau");
    return target::poisson_log_glm_lpmf(count, x, p.number("alpha"), beta)                            // the data
           + target::normal_lpdf(p.number("alpha"), 0, 3) + target::normal_lpdf(beta, 0, tau) - tau;  // the prior
  }
};

int main() {
  const Accidents model;
  const auto draws = sample(sampler::Nuts{.step_size = 0.1}, model, {.chains = 64, .draws = 1000, .seed = 1});
  const target::Report report(model);
  const auto values = report.of(draws.values);
  const auto n = static_cast<std::ptrdiff_t>(report.names().size()), length = static_cast<std::ptrdiff_t>(draws.draws);
  for (std::ptrdiff_t i = 0; i < n; ++i) {  // of the second half of each chain
    const auto s = diagnostics::summarize<double>(
        {values.data() + length / 2 * n + i, draws.chains, draws.draws / 2, length * n, n});
    std::printf("%-8s mean %7.3f  sd %6.3f  R-hat %.3f\n", report.names()[i].c_str(), s.mean, s.sd, s.rhat);
  }
}
