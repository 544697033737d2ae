// What a user writes to describe a distribution: LaneTarget, with or without a Gaussian prior, or BatchTarget.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/target/density.hpp"
#include "breakstep/target/map.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// A target evaluated in lanes: its code is generic in the pack and runs for W chains at once.
///
///     struct StandardNormal {
///       int dimension() const;
///       template <class Real, int W>
///       Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real* workspace) const;
///     };
///
/// A target with a Gaussian prior offers `log_likelihood` (same signature) and `GaussianPrior prior() const` instead;
/// its log density is the sum of the two. `template <class Real, int W> std::size_t workspace() const` is optional.
template <class T>
concept HasDensity = requires(const T& t, const InterleavedVector<double, 4>& x, double* workspace) {
  { t.dimension() } -> std::convertible_to<int>;
  { t.template log_density<double, 4>(x, workspace) } -> std::same_as<Pack<double, 4>>;
};
template <class T>
concept HasPrior = requires(const T& t, const InterleavedVector<double, 4>& x, double* workspace) {
  { t.dimension() } -> std::convertible_to<int>;
  { t.prior() } -> std::convertible_to<GaussianPrior>;
  { t.template log_likelihood<double, 4>(x, workspace) } -> std::same_as<Pack<double, 4>>;
};
template <class T>
concept LaneTarget = HasDensity<T> || HasPrior<T>;

/// A lane target that also knows its gradient: `log_density_and_gradient(x, gradient, workspace)`, or for one with a
/// prior `log_likelihood_and_gradient` (of the likelihood alone). Every coordinate of `gradient` is written.
template <class T>
concept HasGradient = (HasDensity<T> &&
                       requires(const T& t, const InterleavedVector<double, 4>& x, double* workspace) {
                         {
                           t.template log_density_and_gradient<double, 4>(x, x, workspace)
                           } -> std::same_as<Pack<double, 4>>;
                       }) ||
                      (HasPrior<T> && requires(const T& t, const InterleavedVector<double, 4>& x, double* workspace) {
                        {
                          t.template log_likelihood_and_gradient<double, 4>(x, x, workspace)
                          } -> std::same_as<Pack<double, 4>>;
                      });

/// A lane target with a gradient that reads rows as well: `log_density_and_gradient_of_rows(where, x, gradient,
/// workspace)`, for the lanes of `where` alone and with the same bits. Its workspace is enough for both. Worth it for
/// densities of many coordinates that work along a chain's coordinates: matrix products, sums.
template <class T>
concept ReadsRows = HasDensity<T> && HasGradient<T> &&
    requires(const T& t, const Rows<double, 4>& rows, double* workspace) {
  {
    t.template log_density_and_gradient_of_rows<double, 4>(Mask<4>(), rows, rows, workspace)
    } -> std::same_as<Pack<double, 4>>;
};

/// A lane target with a gradient whose evaluation is a long chain of steps that wait for one another (a differential
/// equation, say), and that can do two packs of chains at a time: `log_density_of_two(x, workspace)` and
/// `log_density_and_gradient_of_two(x, gradient, workspace)`, with the same bits. Its workspace is enough for two.
template <class T>
concept TakesTwo = HasDensity<T> && HasGradient<T> &&
    requires(const T& t, const TwoVectors<double, 4>& x, double* workspace) {
  { t.template log_density_of_two<double, 4>(x, workspace) } -> std::same_as<TwoPacks<double, 4>>;
  { t.template log_density_and_gradient_of_two<double, 4>(x, x, workspace) } -> std::same_as<TwoPacks<double, 4>>;
};

/// A target evaluated for any number of positions in one call, in double: external models, and likelihoods shaped like
/// matrix products. `positions` is batch × dimension; the caller's float mode is restored around the call.
///
/// `batch_invariant()` says that a position's value never depends on the others in its batch. If it is false, the
/// promise of equal bits is withdrawn, and the run says so.
template <class T>
concept BatchTarget = requires(const T& t, const double* positions, std::size_t batch, double* values) {
  { t.dimension() } -> std::convertible_to<int>;
  { t.batch_invariant() } -> std::convertible_to<bool>;
  t.log_density(positions, batch, values);
};

