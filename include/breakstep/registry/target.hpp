// AnyTarget: a target with its type erased, and the list of built-in ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "breakstep/registry/width.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

class AnyTarget;

/// A position drawn from a target's prior, and the same target with data drawn from the model there.
struct Simulated {
  std::vector<double> position;
  std::shared_ptr<const AnyTarget> target;
};

class AnyTarget {
 public:
  AnyTarget() = default;
  virtual ~AnyTarget() = default;
  AnyTarget(const AnyTarget&) = delete;
  AnyTarget& operator=(const AnyTarget&) = delete;

  [[nodiscard]] virtual int dimension() const = 0;
  [[nodiscard]] virtual bool has_prior() const = 0;
  [[nodiscard]] virtual bool has_gradient() const = 0;
  /// Of the coordinates that a sampler sees: "mu", "log_tau", …; "x[0]", "x[1]", … unless the target names them.
  [[nodiscard]] virtual std::vector<std::string> coordinate_names() const = 0;

  /// What is reported about a position: the parameters on their own scale, then generated quantities.
  [[nodiscard]] virtual std::vector<std::string> reported_names() const = 0;
  virtual void report(const double* position, double* out) const = 0;
  /// Whether that is the position itself.
  [[nodiscard]] virtual bool reports_draws() const = 0;
  /// Observations whose log likelihoods the target gives one by one; 0 if it does not.
  [[nodiscard]] virtual int observations() const = 0;
  virtual void log_likelihood(const double* position, double* out) const = 0;
  /// None if the target cannot simulate; see target/simulation.hpp.
  [[nodiscard]] virtual std::optional<Simulated> simulate(std::uint64_t seed) const = 0;

  template <class Real, int W>
  using DensityPtr = std::unique_ptr<target::Density<Real, W>>;
  /// Throw Error if the sampler asks for a likelihood and the target declares no prior.
  [[nodiscard]] virtual DensityPtr<float, 1> density(OneFloat width, target::Asks asks) const = 0;
  [[nodiscard]] virtual DensityPtr<double, 1> density(OneDouble width, target::Asks asks) const = 0;
  [[nodiscard]] virtual DensityPtr<float, lanes::native_width<float>> density(Floats width,
                                                                              target::Asks asks) const = 0;
  [[nodiscard]] virtual DensityPtr<double, lanes::native_width<double>> density(Doubles width,
                                                                                target::Asks asks) const = 0;
  /// For samplers that ask for no gradient.
  [[nodiscard]] virtual DensityPtr<float, WideFloats::lanes> density(WideFloats width, target::Asks asks) const = 0;
  [[nodiscard]] virtual DensityPtr<double, WideDoubles::lanes> density(WideDoubles width, target::Asks asks) const = 0;
  /// From the sampler's coordinates to the target's; see target::make_map.
  [[nodiscard]] virtual target::AffineMap<float> map(float precision, target::Asks asks,
                                                     const target::GaussianPrior& metric) const = 0;
  [[nodiscard]] virtual target::AffineMap<double> map(double precision, target::Asks asks,
                                                      const target::GaussianPrior& metric) const = 0;
};

/// Choices that the command line passes on; 0 or empty means the target's own default.
struct TargetOptions {
  int dimension = 0;      ///< of a target of free dimension
  int points = 0;         ///< observations of a synthetic data set, or how many rows of `data` to use
  std::string data = {};  ///< path of a CSV or JSON file; without one the target makes up its data
};

struct TargetEntry {
  std::string_view name;
  std::string_view summary;
  bool has_prior = false;
  bool can_simulate = false;
  bool takes_dimension = false;
  bool takes_points = false;
  bool takes_data = false;
  std::unique_ptr<AnyTarget> (*make)(const TargetOptions& options) = nullptr;
};

/// The built-in targets.
const std::vector<TargetEntry>& targets();

/// The target of an entry; throws Error if it is given an option that it does not take.
std::unique_ptr<AnyTarget> make_target(const TargetEntry& entry, const TargetOptions& options);
/// The named one; throws Error with the names there are if it is none of them.
std::unique_ptr<AnyTarget> make_target(std::string_view name, const TargetOptions& options);

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
