// The list of built-in targets.
#include "breakstep/target/gaussian_likelihood.hpp"
#include "breakstep/target/gp_regression.hpp"
#include "breakstep/target/log_gamma.hpp"
#include "breakstep/target/standard_normal.hpp"
#include "names.hpp"
#include "target_of.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

template <class Target>
std::unique_ptr<AnyTarget> erase(Target target) {
  return std::make_unique<TargetOf<Target>>(std::move(target));
}

}  // namespace

const std::vector<TargetEntry>& targets() {
  static const std::vector<TargetEntry> list = {
      {"standard_normal", "independent standard normals (--dimension, default 1)", false,
       [](const TargetOptions& o) { return erase(target::StandardNormal{o.dimension > 0 ? o.dimension : 1}); }},
      {"gaussian_likelihood", "cheap and exact: N(0, I) in 3-d, each coordinate measured once", true,
       [](const TargetOptions&) { return erase(target::GaussianLikelihood{}); }},
      {"gp_regression", "Gaussian-process hyperparameters on synthetic data (--points, default 100)", true,
       [](const TargetOptions& o) { return erase(target::GpRegression::synthetic(o.points > 0 ? o.points : 100)); }},
      {"log_gamma", "skewed, with known moments: logarithms of exponential variables (--dimension, default 1)", false,
       [](const TargetOptions& o) { return erase(target::LogGamma{.size = o.dimension > 0 ? o.dimension : 1}); }},
  };
  return list;
}

std::unique_ptr<AnyTarget> make_target(std::string_view name, const TargetOptions& options) {
  return find_entry(targets(), name, "target").make(options);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
