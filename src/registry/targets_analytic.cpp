// Targets given by a formula alone.
#include "breakstep/target/banana.hpp"
#include "breakstep/target/funnel.hpp"
#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/mixture_dense.hpp"
#include "breakstep/target/multivariate_normal.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

std::vector<TargetEntry> analytic_targets() {
  return {
      {.name = "standard_normal",
       .summary = "independent standard normals (--dimension, default 1)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::StandardNormal{or_default(o.dimension, 1)}); }},
      {.name = "gaussian_likelihood",
       .summary = "cheap and exact: N(0, I) in 3-d, each coordinate measured once",
       .has_prior = true,
       .can_simulate = true,
       .make = [](const TargetOptions&) { return erase(target::GaussianLikelihood{}); }},
      {.name = "multivariate_normal",
       .summary = "normal with Cov(xi, xj) = 0.9^|i - j| (--dimension, default 10)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::MultivariateNormal{or_default(o.dimension, 10)}); }},
      {.name = "log_gamma",
       .summary = "skewed, with known moments: logarithms of exponential variables (--dimension, default 1)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::LogGamma{.size = or_default(o.dimension, 1)}); }},
      {.name = "funnel",
       .summary = "Neal's funnel: the first coordinate is the log variance of the others (--dimension, default 10)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::Funnel{or_default(o.dimension, 10)}); }},
      {.name = "banana",
       .summary = "a long normal bent along a parabola, in 2-d with known moments",
       .make = [](const TargetOptions&) { return erase(target::Banana{}); }},
      {.name = "mixture_paper",
       .summary = "three correlated Gaussians far apart (--dimension, default 100)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::MixturePaper(or_default(o.dimension, 100))); }},
      {.name = "mixture_code",
       .summary = "two correlated Gaussians far apart, a product of mixtures (--dimension, default 100)",
       .takes_dimension = true,
       .make = [](const TargetOptions& o) { return erase(target::MixtureCode(or_default(o.dimension, 100))); }},
      {.name = "mixture_code_dense",
       .summary = "mixture_code by a product with a dense matrix, for timings (--dimension, default 100, at most 4096)",
       .takes_dimension = true,
       .make =
           [](const TargetOptions& o) {
             if (o.dimension > 4096) {
               throw Error("mixture_code_dense cannot have " + std::to_string(o.dimension) + " dimensions",
                           "its matrix would be too large", "ask for at most 4096, or for mixture_code");
             }
             return erase(target::MixtureCodeDense(or_default(o.dimension, 100)));
           }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
