// Normalizing flows x = T(u) in lanes: coupling layers (affine or rational-quadratic splines), then a shift and a scale
// of each coordinate. Both ways with log-determinants, and the gradients that training needs.
//
// A coupling layer moves some coordinates by functions whose numbers a small network computes from the others, which
// stay. So the inverse costs what T costs, and the determinant is a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "breakstep/lanes/cholesky.hpp"
#include "breakstep/target/dense.hpp"
#include "breakstep/target/spline.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

using lanes::InterleavedVector;
using lanes::Pack;

/// What a coupling layer does to the coordinates it moves: `affine_spline` first bends, then scales and shifts them.
enum class FlowKind { shift_scale, affine, spline, affine_spline };

struct FlowShape {
  int dimension = 1;
  FlowKind kind = FlowKind::affine_spline;
  int layers = 4;      ///< coupling layers; none for shift_scale
  int hidden = 32;     ///< units of a conditioner's hidden layer
  int depth = 2;       ///< hidden layers of a conditioner
  int bins = 8;        ///< of a spline
  double reach = 5.0;  ///< a spline moves what lies between −reach and reach
  bool layer_norm = false;
  Activation activation = Activation::tanh;

  bool operator==(const FlowShape&) const = default;
};

/// Bits of the numbers of so many coordinates: after twice as many layers every coordinate has been moved with any
/// other in sight.
int bits_of(int dimension);

/// What is kept of a flow: its shape and what it has learnt. Empty means no flow.
struct FlowNumbers {
  FlowShape shape;
  std::vector<double> parameters;
  [[nodiscard]] bool empty() const { return parameters.empty(); }
};

/// Where a flow's parameters are: those of each coupling's network, then shifts, then logarithms of scales.
class FlowLayout {
 public:
  struct Coupling {
    bool has_spline, has_affine;
    std::vector<int> kept, moved;  ///< coordinates
    Dense network;
    std::size_t offset;
  };

  /// Throws Error for a shape that makes no sense.
  explicit FlowLayout(const FlowShape& shape);

  [[nodiscard]] const FlowShape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<Coupling>& couplings() const { return couplings_; }
  [[nodiscard]] std::size_t shifts() const { return shifts_; }
  [[nodiscard]] std::size_t log_scales() const { return shifts_ + static_cast<std::size_t>(shape_.dimension); }
  [[nodiscard]] std::size_t parameters() const { return log_scales() + static_cast<std::size_t>(shape_.dimension); }
  /// Reals per lane that one coupling needs while it is applied, and keeps for the way back.
  [[nodiscard]] std::size_t reals_per_coupling() const { return reals_per_coupling_; }
  /// Reals per lane of scratch on the way back.
  [[nodiscard]] std::size_t scratch() const { return scratch_; }

 private:
  FlowShape shape_;
  std::vector<Coupling> couplings_;
  std::size_t shifts_ = 0, reals_per_coupling_ = 0, scratch_ = 0;
};

/// Parameters of a flow that is the identity, with networks ready to learn.
FlowNumbers identity_flow(const FlowShape& shape, std::uint64_t seed);

/// The words of the enumerators, as files and the command line have them.
std::string name_of(FlowKind kind);
std::string name_of(Activation activation);

/// The flow at one precision, for any width. Immutable, shared by all chains.
template <class Real>
class Flow {
 public:
  explicit Flow(const FlowNumbers& numbers)
      : layout_(numbers.shape), parameters_(numbers.parameters.begin(), numbers.parameters.end()) {
    set_scales();
  }

  [[nodiscard]] int dimension() const { return layout_.shape().dimension; }
  [[nodiscard]] const FlowLayout& layout() const { return layout_; }
  void set_parameters(const std::vector<double>& parameters) {
    parameters_.assign(parameters.begin(), parameters.end());
    set_scales();
  }

  /// Reals that apply() and invert() need for W lanes.
  template <int W>
  [[nodiscard]] std::size_t workspace() const {
    return layout_.reals_per_coupling() * W;
  }
  /// The same if they are to keep what the way back needs.
  template <int W>
  [[nodiscard]] std::size_t tape() const {
    return layout_.reals_per_coupling() * W * layout_.couplings().size();
  }

