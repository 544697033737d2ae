// Posteriors of regressions.
#include "breakstep/target/bod.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/logistic_regression.hpp"
#include "targets.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

namespace {

target::BodLikelihood bod_likelihood(const TargetOptions& options) {
  return options.data.empty() ? target::BodLikelihood::synthetic() : target::BodLikelihood::read(options.data);
}

}  // namespace

std::vector<TargetEntry> regression_targets() {
  return {
      {.name = "logistic_regression",
       .summary =
           "intercept and raw coefficients with priors N(0, 2.5^2) (--points, default 100; --data with y = 0 or 1 "
           "last)",
       .has_prior = true,
       .can_simulate = true,
       .takes_points = true,
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             using target::LogisticRegression;
             return erase(o.data.empty() ? LogisticRegression::synthetic(or_default(o.points, 100))
                                         : LogisticRegression::read(o.data, o.points));
           }},
      {.name = "german_credit",
       .summary = "logistic regression with a scale per coefficient (--points, default 200; --data with label 1 or 2)",
       .can_simulate = true,
       .takes_points = true,
       .takes_data = true,
       .make =
           [](const TargetOptions& o) {
             using target::GermanCredit;
             return erase(o.data.empty() ? GermanCredit::synthetic(or_default(o.points, 200))
                                         : GermanCredit::read(o.data, o.points));
           }},
      {.name = "bod_code",
       .summary = "oxygen demand, improper without a prior (--data with t, obs)",
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(target::BodCode(bod_likelihood(o))); }},
      {.name = "bod_stdnormal_prior",
       .summary = "oxygen demand with prior N(0, I) (--data with t, obs)",
       .has_prior = true,
       .takes_data = true,
       .make = [](const TargetOptions& o) { return erase(target::BodStandardNormalPrior(bod_likelihood(o))); }},
  };
}

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