/// A batch target that also knows its gradients (batch × dimension).
template <class T>
concept BatchGradient = BatchTarget<T> &&
    requires(const T& t, const double* positions, std::size_t batch, double* values, double* gradients) {
  t.log_density_and_gradient(positions, batch, values, gradients);
};

/// Which function of the target a sampler asks for. `likelihood` is taken in coordinates in which the prior is N(0, I);
/// `gradient` is the density with its gradient.
enum class Asks { density, likelihood, gradient };

namespace detail {

template <class Target, class Real, int W>
std::size_t workspace_of(const Target& target) {
  if constexpr (requires { target.template workspace<Real, W>(); }) {
    return (target.template workspace<Real, W>() + 15) / 16 * 16;  // what follows it stays aligned
  } else {
    return 0;
  }
}

/// log π(x) of a lane target. Gradients take most of the time to compile, so they can be left out.
template <class Target, class Real, int W, bool with_gradient>
class LaneDensity final : public Density<Real, W> {
 public:
  explicit LaneDensity(std::shared_ptr<const Target> target) : target_(std::move(target)), prior_(prior_of(*target_)) {}

  [[nodiscard]] int dimension() const override { return target_->dimension(); }
  [[nodiscard]] std::size_t workspace() const override {
    return workspace_of<Target, Real, W>(*target_) +
           (HasPrior<Target> ? InterleavedVector<Real, W>::elements(dimension()) : 0);
  }
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, Real* workspace) const override {
    if constexpr (HasPrior<Target>) {
      const InterleavedVector<Real, W> u(workspace + workspace_of<Target, Real, W>(*target_), dimension());
      return target_->template log_likelihood<Real, W>(x, workspace) + prior_.log_density(x, u);
    } else {
      return target_->template log_density<Real, W>(x, workspace);
    }
  }
  Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                         Real* workspace) const override {
    if constexpr (!with_gradient) {
      throw Error("this density has no gradient", "it was made for a sampler that needs none", "use make_density()");
    } else if constexpr (!HasGradient<Target>) {
      throw Error("this target has no gradient", "its author wrote a density alone", "see has_gradient()");
    } else if constexpr (HasPrior<Target>) {
      const InterleavedVector<Real, W> u(workspace + workspace_of<Target, Real, W>(*target_), dimension());
      const auto likelihood = target_->template log_likelihood_and_gradient<Real, W>(x, gradient, workspace);
      return likelihood + prior_.add_log_density(x, gradient, u);
    } else {
      return target_->template log_density_and_gradient<Real, W>(x, gradient, workspace);
    }
  }

  [[nodiscard]] bool reads_rows() const override { return with_gradient && ReadsRows<Target>; }
  Pack<Real, W> evaluate_rows(Mask<W> where, const Rows<Real, W>& x, const Rows<Real, W>& gradient,
                              Real* workspace) const override {
    if constexpr (with_gradient && ReadsRows<Target>) {
      return target_->template log_density_and_gradient_of_rows<Real, W>(where, x, gradient, workspace);
    } else {
      return Density<Real, W>::evaluate_rows(where, x, gradient, workspace);
    }
  }

  [[nodiscard]] bool takes_two() const override { return TakesTwo<Target>; }
  [[nodiscard]] TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& x, Real* workspace) const override {
    if constexpr (TakesTwo<Target>) {
      return target_->template log_density_of_two<Real, W>(x, workspace);
    } else {
      return Density<Real, W>::evaluate_two(x, workspace);
    }
  }
  TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& x, const TwoVectors<Real, W>& gradient,
                                 Real* workspace) const override {
    if constexpr (with_gradient && TakesTwo<Target>) {
      return target_->template log_density_and_gradient_of_two<Real, W>(x, gradient, workspace);
    } else {
      return Density<Real, W>::evaluate_two(x, gradient, workspace);
    }
  }

 private:
  static AffineMap<Real> prior_of(const Target& target) {
    if constexpr (HasPrior<Target>) {
      return AffineMap<Real>(target.prior(), target.dimension());
    } else {
      return AffineMap<Real>(target.dimension());
    }
  }

  std::shared_ptr<const Target> target_;
  AffineMap<Real> prior_;
};

