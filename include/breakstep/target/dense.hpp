// Small dense networks in lanes, with parameters shared by all lanes: what a flow's coupling layers are conditioned by.
#pragma once

#include <cstddef>
#include <vector>

#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/pack.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

enum class Activation { relu, tanh, silu };

namespace detail {

using lanes::Pack;

/// Lanes of W that share a register.
template <class Real, int W>
inline constexpr int register_width = W < lanes::native_width<Real> ? W : lanes::native_width<Real>;

/// out[j] = start[j] + Σₖ weights[j·row + k·column]·in[k] for `Tile` outputs from `first` on; each is one fma chain
/// over ascending k, so a tile's size never shows. Packs of several registers are taken apart: the compiler would keep
/// them in memory.
template <int Tile, class Real, int W>
BREAKSTEP_INLINE void dense_tile(const Real* weights, int row, int column, const Real* start, const Real* in, int ins,
                                 Real* out, int first) {
  constexpr int n = register_width<Real, W>, parts = W / n;
  using P = Pack<Real, n>;
  P sums[Tile][parts];
#pragma GCC unroll 8
  for (int r = 0; r < Tile; ++r) {
    const P begin = start == nullptr ? P(Real(0)) : P(start[first + r]);
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) sums[r][part] = begin;
  }
  const Real* tile = weights + static_cast<std::ptrdiff_t>(first) * row;
  for (int k = 0; k < ins; ++k) {
    const Real* x = in + static_cast<std::ptrdiff_t>(k) * W;
    const Real* w = tile + static_cast<std::ptrdiff_t>(k) * column;
#pragma GCC unroll 8
    for (int r = 0; r < Tile; ++r) {
      const P weight(w[static_cast<std::ptrdiff_t>(r) * row]);
#pragma GCC unroll 8
      for (int part = 0; part < parts; ++part) {
        sums[r][part] = fma(weight, P::load(x + static_cast<std::ptrdiff_t>(part) * n), sums[r][part]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Tile; ++r) {
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      sums[r][part].store(out + static_cast<std::ptrdiff_t>(first + r) * W + static_cast<std::ptrdiff_t>(part) * n);
    }
  }
}

template <class Real, int W>
void dense(const Real* weights, int row, int column, const Real* start, const Real* in, int ins, Real* out, int outs) {
  constexpr int parts = W / register_width<Real, W>, tile = parts >= 8 ? 1 : 8 / parts;
  int j = 0;
  for (; j + tile <= outs; j += tile) dense_tile<tile, Real, W>(weights, row, column, start, in, ins, out, j);
  for (; j < outs; ++j) dense_tile<1, Real, W>(weights, row, column, start, in, ins, out, j);
}

/// sums[j·ins + k] += Σ_b left[b][j]·right[b][k] over the W lanes b, ascending: the gradient of a layer's weights.
/// `left` and `right` lie lane by lane, with rows of `left_row` and `right_row`.
template <class Real, int W>
void add_products(const Real* left, int left_row, int outs, const Real* right, int right_row, int ins, Real* sums) {
  constexpr int n = lanes::native_width<Real>;
  using P = Pack<Real, n>;
  const auto tile = [&]<int Rows, int Columns>(int j, int k) {
    P s[Rows][Columns];  // in registers, as long as every index is known to the compiler
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) s[r][c] = P::load(sums + static_cast<std::ptrdiff_t>(j + r) * ins + k + c * n);
    }
    for (int b = 0; b < W; ++b) {
      const Real* l = left + static_cast<std::ptrdiff_t>(b) * left_row + j;
      const Real* x = right + static_cast<std::ptrdiff_t>(b) * right_row + k;
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c) s[r][c] = fma(P(l[r]), P::load(x + c * n), s[r][c]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) s[r][c].store(sums + static_cast<std::ptrdiff_t>(j + r) * ins + k + c * n);
    }
  };
  const auto rows = [&]<int Rows>(int j) {
    int k = 0;
    for (; k + 2 * n <= ins; k += 2 * n) tile.template operator()<Rows, 2>(j, k);
    for (; k + n <= ins; k += n) tile.template operator()<Rows, 1>(j, k);
    for (; k < ins; ++k) {
      for (int r = 0; r < Rows; ++r) {
        Pack<Real, 1> sum(sums[static_cast<std::ptrdiff_t>(j + r) * ins + k]);
        for (int b = 0; b < W; ++b) {
          sum = fma(Pack<Real, 1>(left[static_cast<std::ptrdiff_t>(b) * left_row + j + r]),
                    Pack<Real, 1>(right[static_cast<std::ptrdiff_t>(b) * right_row + k]), sum);
        }
        sums[static_cast<std::ptrdiff_t>(j + r) * ins + k] = sum[0];
      }
    }
  };
  int j = 0;
  for (; j + 4 <= outs; j += 4) rows.template operator()<4>(j);
  for (; j < outs; ++j) rows.template operator()<1>(j);
}

