// Rational-quadratic splines with linear tails (Durkan, Bekasov, Murray and Papamakarios 2019) in lanes: value,
// inverse, and what training needs.
//
// A spline of K bins maps (−reach, reach) onto itself and is the identity outside. It has 3K − 1 raw numbers: K for the
// widths of the bins and K for the heights, both through a softmax, and K − 1 for the slopes at the inner knots,
// through a softplus. All zeros are the identity.
#pragma once

#include <cmath>

#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

inline constexpr int most_bins = 32;

/// y and log|dy/dx|, or x and log|dx/dy|.
template <class Real, int W>
struct Moved {
  lanes::Pack<Real, W> value, log_slope;
};

/// One coordinate's spline in W lanes, each with raw numbers of its own.
template <class Real, int W>
class Spline {
 public:
  using P = lanes::Pack<Real, W>;

  /// Raw number i of all lanes lies at raw + i·W.
  Spline(const Real* raw, int bins, Real reach) : raw_(raw), bins_(bins), reach_(reach) {}

  static constexpr int raw_count(int bins) { return 3 * bins - 1; }

  [[nodiscard]] Moved<Real, W> apply(P x) const {
    const Bin bin = find<false>(x);
    const Curve c = curve(bin, (x - bin.left) / bin.width);
    const auto inside = is_inside(x);
    return {select(inside, fma(bin.height, c.ratio, bin.bottom), x), select(inside, c.log_slope(), P(Real(0)))};
  }

  [[nodiscard]] Moved<Real, W> invert(P y) const {
    const Bin bin = find<true>(y);
    const P v = y - bin.bottom, s = bin.height / bin.width, bend = bin.slope_left + bin.slope_right - Real(2) * s;
    const P a = fma(v, bend, bin.height * (s - bin.slope_left)), b = bin.height * bin.slope_left - v * bend;
    const P root = sqrt(max(fma(b, b, Real(4) * a * s * v), P(Real(0))));
    const P t = Real(2) * s * v / (b + root);
    const Curve c = curve(bin, t);
    const auto inside = is_inside(y);
    return {select(inside, fma(t, bin.width, bin.left), y), select(inside, -c.log_slope(), P(Real(0)))};
  }

  /// Of a function of y and log|dy/dx| with adjoints `of_y` and `of_log`: returns the adjoint of x and writes those of
  /// the raw numbers as raw numbers lie.
  P pull_back(P x, P of_y, P of_log, Real* raw_adjoint) const {
    const Bin bin = find<false>(x);
    const Curve c = curve(bin, (x - bin.left) / bin.width);
    const auto inside = is_inside(x);
    const P zero(Real(0)),
        inner = write_adjoint(bin, c, select(inside, of_y, zero), select(inside, of_log, zero), raw_adjoint);
    return select(inside, inner, of_y);
  }

  /// The same of a function of x and log|dx/dy|, y being what is given: returns the adjoint of y. With
  /// dx = (dy − ∂f/∂θ·dθ)/f′ this is the pull-back of f itself with other adjoints.
  P pull_back_inverse(P x, P of_x, P of_log, Real* raw_adjoint) const {
    const Bin bin = find<false>(x);
    const Curve c = curve(bin, (x - bin.left) / bin.width);
    const auto inside = is_inside(x);
    const P zero(Real(0));
    const P total = of_x - of_log * c.log_slope_by_t() / bin.width, of_y = total * bin.width / c.value_by_t(bin.height);
    write_adjoint(bin, c, select(inside, -of_y, zero), select(inside, -of_log, zero), raw_adjoint);
    return select(inside, of_y, of_x);
  }

 private:
  static constexpr Real least_share = Real(1e-3), least_slope = Real(1e-3);

  struct Bin {
    P left, width, bottom, height, slope_left, slope_right;
    P raw_left, raw_right;  ///< of the slopes
    P number;
  };

  /// y = bottom + height·N/D and dy/dx = s²·M/D² at t, the share of the bin's width left of x.
  struct Curve {
    P t, s, left, right, bend, up, n, d, m, ratio;
    [[nodiscard]] P log_slope() const {
      const P root = s / d;
      return log_of_positive(root * root * m);
    }
    [[nodiscard]] P n_by_t() const { return fma(Real(2) * s, t, left * (Real(1) - Real(2) * t)); }
    [[nodiscard]] P d_by_t() const { return bend * (Real(1) - Real(2) * t); }
    [[nodiscard]] P m_by_t() const {
      return Real(2) * (right * t + s * (Real(1) - Real(2) * t) - left * (Real(1) - t));
    }
    [[nodiscard]] P value_by_t(P height) const { return height * (n_by_t() - ratio * d_by_t()) / d; }
    [[nodiscard]] P log_slope_by_t() const { return m_by_t() / m - Real(2) * d_by_t() / d; }
  };

  [[nodiscard]] P raw(int i) const { return P::load(raw_ + static_cast<std::ptrdiff_t>(i) * W); }
  [[nodiscard]] auto is_inside(P x) const { return (x > P(-reach_)) & (x < P(reach_)); }

  /// The softplus of this is 1 less the least slope.
  static Real slope_offset() {
    static const Real offset = static_cast<Real>(std::log(std::expm1(1 - 1e-3)));
    return offset;
  }

  /// e^(raw − max) of the numbers from `first` on, and what turns them into widths.
  P exponentials(int first, P* e) const {
    P largest = raw(first);
    for (int i = 1; i < bins_; ++i) largest = max(raw(first + i), largest);
    P sum(Real(0));
    for (int i = 0; i < bins_; ++i) {
      e[i] = exp(raw(first + i) - largest);
      sum = sum + e[i];
    }
    return P(range()) / sum;
  }
  /// Of all widths together, what the softmax shares out; the rest is the least width of each bin.
  [[nodiscard]] Real range() const { return Real(2) * reach_ * (Real(1) - Real(bins_) * least_share); }
  [[nodiscard]] Real least() const { return Real(2) * reach_ * least_share; }