/// log of the likelihood at x = T(u), T the map that takes N(0, I) to the prior.
template <HasPrior Target, class Real, int W>
class LikelihoodDensity final : public Density<Real, W> {
 public:
  explicit LikelihoodDensity(std::shared_ptr<const Target> target)
      : target_(std::move(target)), map_(target_->prior(), target_->dimension()) {}

  [[nodiscard]] int dimension() const override { return target_->dimension(); }
  [[nodiscard]] std::size_t workspace() const override {
    return workspace_of<Target, Real, W>(*target_) + InterleavedVector<Real, W>::elements(dimension());
  }
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& u, Real* workspace) const override {
    if (map_.is_identity()) return target_->template log_likelihood<Real, W>(u, workspace);
    const InterleavedVector<Real, W> x(workspace + workspace_of<Target, Real, W>(*target_), dimension());
    map_.apply(u, x);
    return target_->template log_likelihood<Real, W>(x, workspace);
  }
  Pack<Real, W> evaluate(const InterleavedVector<Real, W>&, const InterleavedVector<Real, W>&, Real*) const override {
    throw Error("a likelihood was asked for its gradient", "no sampler needs that",
                "make the density with Asks::gradient");
  }

 private:
  std::shared_ptr<const Target> target_;
  AffineMap<Real> map_;
};

/// log π(T(u)) for an affine map T, up to the constant log|det T|: a metric, seen from the sampler's side.
template <class Real, int W>
class MappedDensity final : public Density<Real, W> {
 public:
  MappedDensity(std::unique_ptr<Density<Real, W>> inner, AffineMap<Real> map)
      : inner_(std::move(inner)), map_(std::move(map)) {}

  [[nodiscard]] int dimension() const override { return inner_->dimension(); }
  [[nodiscard]] std::size_t workspace() const override {
    const std::size_t in_lanes = (takes_two() ? 2 : 1) * InterleavedVector<Real, W>::elements(dimension());
    return inner_workspace() + (reads_rows() ? std::max(in_lanes, Mapped::elements(dimension())) : in_lanes);
  }
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& u, Real* workspace) const override {
    return inner_->evaluate(mapped(u, workspace), workspace);
  }
  Pack<Real, W> evaluate(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& gradient,
                         Real* workspace) const override {
    const auto value = inner_->evaluate(mapped(u, workspace), gradient, workspace);
    map_.pull_back(gradient);
    return value;
  }
  [[nodiscard]] bool takes_two() const override { return inner_->takes_two(); }
  [[nodiscard]] TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& u, Real* workspace) const override {
    return inner_->evaluate_two({mapped(u[0], workspace), mapped(u[1], workspace, 1)}, workspace);
  }
  TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& u, const TwoVectors<Real, W>& gradient,
                                 Real* workspace) const override {
    const auto values =
        inner_->evaluate_two({mapped(u[0], workspace), mapped(u[1], workspace, 1)}, gradient, workspace);
    for (const auto& one : gradient) map_.pull_back(one);
    return values;
  }
  [[nodiscard]] bool reads_rows() const override { return map_.is_diagonal() && inner_->reads_rows(); }
  Pack<Real, W> evaluate_rows(Mask<W> where, const Rows<Real, W>& u, const Rows<Real, W>& gradient,
                              Real* workspace) const override {
    const Mapped memory(workspace + inner_workspace(), dimension());
    Rows<Real, W> x{.lanes = {}, .size = dimension()};
    lanes::for_each_lane(where, [&](int lane) {
      x.lanes[lane] = memory.lane_data(lane);
      map_.apply(u.lane_data(lane), x.lane_data(lane));
    });
    const auto value = inner_->evaluate_rows(where, x, gradient, workspace);
    lanes::for_each_lane(where, [&](int lane) { map_.pull_back(gradient.lane_data(lane)); });
    return value;
  }

 private:
  using Mapped = lanes::Vector<Real, W, lanes::Storage::contiguous>;

  [[nodiscard]] std::size_t inner_workspace() const { return (inner_->workspace() + 15) / 16 * 16; }
  /// The first or second position of a call.
  InterleavedVector<Real, W> mapped(const InterleavedVector<Real, W>& u, Real* workspace, std::size_t which = 0) const {
    const InterleavedVector<Real, W> x(
        workspace + inner_workspace() + which * InterleavedVector<Real, W>::elements(dimension()), dimension());
    map_.apply(u, x);
    return x;
  }

  std::unique_ptr<Density<Real, W>> inner_;
  AffineMap<Real> map_;
};

}  // namespace detail