/// to[b·row + j] = from[j·W + b].
template <class Real, int W>
void transpose_lanes(const Real* from, int count, Real* to, int row) {
  for (int j = 0; j < count; ++j) {
    for (int b = 0; b < W; ++b) {
      to[static_cast<std::ptrdiff_t>(b) * row + j] = from[static_cast<std::ptrdiff_t>(j) * W + b];
    }
  }
}

}  // namespace detail

/// A network's shape: `depth` hidden layers of `hidden` units, then a linear layer without activation. Its parameters
/// lie in one row: of each layer the weights (output by output), the biases and, if normalised, gains and offsets.
struct Dense {
  int ins = 0, outs = 0, hidden = 32, depth = 2;
  bool layer_norm = false;
  Activation activation = Activation::tanh;

  [[nodiscard]] int layers() const { return ins == 0 ? 1 : depth + 1; }
  [[nodiscard]] bool is_last(int layer) const { return layer + 1 == layers(); }
  [[nodiscard]] int ins_of(int layer) const { return layer == 0 ? ins : hidden; }
  [[nodiscard]] int outs_of(int layer) const { return is_last(layer) ? outs : hidden; }
  [[nodiscard]] int parameters_of(int layer) const {
    return outs_of(layer) * (ins_of(layer) + (layer_norm && !is_last(layer) ? 3 : 1));
  }
  [[nodiscard]] int parameters() const {
    int sum = 0;
    for (int layer = 0; layer < layers(); ++layer) sum += parameters_of(layer);
    return sum;
  }
  [[nodiscard]] int widest() const {
    int most = ins > outs ? ins : outs;
    return hidden > most ? hidden : most;
  }

  /// Reals per lane that `apply` keeps for `pull_back`: of each hidden layer what goes in, before and after the norm.
  [[nodiscard]] int kept() const { return layers() * (3 * (hidden > ins ? hidden : ins) + 1); }

  /// `in` and `out` hold one pack per unit; `keep` has kept()·W reals, in which the inputs are copied.
  template <class Real, int W>
  void apply(const Real* parameters, const Real* in, Real* out, Real* keep) const {
    using P = lanes::Pack<Real, W>;
    Real* values = kept_values<Real, W>(keep, 0);
    for (int i = 0; i < ins; ++i)
      P::load(in + static_cast<std::ptrdiff_t>(i) * W).store(values + static_cast<std::ptrdiff_t>(i) * W);
    for (int layer = 0; layer < layers(); ++layer) {
      const int n = ins_of(layer), m = outs_of(layer);
      const Real* biases = parameters + static_cast<std::ptrdiff_t>(m) * n;
      const Real* from = kept_values<Real, W>(keep, layer);
      if (is_last(layer)) {
        detail::dense<Real, W>(parameters, n, 1, biases, from, n, out, m);
      } else {
        Real* sums = kept_sums<Real, W>(keep, layer);
        detail::dense<Real, W>(parameters, n, 1, biases, from, n, sums, m);
        if (layer_norm) normalise<Real, W>(biases + m, sums, kept_norms<Real, W>(keep, layer));
        activate<Real, W>(sums, kept_values<Real, W>(keep, layer + 1));
      }
      parameters += parameters_of(layer);
    }
  }

  /// With the adjoints of the outputs: adds the parameters' adjoints, summed over lanes in ascending order, to
  /// `gradient` and writes those of the inputs. `scratch` has scratch()·W reals; `out_adjoint` is not kept.
  template <class Real, int W>
  void pull_back(const Real* parameters, const Real* keep, Real* out_adjoint, Real* in_adjoint, Real* gradient,
                 Real* scratch) const {
    const std::ptrdiff_t row = widest();
    Real* left = scratch;
    Real* right = left + row * W;
    Real* here = right + row * W;
    Real* next = here + row * W;
    const Real* end = parameters + this->parameters();
    Real* gradient_end = gradient + this->parameters();
    Real* adjoint = out_adjoint;
    for (int layer = layers() - 1; layer >= 0; --layer) {
      const int n = ins_of(layer), m = outs_of(layer);
      end -= parameters_of(layer);
      gradient_end -= parameters_of(layer);
      const std::ptrdiff_t weights = static_cast<std::ptrdiff_t>(m) * n;
      if (!is_last(layer)) {
        deactivate<Real, W>(kept_sums<Real, W>(keep, layer), adjoint);
        if (layer_norm) {
          pull_back_norm<Real, W>(end + weights + m, kept_norms<Real, W>(keep, layer), adjoint,
                                  gradient_end + weights + m);
        }
      }
      detail::transpose_lanes<Real, W>(adjoint, m, left, m);
      detail::transpose_lanes<Real, W>(kept_values<Real, W>(keep, layer), n, right, n);
      detail::add_products<Real, W>(left, m, m, right, n, n, gradient_end);
      add_lanes<Real, W>(left, m, gradient_end + weights);
      Real* into = layer == 0 ? in_adjoint : adjoint == here ? next : here;
      if (n > 0) detail::dense<Real, W>(end, 1, n, nullptr, adjoint, m, into, n);
      adjoint = into;
    }
  }
  [[nodiscard]] int scratch() const { return 4 * widest(); }