  /// x = T(u); returns log|det ∇T(u)|. May be in place.
  template <int W>
  Pack<Real, W> apply(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& x, Real* workspace) const {
    return forward<W>(u, x, workspace, 0);
  }
  /// u = T⁻¹(x); returns log|det ∇T⁻¹(x)|. May be in place.
  template <int W>
  Pack<Real, W> invert(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& u,
                       Real* workspace) const {
    return backward<W>(x, u, workspace, 0);
  }

  /// The same, keeping on `tape` what pull_back() or pull_back_inverse() needs.
  template <int W>
  Pack<Real, W> record(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& x, Real* tape) const {
    return forward<W>(u, x, tape, layout_.reals_per_coupling() * W);
  }
  template <int W>
  Pack<Real, W> record_inverse(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& u,
                               Real* tape) const {
    return backward<W>(x, u, tape, layout_.reals_per_coupling() * W);
  }

  /// Of a function of x = T(u) and log|det ∇T(u)|: turns the adjoint of x into that of u and adds the parameters',
  /// summed over lanes in ascending order, to `gradient`. `scratch` has layout().scratch()·W reals.
  template <int W>
  void pull_back(const InterleavedVector<Real, W>& x, Pack<Real, W> of_log, const InterleavedVector<Real, W>& adjoint,
                 const Real* tape, Real* gradient, Real* scratch) const {
    using P = Pack<Real, W>;
    for (int i = 0; i < dimension(); ++i) {
      const P a = adjoint[i];
      add_lanes(gradient[layout_.shifts() + i], a);
      add_lanes(gradient[layout_.log_scales() + i], fma(a, x[i] - P(shift(i)), of_log));
      adjoint.store(i, a * P(scales_[i]));
    }
    for (std::size_t c = layout_.couplings().size(); c-- > 0;) {
      pull_back_coupling<false, W>(c, of_log, adjoint, tape, gradient, scratch);
    }
  }
  /// Of a function of u = T⁻¹(x) and log|det ∇T⁻¹(x)|: turns the adjoint of u into that of x.
  template <int W>
  void pull_back_inverse(const InterleavedVector<Real, W>& x, Pack<Real, W> of_log,
                         const InterleavedVector<Real, W>& adjoint, const Real* tape, Real* gradient,
                         Real* scratch) const {
    using P = Pack<Real, W>;
    for (std::size_t c = 0; c < layout_.couplings().size(); ++c) {
      pull_back_coupling<true, W>(c, of_log, adjoint, tape, gradient, scratch);
    }
    for (int i = 0; i < dimension(); ++i) {
      const P a = adjoint[i] / P(scales_[i]);
      add_lanes(gradient[layout_.shifts() + i], -a);
      add_lanes(gradient[layout_.log_scales() + i], -fma(a, x[i] - P(shift(i)), of_log));
      adjoint.store(i, a);
    }
  }

 private:
  /// An affine layer multiplies by at most e^±cap: one layer alone cannot run away.
  static constexpr Real cap = Real(4);

  void set_scales() {
    scales_.resize(static_cast<std::size_t>(dimension()));
    log_volume_ = Real(0);
    for (int i = 0; i < dimension(); ++i) {
      const Real log_scale = parameters_[layout_.log_scales() + static_cast<std::size_t>(i)];
      scales_[static_cast<std::size_t>(i)] = exp(Pack<Real, 1>(log_scale))[0];
      log_volume_ += log_scale;
    }
  }
  [[nodiscard]] Real shift(int i) const { return parameters_[layout_.shifts() + static_cast<std::size_t>(i)]; }

  template <int W>
  static void add_lanes(Real& sum, Pack<Real, W> values) {
    for (int lane = 0; lane < W; ++lane) sum += values[lane];
  }

