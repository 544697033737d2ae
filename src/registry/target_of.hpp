// TargetOf<Target>: erases a lane target's type; included only by the file that compiles that target.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/registry/target.hpp"
#include "breakstep/target/report.hpp"
#include "breakstep/target/simulation.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

template <target::LaneTarget Target>
class TargetOf final : public AnyTarget {
 public:
  explicit TargetOf(Target target) : target_(std::make_shared<const Target>(std::move(target))), report_(*target_) {}

  [[nodiscard]] int dimension() const override { return target_->dimension(); }
  [[nodiscard]] bool has_prior() const override { return target::HasPrior<Target>; }
  [[nodiscard]] bool has_gradient() const override { return target::HasGradient<Target>; }
  [[nodiscard]] std::vector<std::string> coordinate_names() const override { return report_.coordinate_names(); }
  [[nodiscard]] std::vector<std::string> reported_names() const override { return report_.names(); }
  [[nodiscard]] bool reports_draws() const override { return report_.is_draw(); }
  void report(const double* position, double* out) const override { report_.write(position, out); }
  [[nodiscard]] int observations() const override {
    if constexpr (target::HasPointwiseLogLikelihood<Target>) {
      return target_->observations();
    } else {
      return 0;
    }
  }
  void log_likelihood([[maybe_unused]] const double* position, [[maybe_unused]] double* out) const override {
    if constexpr (target::HasPointwiseLogLikelihood<Target>) report_.write_log_likelihood(position, out);
  }

  [[nodiscard]] std::optional<Simulated> simulate([[maybe_unused]] std::uint64_t seed) const override {
    if constexpr (target::CanSimulate<Target>) {
      target::Synthetic random(seed);
      const std::vector<double> position = target::draw_prior(*target_, random);
      return Simulated{position, std::make_shared<TargetOf>(target_->with_simulated_data(position, random))};
    } else {
      return {};
    }
  }

  [[nodiscard]] DensityPtr<float, 1> density(OneFloat, target::Asks asks) const override {
    return target::make_density<float, 1>(target_, asks);
  }
  [[nodiscard]] DensityPtr<double, 1> density(OneDouble, target::Asks asks) const override {
    return target::make_density<double, 1>(target_, asks);
  }
  [[nodiscard]] DensityPtr<float, lanes::native_width<float>> density(Floats, target::Asks asks) const override {
    return target::make_density<float, lanes::native_width<float>>(target_, asks);
  }
  [[nodiscard]] DensityPtr<double, lanes::native_width<double>> density(Doubles, target::Asks asks) const override {
    return target::make_density<double, lanes::native_width<double>>(target_, asks);
  }
  [[nodiscard]] DensityPtr<float, WideFloats::lanes> density(WideFloats, target::Asks asks) const override {
    return target::make_value_density<float, WideFloats::lanes>(target_, asks);
  }
  [[nodiscard]] DensityPtr<double, WideDoubles::lanes> density(WideDoubles, target::Asks asks) const override {
    return target::make_value_density<double, WideDoubles::lanes>(target_, asks);
  }
  [[nodiscard]] target::AffineMap<float> map(float, target::Asks asks,
                                             const target::GaussianPrior& metric) const override {
    return target::make_map<float>(*target_, asks, metric);
  }
  [[nodiscard]] target::AffineMap<double> map(double, target::Asks asks,
                                              const target::GaussianPrior& metric) const override {
    return target::make_map<double>(*target_, asks, metric);
  }

 private:
  std::shared_ptr<const Target> target_;
  target::Report<Target> report_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
