// A model of one's own: Poisson regression with a hierarchical prior, written once, differentiated by the library.
#include <cmath>
#include <cstdio>

#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/slice.hpp"

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
  const auto draws = sample(sampler::Slice{}, model, {.chains = 64, .draws = 2000, .seed = 1});
  const auto names = model.parameters.names();
  std::vector<double> value(names.size()), mean(names.size()), square(names.size());
  double count = 0;
  for (std::size_t chain = 0; chain < draws.chains; ++chain) {
    for (std::uint32_t t = draws.draws / 2; t < draws.draws; ++t) {  // the first half is warm-up
      model.parameters.constrain(draws.at(chain, t), value.data());
      for (std::size_t i = 0; i < names.size(); ++i) {
        mean[i] += value[i];
        square[i] += value[i] * value[i];
      }
      ++count;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double m = mean[i] / count;
    std::printf("%-8s mean %7.3f  sd %6.3f\n", names[i].c_str(), m, std::sqrt(square[i] / count - m * m));
  }
}
