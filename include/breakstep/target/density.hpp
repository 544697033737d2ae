// Density<Real, W>: the log density of W positions at once, with the target's type erased.
#pragma once

#include <array>
#include <cstddef>

#include "breakstep/error.hpp"
#include "breakstep/lanes/cholesky.hpp"
#include "breakstep/lanes/pack.hpp"
#include "breakstep/lanes/shared_vector.hpp"
#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

using lanes::InterleavedVector;
using lanes::Mask;
using lanes::Pack;

/// The vectors of W chains, each chain's coordinates contiguous wherever they lie (64-byte aligned and padded).
template <class Real, int W>
using Rows = lanes::GatheredVector<Real, W>;

/// Positions or gradients of two packs of chains.
template <class Real, int W>
using TwoVectors = std::array<InterleavedVector<Real, W>, 2>;
template <class Real, int W>
using TwoPacks = std::array<Pack<Real, W>, 2>;

/// What a runtime asks of a target. Safe to use from several threads, each with a workspace of its own.
template <class Real, int W>
class Density {
 public:
  Density() = default;
  virtual ~Density() = default;
  Density(const Density&) = delete;
  Density& operator=(const Density&) = delete;

  [[nodiscard]] virtual int dimension() const = 0;
  /// Reals of 64-byte aligned memory that an evaluation needs for itself.
  [[nodiscard]] virtual std::size_t workspace() const = 0;
  /// The log density at each lane's position, up to a constant. A lane's value depends on its own position alone; lanes
  /// that nobody waits for hold old positions and their values are ignored.
  [[nodiscard]] virtual Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, Real* workspace) const = 0;
  /// The same, and its gradient, which is written for every lane. Only for densities made with Asks::gradient.
  virtual Pack<Real, W> evaluate(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient,
                                 Real* workspace) const = 0;
  /// Whether the gradient can also be had from rows, which spares contiguous storage two transpositions.
  [[nodiscard]] virtual bool reads_rows() const { return false; }
  /// The same bits as `evaluate`, but only for the lanes of `where`; nothing is written for others.
  virtual Pack<Real, W> evaluate_rows(Mask<W> /*where*/, const Rows<Real, W>& /*x*/, const Rows<Real, W>& /*gradient*/,
                                      Real* /*workspace*/) const {
    throw Error("this density cannot read rows", "its target is written for lanes", "ask reads_rows() first");
  }
  /// Whether two packs in one call take less time than one after the other, because an evaluation mostly waits for its
  /// own results. The workspace is then enough for two.
  [[nodiscard]] virtual bool takes_two() const { return false; }
  /// The same bits as `evaluate` of each.
  [[nodiscard]] virtual TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& x, Real* workspace) const {
    return {evaluate(x[0], workspace), evaluate(x[1], workspace)};
  }
  virtual TwoPacks<Real, W> evaluate_two(const TwoVectors<Real, W>& x, const TwoVectors<Real, W>& gradient,
                                         Real* workspace) const {
    return {evaluate(x[0], gradient[0], workspace), evaluate(x[1], gradient[1], workspace)};
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