/// `density` as a sampler sees it that works in coordinates u with x = map(u).
template <class Real, int W>
std::unique_ptr<Density<Real, W>> through(std::unique_ptr<Density<Real, W>> density, const AffineMap<Real>& map) {
  if (map.is_identity()) return density;
  return std::make_unique<detail::MappedDensity<Real, W>>(std::move(density), map);
}

namespace detail {

template <bool with_gradient, class Real, int W, LaneTarget Target>
std::unique_ptr<Density<Real, W>> make_density(std::shared_ptr<const Target> target, Asks asks) {
  if (asks != Asks::likelihood) {
    return std::make_unique<LaneDensity<Target, Real, W, with_gradient>>(std::move(target));
  }
  if constexpr (HasPrior<Target>) {
    return std::make_unique<LikelihoodDensity<Target, Real, W>>(std::move(target));
  } else {
    throw Error("this sampler cannot draw from this target",
                "it needs a likelihood and a Gaussian prior, and the target declares only their product",
                "give the target a prior() and a log_likelihood(), or use another sampler");
  }
}

}  // namespace detail

/// The function of `target` that a sampler asks for, at any precision and width. Throws Error if the sampler needs a
/// prior or a gradient and the target has none.
template <class Real, int W, LaneTarget Target>
std::unique_ptr<Density<Real, W>> make_density(std::shared_ptr<const Target> target, Asks asks) {
  if (asks == Asks::gradient && !HasGradient<Target>) {
    throw Error("this sampler cannot draw from this target", "it needs gradients, and the target has only a density",
                "write the target as a model (target/differentiated.hpp) or give it log_density_and_gradient(), or use "
                "another sampler");
  }
  return detail::make_density<true, Real, W>(std::move(target), asks);
}

/// The same for samplers that ask for no gradient.
template <class Real, int W, LaneTarget Target>
std::unique_ptr<Density<Real, W>> make_value_density(std::shared_ptr<const Target> target, Asks asks) {
  return detail::make_density<false, Real, W>(std::move(target), asks);
}

/// The map from the sampler's coordinates to the target's: the prior's if the sampler asks for the likelihood, the
/// metric's (its covariance is the inverse of the mass) if it asks for gradients, else the identity.
template <class Real, LaneTarget Target>
AffineMap<Real> make_map(const Target& target, Asks asks, const GaussianPrior& metric = {}) {
  if (asks == Asks::gradient) return AffineMap<Real>(metric, target.dimension());
  if constexpr (HasPrior<Target>) {
    if (asks == Asks::likelihood) return AffineMap<Real>(target.prior(), target.dimension());
  }
  return AffineMap<Real>(target.dimension());
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