  /// The bin that holds x, or y if by_height. Beyond the ends it is the first or the last.
  template <bool by_height>
  [[nodiscard]] Bin find(P value) const {
    P widths[most_bins], heights[most_bins];
    const P width_scale = exponentials(0, widths), height_scale = exponentials(bins_, heights);
    const P one_raw(Real(0));
    Bin bin;
    P left(-reach_), bottom(-reach_);
    for (int i = 0; i < bins_; ++i) {
      const P width = fma(widths[i], width_scale, P(least())), height = fma(heights[i], height_scale, P(least()));
      const P raw_left = i > 0 ? raw(2 * bins_ + i - 1) : one_raw;
      const P raw_right = i + 1 < bins_ ? raw(2 * bins_ + i) : one_raw;
      if (i == 0) {
        bin = {left, width, bottom, height, P(Real(1)), P(Real(1)), raw_left, raw_right, P(Real(0))};
      } else {
        const auto reached = by_height ? value >= bottom : value >= left;
        bin.left = select(reached, left, bin.left);
        bin.width = select(reached, width, bin.width);
        bin.bottom = select(reached, bottom, bin.bottom);
        bin.height = select(reached, height, bin.height);
        bin.raw_left = select(reached, raw_left, bin.raw_left);
        bin.raw_right = select(reached, raw_right, bin.raw_right);
        bin.number = select(reached, P(Real(i)), bin.number);
      }
      left = left + width;
      bottom = bottom + height;
    }
    const P one(Real(1));
    bin.slope_left = select(is_first(bin), one, softplus(bin.raw_left + slope_offset()) + least_slope);
    bin.slope_right = select(is_last(bin), one, softplus(bin.raw_right + slope_offset()) + least_slope);
    return bin;
  }
  [[nodiscard]] auto is_first(const Bin& bin) const { return bin.number == P(Real(0)); }
  [[nodiscard]] auto is_last(const Bin& bin) const { return bin.number == P(Real(bins_ - 1)); }

  [[nodiscard]] static Curve curve(const Bin& bin, P t) {
    Curve c;
    c.t = t;
    c.s = bin.height / bin.width;
    c.left = bin.slope_left;
    c.right = bin.slope_right;
    c.bend = c.left + c.right - Real(2) * c.s;
    const P rest = Real(1) - t;
    c.up = t * rest;
    c.n = fma(c.s * t, t, c.left * c.up);
    c.d = fma(c.bend, c.up, c.s);
    c.m = fma(c.right * t, t, fma(Real(2) * c.s, c.up, c.left * (rest * rest)));
    c.ratio = c.n / c.d;
    return c;
  }

  /// With adjoints a of y and b of log|dy/dx|: writes those of the raw numbers and returns that of x.
  P write_adjoint(const Bin& bin, const Curve& c, P a, P b, Real* raw_adjoint) const {
    const P per_d = Real(1) / c.d, per_m = b / c.m, per_d2 = Real(-2) * b * per_d, value = a * bin.height * per_d;
    const auto through = [&](P n_by, P d_by, P m_by) {
      return fma(value, n_by - c.ratio * d_by, fma(per_m, m_by, per_d2 * d_by));
    };
    const P rest = Real(1) - c.t, none(Real(0));
    const P by_t = through(c.n_by_t(), c.d_by_t(), c.m_by_t());
    const P by_s = through(c.t * c.t, Real(1) - Real(2) * c.up, Real(2) * c.up) + Real(2) * b / c.s;
    const P by_left_slope = through(c.up, c.up, rest * rest), by_right_slope = through(none, c.up, c.t * c.t);
    const P per_width = Real(1) / bin.width, by_x = by_t * per_width;
    const P by_width = -(fma(by_s, c.s, by_t * c.t) * per_width), by_height = fma(a, c.ratio, by_s * per_width);
    write_shares(0, bin.number, -by_x, by_width, raw_adjoint);
    write_shares(bins_, bin.number, a, by_height, raw_adjoint);
    const P left = by_left_slope * logistic(bin.raw_left + slope_offset());
    const P right = by_right_slope * logistic(bin.raw_right + slope_offset());
    for (int i = 0; i + 1 < bins_; ++i) {
      const P at_left = select(bin.number == P(Real(i + 1)), left, none);
      select(bin.number == P(Real(i)), right, at_left)
          .store(raw_adjoint + static_cast<std::ptrdiff_t>(2 * bins_ + i) * W);
    }
    return by_x;
  }

  /// Through the softmax: `before` is the adjoint of each width before the bin, `own` that of the bin's.
  void write_shares(int first, P number, P before, P own, Real* raw_adjoint) const {
    P e[most_bins], adjoint[most_bins];
    const P scale = exponentials(first, e);
    P mean(Real(0));
    for (int i = 0; i < bins_; ++i) {
      const P here(static_cast<Real>(i));
      adjoint[i] = select(here < number, before, select(here == number, own, P(Real(0))));
      mean = fma(adjoint[i], e[i] * scale, mean);
    }
    mean = mean / P(range());
    for (int i = 0; i < bins_; ++i) {
      (e[i] * scale * (adjoint[i] - mean)).store(raw_adjoint + static_cast<std::ptrdiff_t>(first + i) * W);
    }
  }

  const Real* raw_;
  int bins_;
  Real reach_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
