// Seeded random numbers for synthetic data.
#include "breakstep/target/synthetic.hpp"

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/target/logistic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

double Synthetic::normal() {
  const lanes::FlushToZero scope;
  const lanes::Stream<double, 1> stream(seed_, used_++, std::uint64_t{0});
  return stream.normals(std::uint64_t{0}, 0)[0][0];
}

double Synthetic::uniform() {
  const lanes::FlushToZero scope;
  const lanes::Stream<double, 1> stream(seed_, used_++, std::uint64_t{0});
  return stream.uniforms(std::uint64_t{0}, 0)[0][0];
}

double exp_of(double x) {
  const lanes::FlushToZero scope;
  return exp(lanes::Pack<double, 1>(x))[0];
}
double log_of(double x) {
  const lanes::FlushToZero scope;
  return log(lanes::Pack<double, 1>(x))[0];
}
double logistic_of(double x) {
  const lanes::FlushToZero scope;
  return logistic_and_logs(lanes::Pack<double, 1>(x)).value[0];
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
