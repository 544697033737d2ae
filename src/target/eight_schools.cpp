// Data of the schools, and how well each is explained.
#include "breakstep/target/eight_schools.hpp"

#include <cmath>

#include "breakstep/error.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

std::vector<double> inverses(std::vector<double> errors) {
  for (double& error : errors) error = 1 / error;
  return errors;
}

}  // namespace

template <bool Centred>
EightSchoolsModel<Centred>::EightSchoolsModel(std::vector<double> effects, const std::vector<double>& errors)
    : effects_(std::move(effects)), precisions_(inverses(errors)) {
  if (effects_.size() == 0 || effects_.size() != errors.size()) {
    throw Error("the data of the schools do not fit together",
                std::to_string(effects_.size()) + " effects and " + std::to_string(errors.size()) + " standard errors",
                "give one of each for every school, and at least one school");
  }
}

template <bool Centred>
EightSchoolsModel<Centred> EightSchoolsModel<Centred>::read(const std::string& path) {
  const DataTable table = read_data(path);
  const std::vector<double>& errors = table.column("sigma");
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!(errors[i] > 0)) table.refuse("sigma", i, "standard errors are positive");
  }
  return {table.column("y"), errors};
}

template <bool Centred>
void EightSchoolsModel<Centred>::pointwise_log_likelihood(const double* values, double* out) const {
  const double mu = values[schools()], tau = values[schools() + 1];
  for (int i = 0; i < schools(); ++i) {
    const double theta = Centred ? values[i] : mu + tau * values[i], precision = precisions_.as<double>()[i];
    const double residual = (effects_.as<double>()[i] - theta) * precision;
    out[i] = log(Pack<double, 1>(precision))[0] - half_log_two_pi - 0.5 * residual * residual;
  }
}

template <bool Centred>
std::vector<double> EightSchoolsModel<Centred>::draw_prior(Synthetic& random) const {
  const double mu = 5 * random.normal();
  // The ratio of two standard normals is a standard Cauchy variable.
  const double tau = 5 * std::fabs(random.normal() / random.normal());
  std::vector<double> x;
  for (int i = 0; i < schools(); ++i) {
    const double standard = random.normal();
    x.push_back(Centred ? mu + tau * standard : standard);
  }
  x.push_back(mu);
  x.push_back(log_of(tau));
  return x;
}

template <bool Centred>
EightSchoolsModel<Centred> EightSchoolsModel<Centred>::with_simulated_data(const std::vector<double>& x,
                                                                           Synthetic& random) const {
  const auto count = static_cast<std::size_t>(schools());
  const double mu = x[count], tau = exp_of(x[count + 1]);
  std::vector<double> effects;
  for (std::size_t i = 0; i < count; ++i) {
    const double theta = Centred ? x[i] : mu + tau * x[i];
    effects.push_back(theta + random.normal() / precisions_.as<double>()[i]);
  }
  EightSchoolsModel simulated = *this;
  simulated.effects_ = Numbers(std::move(effects));
  return simulated;
}

template class EightSchoolsModel<true>;
template class EightSchoolsModel<false>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