  /// One coupling's memory: what its network keeps, the raw numbers it gave, and the moved coordinates on u's side.
  template <int W>
  struct Memory {
    Memory(const FlowLayout::Coupling& coupling, Real* memory)
        : keep(memory),
          raw(keep + static_cast<std::size_t>(coupling.network.kept()) * W),
          before(raw + static_cast<std::size_t>(coupling.network.outs) * W),
          in(before + coupling.moved.size() * W) {}
    Real *keep, *raw, *before, *in;
  };

  template <int W>
  static void copy(const InterleavedVector<Real, W>& from, const InterleavedVector<Real, W>& to) {
    if (from.data() == to.data()) return;
    for (int i = 0; i < from.length(); ++i) to.store(i, from[i]);
  }

  template <int W>
  Memory<W> condition(const FlowLayout::Coupling& coupling, const InterleavedVector<Real, W>& x, Real* at) const {
    const Memory<W> memory(coupling, at);
    for (std::size_t k = 0; k < coupling.kept.size(); ++k) x[coupling.kept[k]].store(memory.in + k * W);
    coupling.network.template apply<Real, W>(parameters_.data() + coupling.offset, memory.in, memory.raw, memory.keep);
    return memory;
  }

  template <int W>
  [[nodiscard]] Spline<Real, W> spline(const Real* raw) const {
    return {raw, layout_.shape().bins, static_cast<Real>(layout_.shape().reach)};
  }
  [[nodiscard]] static std::size_t raw_count(const FlowLayout::Coupling& coupling) {
    return static_cast<std::size_t>(coupling.network.outs) / coupling.moved.size();
  }
  /// Of a coordinate's raw numbers the first two are the affine ones, if there are any.
  template <int W>
  static std::size_t first_of_spline(const FlowLayout::Coupling& coupling) {
    return coupling.has_affine ? 2 * W : 0;
  }

  template <int W>
  static Pack<Real, W> log_scale(Pack<Real, W> raw) {
    return cap * tanh(raw * (Real(1) / cap));
  }

  template <int W>
  Pack<Real, W> forward(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& x, Real* memory,
                        std::size_t stride) const {
    using P = Pack<Real, W>;
    copy(u, x);
    P log_determinant(log_volume_);
    for (const auto& coupling : layout_.couplings()) {
      const Memory<W> own = condition<W>(coupling, x, memory);
      const std::size_t raws = raw_count(coupling) * W;
      for (std::size_t m = 0; m < coupling.moved.size(); ++m) {
        const P before = x[coupling.moved[m]];
        before.store(own.before + m * W);
        const Real* raw = own.raw + m * raws;
        P value = before;
        if (coupling.has_spline) {
          const auto moved = spline<W>(raw + first_of_spline<W>(coupling)).apply(value);
          value = moved.value;
          log_determinant = log_determinant + moved.log_slope;
        }
        if (coupling.has_affine) {
          const P s = log_scale<W>(P::load(raw + W));
          value = fma(value, exp(s), P::load(raw));
          log_determinant = log_determinant + s;
        }
        x.store(coupling.moved[m], value);
      }
      memory += stride;
    }
    for (int i = 0; i < dimension(); ++i) x.store(i, fma(x[i], P(scales_[i]), P(shift(i))));
    return log_determinant;
  }

  template <int W>
  Pack<Real, W> backward(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& u, Real* memory,
                         std::size_t stride) const {
    using P = Pack<Real, W>;
    for (int i = 0; i < dimension(); ++i) u.store(i, (x[i] - P(shift(i))) / P(scales_[i]));
    P log_determinant(-log_volume_);
    for (std::size_t c = layout_.couplings().size(); c-- > 0;) {
      const auto& coupling = layout_.couplings()[c];
      const Memory<W> own = condition<W>(coupling, u, memory + c * stride);
      const std::size_t raws = raw_count(coupling) * W;
      for (std::size_t m = 0; m < coupling.moved.size(); ++m) {
        P value = u[coupling.moved[m]];
        const Real* raw = own.raw + m * raws;
        if (coupling.has_affine) {
          const P s = log_scale<W>(P::load(raw + W));
          value = (value - P::load(raw)) * exp(-s);
          log_determinant = log_determinant - s;
        }
        if (coupling.has_spline) {
          const auto moved = spline<W>(raw + first_of_spline<W>(coupling)).invert(value);
          value = moved.value;
          log_determinant = log_determinant + moved.log_slope;
        }
        value.store(own.before + m * W);
        u.store(coupling.moved[m], value);
      }
    }
    return log_determinant;
  }

