// Report: what a person reads about a draw: parameters on their own scale, then quantities generated from them.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/target/parameters.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// A lane target declares its parameters by `Parameters parameters() const`, a model by a member `parameters`. Whatever
/// declares none has coordinates "x[0]", "x[1]", …
template <class T>
Parameters parameters_of(const T& target) {
  if constexpr (requires {
                  { target.parameters() } -> std::convertible_to<Parameters>;
                }) {
    return target.parameters();
  } else if constexpr (requires {
                         { target.parameters } -> std::convertible_to<Parameters>;
                       }) {
    return target.parameters;
  } else {
    return {real("x", target.dimension())};
  }
}

/// A target or model may generate further quantities. `generated_quantities()` names them as parameters are named;
/// `generate` computes them. `values` are the parameters on their own scale, in the order of their names.
template <class T>
concept HasGeneratedQuantities = requires(const T& t, const double* values, double* out) {
  { t.generated_quantities() } -> std::convertible_to<Parameters>;
  t.generate(values, out);
};

/// A target or model whose likelihood is a product over observations may give the logarithm of each factor, with all
/// constants, for the comparison of models.
template <class T>
concept HasPointwiseLogLikelihood = requires(const T& t, const double* values, double* out) {
  { t.observations() } -> std::convertible_to<int>;
  t.pointwise_log_likelihood(values, out);
};

/// Made once for a target or model, which must outlive it. All arithmetic is in double, whatever the draws are.
template <class Target>
class Report {
 public:
  explicit Report(const Target& target) : target_(&target), parameters_(parameters_of(target)) {
    names_ = parameters_.names();
    if constexpr (HasGeneratedQuantities<Target>) {
      const auto more = target.generated_quantities().names();
      names_.insert(names_.end(), more.begin(), more.end());
    }
  }
  explicit Report(const Target&& target) = delete;

  /// Of the numbers reported.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Of the coordinates that a sampler sees.
  [[nodiscard]] std::vector<std::string> coordinate_names() const { return parameters_.unconstrained_names(); }
  /// Whether the report of a draw is the draw itself.
  [[nodiscard]] bool is_draw() const { return parameters_.are_real() && !HasGeneratedQuantities<Target>; }

  /// Writes names().size() numbers about a position in the sampler's coordinates.
  void write(const double* position, double* out) const {
    parameters_.constrain(position, out);
    if constexpr (HasGeneratedQuantities<Target>) target_->generate(out, out + parameters_.constrained_dimension());
  }

  /// The reports of many draws, one after the other.
  template <class Real>
  [[nodiscard]] std::vector<Real> of(const std::vector<Real>& draws) const {
    const lanes::FlushToZero scope;
    const auto dimension = static_cast<std::size_t>(parameters_.dimension());
    std::vector<Real> all(draws.size() / dimension * names_.size());
    std::vector<double> position(dimension), values(names_.size());
    auto next = all.begin();
    for (auto draw = draws.begin(); draw != draws.end(); draw += static_cast<std::ptrdiff_t>(dimension)) {
      std::copy_n(draw, dimension, position.begin());
      write(position.data(), values.data());
      next = std::transform(values.begin(), values.end(), next, [](double x) { return static_cast<Real>(x); });
    }
    return all;
  }

  /// Writes target.observations() numbers about a position in the sampler's coordinates.
  void write_log_likelihood(const double* position, double* out) const requires HasPointwiseLogLikelihood<Target> {
    std::vector<double> values(static_cast<std::size_t>(parameters_.constrained_dimension()));
    parameters_.constrain(position, values.data());
    target_->pointwise_log_likelihood(values.data(), out);
  }

 private:
  const Target* target_;
  Parameters parameters_;
  std::vector<std::string> names_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
