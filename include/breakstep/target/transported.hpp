// A target seen through a flow x = T(u): a likelihood whose prior is N(0, I), for elliptical slice sampling.
//
// Transport elliptical slice sampling (Cabezas and Nemeth 2023) draws v ~ N(0, I), turns (u, v) together and accepts by
// π(T(u))·|det ∇T(u)|·N(v). N(u)·N(v) does not change on the way round, so dividing by it changes no decision: what
// remains is elliptical slice sampling with the likelihood π(T(u))·|det ∇T(u)|/N(u) and the prior N(u).
#pragma once

#include <memory>
#include <utility>

#include "breakstep/target/flow.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// log π(T(u)) + log|det ∇T(u)| + ½·u·u, up to a constant.
template <class Real, int W>
class TransportedDensity final : public Density<Real, W> {
 public:
  /// `density` is log π.
  TransportedDensity(std::unique_ptr<Density<Real, W>> density, std::shared_ptr<const Flow<Real>> flow)
      : density_(std::move(density)), flow_(std::move(flow)) {}

  [[nodiscard]] int dimension() const override { return density_->dimension(); }
  [[nodiscard]] std::size_t workspace() const override {
    return aligned(density_->workspace()) + 2 * position_reals() + flow_->template workspace<W>();
  }
  [[nodiscard]] Pack<Real, W> evaluate(const InterleavedVector<Real, W>& u, Real* workspace) const override {
    const auto x = position(0, workspace);
    const auto change = to_position(u, x, workspace);
    return density_->evaluate(x, workspace) + change;
  }
  [[nodiscard]] bool takes_two() const override { return density_->takes_two(); }
  [[nodiscard]] TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& u, Real* workspace) const override {
    const TwoVectors<Real, W> x{position(0, workspace), position(1, workspace)};
    const TwoPacks<Real, W> change{to_position(u[0], x[0], workspace), to_position(u[1], x[1], workspace)};
    const auto values = density_->evaluate_two(x, workspace);
    return {values[0] + change[0], values[1] + change[1]};
  }
  Pack<Real, W> evaluate(const InterleavedVector<Real, W>&, const InterleavedVector<Real, W>&, Real*) const override {
    throw Error("a transported target was asked for its gradient", "elliptical slice sampling needs none",
                "use a sampler that asks for the likelihood");
  }

 private:
  static std::size_t aligned(std::size_t reals) { return (reals + 15) / 16 * 16; }
  [[nodiscard]] std::size_t position_reals() const {
    return aligned(InterleavedVector<Real, W>::elements(dimension()));
  }
  /// Of the first or second pack of a call.
  [[nodiscard]] InterleavedVector<Real, W> position(std::size_t which, Real* workspace) const {
    return {workspace + aligned(density_->workspace()) + which * position_reals(), dimension()};
  }
  /// x = T(u); returns log|det ∇T(u)| + ½·u·u.
  Pack<Real, W> to_position(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& x,
                            Real* workspace) const {
    const auto log_determinant = flow_->apply(u, x, workspace + aligned(density_->workspace()) + 2 * position_reals());
    const auto squares = dot(lanes::Mask<W>::all_lanes(), u, u);
    return fma(squares, Pack<Real, W>(Real(0.5)), log_determinant);
  }

  std::unique_ptr<Density<Real, W>> density_;
  std::shared_ptr<const Flow<Real>> flow_;
};

/// A lane target and the flow through which it is sampled.
template <LaneTarget Target>
struct Transported {
  std::shared_ptr<const Target> target;
  FlowNumbers flow;

  [[nodiscard]] int dimension() const { return target->dimension(); }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
