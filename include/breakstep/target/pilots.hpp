// Pilots in flight simulators (Gelman and Hill 2006, ch. 14): two crossed groups of varying intercepts.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "breakstep/target/data.hpp"
#include "breakstep/target/data_table.hpp"
#include "breakstep/target/logistic.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// What the coordinates of a scale mean: the logit of its share of 100, or, as in the program of the paper, the scale
/// itself, whose sign does not matter and which has no bound.
enum class PilotsScales { bounded, raw };

/// y ~ N(a[group] + b[scenario], σ_y²), a ~ N(10·μ_a, σ_a²), b ~ N(10·μ_b, σ_b²), μ ~ N(0, 1), each σ uniform on
/// (0, 100). Coordinates a, b, μ_a, μ_b and those of σ_a, σ_b, σ_y. All constants but the uniform's.
template <PilotsScales Scales>
class PilotsWith {
 public:
  /// Groups and scenarios count from 0.
  PilotsWith(std::vector<int> group, std::vector<int> scenario, std::vector<double> y);
  /// Columns `group_id`, `scenario_id` (from 1) and `y`.
  static PilotsWith read(const std::string& path);
  static PilotsWith synthetic(std::uint64_t seed = 9);

  [[nodiscard]] int dimension() const { return groups_ + scenarios_ + 5; }
  [[nodiscard]] Parameters parameters() const {
    const auto scale = [](const char* name) {
      return Scales == PilotsScales::bounded ? interval(name, 0, 100) : real(name);
    };
    return {real("a", groups_), real("b", scenarios_), real("mu_a"),    real("mu_b"),
            scale("sigma_a"),   scale("sigma_b"),      scale("sigma_y")};
  }
  /// What the data tell, in contrast to a and b, which may move against each other: the mean of all a plus that of all
  /// b, and how each differs from its mean.
  [[nodiscard]] Parameters generated_quantities() const {
    return {real("level"), real("a_deviation", groups_), real("b_deviation", scenarios_)};
  }
  void generate(const double* values, double* out) const;
  [[nodiscard]] int observations() const { return static_cast<int>(y_.size()); }
  void pointwise_log_likelihood(const double* values, double* out) const;

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    return evaluate<false>(x, x);
  }
  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    return evaluate<true>(x, gradient);
  }

 private:
  /// A scale 100·p with p the logistic of its coordinate.
  template <class Real, int W>
  struct BoundedScale {
    explicit BoundedScale(Pack<Real, W> u)
        : p(logistic_and_logs(u)), inverse(Pack<Real, W>(Real(1)) / (Pack<Real, W>(Real(100)) * p.value)) {}

    /// The log density of `count` normals with this scale whose standardised squares sum to `squares`, plus the
    /// Jacobian.
    [[nodiscard]] Pack<Real, W> log_density(int count, Pack<Real, W> squares) const {
      using P = Pack<Real, W>;
      const double log_hundred = 4.6051701859880914;
      const P logs = fma(P(static_cast<Real>(1 - count)), p.log_value + P(static_cast<Real>(log_hundred)),
                         P(static_cast<Real>(-count * half_log_two_pi)));
      return fma(P(Real(-0.5)), squares, logs) + p.log_complement;
    }
    [[nodiscard]] Pack<Real, W> derivative(int count, Pack<Real, W> squares) const {
      using P = Pack<Real, W>;
      return fma(squares + P(static_cast<Real>(1 - count)), p.complement, -p.value);
    }

    Logistic<Real, W> p;
    Pack<Real, W> inverse;
  };

  /// The absolute value of its coordinate.
  template <class Real, int W>
  struct RawScale {
    explicit RawScale(Pack<Real, W> u) : log_value(log(abs(u))), inverse(Pack<Real, W>(Real(1)) / u) {}

    [[nodiscard]] Pack<Real, W> log_density(int count, Pack<Real, W> squares) const {
      using P = Pack<Real, W>;
      const P logs = fma(P(static_cast<Real>(-count)), log_value, P(static_cast<Real>(-count * half_log_two_pi)));
      return fma(P(Real(-0.5)), squares, logs);
    }
    [[nodiscard]] Pack<Real, W> derivative(int count, Pack<Real, W> squares) const {
      return (squares - Pack<Real, W>(static_cast<Real>(count))) * inverse;
    }

    Pack<Real, W> log_value, inverse;
  };

  template <class Real, int W>
  using Scale = std::conditional_t<Scales == PilotsScales::bounded, BoundedScale<Real, W>, RawScale<Real, W>>;

  /// Adds the prior of `count` intercepts from `first` on; their gradients already hold the likelihood's part.
  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate_group(const InterleavedVector<Real, W>& x,
                                             const InterleavedVector<Real, W>& gradient, int first, int count, int mean,
                                             int scale) const {
    using P = Pack<Real, W>;
    const Scale<Real, W> sigma(x[scale]);
    const P mu = x[mean], centre = P(Real(10)) * mu;
    P squares(Real(0)), pull(Real(0));
    for (int i = first; i < first + count; ++i) {
      const P standard = (x[i] - centre) * sigma.inverse;
      squares = fma(standard, standard, squares);
      if constexpr (WithGradient) {
        const P force = standard * sigma.inverse;
        gradient.store(i, gradient[i] - force);
        pull = pull + force;
      }
    }
    if constexpr (WithGradient) {
      gradient.store(mean, fma(P(Real(10)), pull, -mu));
      gradient.store(scale, sigma.derivative(count, squares));
    }
    return fma(P(Real(-0.5)) * mu, mu, sigma.log_density(count, squares)) - P(static_cast<Real>(half_log_two_pi));
  }

  template <bool WithGradient, class Real, int W>
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x,
                                       const InterleavedVector<Real, W>& gradient) const {
    using P = Pack<Real, W>;
    const int means = groups_ + scenarios_, scales = means + 2, rows = static_cast<int>(y_.size());
    if constexpr (WithGradient) {
      for (int i = 0; i < means; ++i) gradient.store(i, P(Real(0)));
    }
    const Scale<Real, W> sigma(x[scales + 2]);
    const P precision = sigma.inverse * sigma.inverse;
    P squares(Real(0));
    const Real* y = y_.as<Real>();
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const int a = group_[i], b = groups_ + scenario_[i];
      const P residual = P(y[i]) - (x[a] + x[b]);
      squares = fma(residual, residual, squares);
      if constexpr (WithGradient) {
        const P force = residual * precision;
        gradient.store(a, gradient[a] + force);
        gradient.store(b, gradient[b] + force);
      }
    }
    squares = squares * precision;
    if constexpr (WithGradient) gradient.store(scales + 2, sigma.derivative(rows, squares));
    const P a = evaluate_group<WithGradient>(x, gradient, 0, groups_, means, scales);
    const P b = evaluate_group<WithGradient>(x, gradient, groups_, scenarios_, means + 1, scales + 1);
    return sigma.log_density(rows, squares) + (a + b);
  }

  std::vector<int> group_;
  std::vector<int> scenario_;
  Numbers y_;
  int groups_ = 0;
  int scenarios_ = 0;
};

extern template class PilotsWith<PilotsScales::bounded>;
extern template class PilotsWith<PilotsScales::raw>;

using Pilots = PilotsWith<PilotsScales::bounded>;
using PilotsAsCoded = PilotsWith<PilotsScales::raw>;

}  // namespace breakstep::inline BREAKSTEP_ABI::target
