// Data of the schools, and how well each is explained.
#include "breakstep/target/eight_schools.hpp"

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

template class EightSchoolsModel<true>;
template class EightSchoolsModel<false>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