 private:
  static constexpr double norm_floor = 1e-5;

  [[nodiscard]] std::ptrdiff_t units() const { return hidden > ins ? hidden : ins; }
  template <class Real, int W, class Pointer>
  [[nodiscard]] Pointer kept_values(Pointer keep, int layer) const {
    return keep + layer * (3 * units() + 1) * W;
  }
  template <class Real, int W, class Pointer>
  [[nodiscard]] Pointer kept_sums(Pointer keep, int layer) const {
    return kept_values<Real, W, Pointer>(keep, layer) + units() * W;
  }
  /// The normalised units, then the reciprocal of what they were divided by.
  template <class Real, int W, class Pointer>
  [[nodiscard]] Pointer kept_norms(Pointer keep, int layer) const {
    return kept_values<Real, W, Pointer>(keep, layer) + 2 * units() * W;
  }

  template <class Real, int W>
  static lanes::Pack<Real, W> at(const Real* values, int i) {
    return lanes::Pack<Real, W>::load(values + static_cast<std::ptrdiff_t>(i) * W);
  }
  template <class Real, int W>
  static void put(Real* values, int i, lanes::Pack<Real, W> value) {
    value.store(values + static_cast<std::ptrdiff_t>(i) * W);
  }

  template <class Real, int W>
  void activate(const Real* sums, Real* values) const {
    using P = lanes::Pack<Real, W>;
    for (int i = 0; i < hidden; ++i) {
      const P x = at<Real, W>(sums, i);
      switch (activation) {
        case Activation::relu:
          put<Real, W>(values, i, max(x, P(Real(0))));
          break;
        case Activation::tanh:
          put<Real, W>(values, i, tanh(x));
          break;
        default:
          put<Real, W>(values, i, x * logistic(x));
      }
    }
  }
  template <class Real, int W>
  void deactivate(const Real* sums, Real* adjoint) const {
    using P = lanes::Pack<Real, W>;
    for (int i = 0; i < hidden; ++i) {
      const P x = at<Real, W>(sums, i), a = at<Real, W>(adjoint, i);
      switch (activation) {
        case Activation::relu:
          put<Real, W>(adjoint, i, select(x > P(Real(0)), a, P(Real(0))));
          break;
        case Activation::tanh: {
          const P t = tanh(x);
          put<Real, W>(adjoint, i, a * (Real(1) - t * t));
          break;
        }
        default: {
          const P s = logistic(x);
          put<Real, W>(adjoint, i, a * fma(x * s, Real(1) - s, s));
        }
      }
    }
  }

  /// Units to mean 0 and variance 1 across the layer, then gain and offset (Ba, Kiros and Hinton 2016).
  template <class Real, int W>
  void normalise(const Real* gains, Real* sums, Real* norms) const {
    using P = lanes::Pack<Real, W>;
    const P share(static_cast<Real>(1.0 / hidden));
    P mean(Real(0)), squares(Real(0));
    for (int i = 0; i < hidden; ++i) mean = mean + at<Real, W>(sums, i);
    mean = mean * share;
    for (int i = 0; i < hidden; ++i) {
      const P x = at<Real, W>(sums, i) - mean;
      squares = fma(x, x, squares);
    }
    const P reciprocal = P(Real(1)) / sqrt(fma(squares, share, P(static_cast<Real>(norm_floor))));
    for (int i = 0; i < hidden; ++i) {
      const P x = (at<Real, W>(sums, i) - mean) * reciprocal;
      put<Real, W>(norms, i, x);
      put<Real, W>(sums, i, fma(x, P(gains[i]), P(gains[hidden + i])));
    }
    put<Real, W>(norms, hidden, reciprocal);
  }
  template <class Real, int W>
  void pull_back_norm(const Real* gains, const Real* norms, Real* adjoint, Real* gradient) const {
    using P = lanes::Pack<Real, W>;
    const P share(static_cast<Real>(1.0 / hidden)), reciprocal = at<Real, W>(norms, hidden);
    P mean(Real(0)), product(Real(0));
    for (int i = 0; i < hidden; ++i) {
      const P a = at<Real, W>(adjoint, i), x = at<Real, W>(norms, i), scaled = a * P(gains[i]);
      const P by_gain = a * x;
      for (int b = 0; b < W; ++b) {
        gradient[i] += by_gain[b];
        gradient[hidden + i] += a[b];
      }
      mean = mean + scaled;
      product = fma(scaled, x, product);
      put<Real, W>(adjoint, i, scaled);
    }
    mean = mean * share;
    product = product * share;
    for (int i = 0; i < hidden; ++i) {
      put<Real, W>(adjoint, i, reciprocal * (at<Real, W>(adjoint, i) - mean - at<Real, W>(norms, i) * product));
    }
  }

  /// sums[j] += Σ_b values[b][j].
  template <class Real, int W>
  static void add_lanes(const Real* values, int count, Real* sums) {
    for (int b = 0; b < W; ++b) {
      for (int j = 0; j < count; ++j) sums[j] += values[static_cast<std::ptrdiff_t>(b) * count + j];
    }
  }
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
