// What a user writes to describe a distribution: LaneTarget, with or without a Gaussian prior, or BatchTarget.
#pragma once

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

/// Which function of the target a sampler asks for. `likelihood` is taken in coordinates in which the prior is N(0, I).
enum class Asks { density, likelihood };

namespace detail {

template <class Target, class Real, int W>
std::size_t workspace_of(const Target& target) {
  if constexpr (requires { target.template workspace<Real, W>(); }) {
    return (target.template workspace<Real, W>() + 15) / 16 * 16;  // what follows it stays aligned
  } else {
    return 0;
  }
}

/// log π(x) of a lane target.
template <class Target, class Real, int W>
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

 private:
  std::shared_ptr<const Target> target_;
  AffineMap<Real> map_;
};

}  // namespace detail

/// The function of `target` that a sampler asks for, at any precision and width. Throws Error if the sampler needs a
/// prior and the target declares none.
template <class Real, int W, LaneTarget Target>
std::unique_ptr<Density<Real, W>> make_density(std::shared_ptr<const Target> target, Asks asks) {
  if (asks == Asks::density) return std::make_unique<detail::LaneDensity<Target, Real, W>>(std::move(target));
  if constexpr (HasPrior<Target>) {
    return std::make_unique<detail::LikelihoodDensity<Target, Real, W>>(std::move(target));
  } else {
    throw Error("this sampler cannot draw from this target",
                "it needs a likelihood and a Gaussian prior, and the target declares only their product",
                "give the target a prior() and a log_likelihood(), or use another sampler");
  }
}

/// The map from the sampler's coordinates to the target's: the identity unless the sampler asks for the likelihood.
template <class Real, LaneTarget Target>
AffineMap<Real> make_map(const Target& target, Asks asks) {
  if constexpr (HasPrior<Target>) {
    if (asks == Asks::likelihood) return AffineMap<Real>(target.prior(), target.dimension());
  }
  return AffineMap<Real>(target.dimension());
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