  /// Adjoints of the moved coordinates through one layer, then those of the network's inputs, added to what stayed.
  template <bool inverse, int W>
  void pull_back_coupling(std::size_t c, Pack<Real, W> of_log, const InterleavedVector<Real, W>& adjoint,
                          const Real* tape, Real* gradient, Real* scratch) const {
    using P = Pack<Real, W>;
    const auto& coupling = layout_.couplings()[c];
    const Memory<W> own(coupling, const_cast<Real*>(tape) + c * layout_.reals_per_coupling() * W);
    const std::size_t raws = raw_count(coupling) * W;
    Real* of_raw = scratch;
    Real* of_in = of_raw + static_cast<std::size_t>(coupling.network.outs) * W;
    for (std::size_t m = 0; m < coupling.moved.size(); ++m) {
      const int i = coupling.moved[m];
      adjoint.store(i, inverse ? pull_back_inverse_move<W>(coupling, own.raw + m * raws, P::load(own.before + m * W),
                                                           adjoint[i], of_log, of_raw + m * raws)
                               : pull_back_move<W>(coupling, own.raw + m * raws, P::load(own.before + m * W),
                                                   adjoint[i], of_log, of_raw + m * raws));
    }
    coupling.network.template pull_back<Real, W>(parameters_.data() + coupling.offset, own.keep, of_raw, of_in,
                                                 gradient + coupling.offset, of_in + coupling.kept.size() * W);
    for (std::size_t k = 0; k < coupling.kept.size(); ++k) {
      adjoint.store(coupling.kept[k], adjoint[coupling.kept[k]] + P::load(of_in + k * W));
    }
  }

  /// One coordinate's move, from `before` on u's side: with the adjoint of where it went, returns that of `before` and
  /// writes those of the raw numbers.
  template <int W>
  Pack<Real, W> pull_back_move(const FlowLayout::Coupling& coupling, const Real* raw, Pack<Real, W> before,
                               Pack<Real, W> of_value, Pack<Real, W> of_log, Real* of_raw) const {
    using P = Pack<Real, W>;
    const auto curve = spline<W>(raw + first_of_spline<W>(coupling));
    if (coupling.has_affine) {
      const P middle = coupling.has_spline ? curve.apply(before).value : before;
      const P t = tanh(P::load(raw + W) * (Real(1) / cap)), through = of_value * exp(cap * t);
      of_value.store(of_raw);
      (fma(through, middle, of_log) * (Real(1) - t * t)).store(of_raw + W);
      of_value = through;
    }
    return coupling.has_spline ? curve.pull_back(before, of_value, of_log, of_raw + first_of_spline<W>(coupling))
                               : of_value;
  }
  /// The same of the inverse: with the adjoint of `before`, returns that of where the coordinate came from.
  template <int W>
  Pack<Real, W> pull_back_inverse_move(const FlowLayout::Coupling& coupling, const Real* raw, Pack<Real, W> before,
                                       Pack<Real, W> of_before, Pack<Real, W> of_log, Real* of_raw) const {
    using P = Pack<Real, W>;
    const auto curve = spline<W>(raw + first_of_spline<W>(coupling));
    P of_value = of_before;
    if (coupling.has_spline) {
      of_value = curve.pull_back_inverse(before, of_before, of_log, of_raw + first_of_spline<W>(coupling));
    }
    if (coupling.has_affine) {
      const P middle = coupling.has_spline ? curve.apply(before).value : before;
      const P t = tanh(P::load(raw + W) * (Real(1) / cap)), through = of_value * exp(-(cap * t));
      (-through).store(of_raw);
      (-fma(of_value, middle, of_log) * (Real(1) - t * t)).store(of_raw + W);
      of_value = through;
    }
    return of_value;
  }

  FlowLayout layout_;
  std::vector<Real> parameters_, scales_;
  Real log_volume_ = 0;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
