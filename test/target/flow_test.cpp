// Flows: inverse, determinants and gradients against finite differences, and the same bits at every width.
#include "breakstep/target/flow.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/memory.hpp"
#include "breakstep/target/synthetic.hpp"

namespace {

using namespace breakstep;
using lanes::InterleavedVector;
using lanes::Pack;
using target::Activation;
using target::Flow;
using target::FlowKind;
using target::FlowNumbers;
using target::FlowShape;

/// A flow far from the identity, but not so far that rounding is blown up beyond what the tests allow.
FlowNumbers bent(const FlowShape& shape, std::uint64_t seed) {
  FlowNumbers numbers = target::identity_flow(shape, seed);
  target::Synthetic random(seed + 1);
  for (double& p : numbers.parameters) p += 0.1 * random.normal();
  return numbers;
}

std::vector<FlowShape> shapes() {
  return {{.dimension = 1, .kind = FlowKind::affine_spline, .layers = 4, .hidden = 5},
          {.dimension = 3, .kind = FlowKind::shift_scale},
          {.dimension = 5, .kind = FlowKind::affine, .layers = 3, .hidden = 9, .depth = 1},
          {.dimension = 5, .kind = FlowKind::spline, .layers = 4, .hidden = 8, .bins = 6, .reach = 3},
          {.dimension = 4, .kind = FlowKind::spline, .layers = 2, .hidden = 7, .depth = 0},
          {.dimension = 7, .kind = FlowKind::affine_spline, .layers = 4, .hidden = 11, .layer_norm = true},
          {.dimension = 4, .kind = FlowKind::affine_spline, .layers = 3, .hidden = 8, .activation = Activation::silu},
          {.dimension = 4, .kind = FlowKind::affine, .layers = 2, .layer_norm = true, .activation = Activation::relu}};
}

std::string words(const FlowShape& s) {
  return name_of(s.kind) + " " + name_of(s.activation) + " in " + std::to_string(s.dimension) + "-d" +
         (s.layer_norm ? " with layer norm" : "");
}

template <class Real, int W>
struct Batch {
  explicit Batch(int d)
      : memory(lanes::aligned_zeros<Real>(InterleavedVector<Real, W>::elements(d))), vector(memory.get(), d) {}
  lanes::AlignedArray<Real> memory;
  InterleavedVector<Real, W> vector;
};

template <class Real, int W>
Batch<Real, W> positions(int d, double spread = 2) {
  Batch<Real, W> batch(d);
  target::Synthetic random(77);
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < d; ++i) batch.vector.set(lane, i, static_cast<Real>(spread * random.normal()));
  }
  return batch;
}

struct Through {
  std::vector<double> to;
  double log_determinant;
};
Through pushed(const Flow<double>& flow, const std::vector<double>& from, bool inverse = false) {
  const lanes::FlushToZero scope;
  Batch<double, 1> x(flow.dimension());
  std::copy(from.begin(), from.end(), x.memory.get());
  const auto workspace = lanes::aligned_zeros<double>(flow.workspace<1>());
  const auto log_det =
      inverse ? flow.invert(x.vector, x.vector, workspace.get()) : flow.apply(x.vector, x.vector, workspace.get());
  return {{x.memory.get(), x.memory.get() + flow.dimension()}, log_det[0]};
}

TEST(Flow, BeginsAsTheIdentity) {
  for (const FlowShape& shape : shapes()) {
    const Flow<double> flow(target::identity_flow(shape, 3));
    const std::vector<double> u(static_cast<std::size_t>(shape.dimension), 0.7);
    const Through x = pushed(flow, u);
    for (const double xi : x.to) EXPECT_NEAR(xi, 0.7, 1e-12) << words(shape);
    EXPECT_NEAR(x.log_determinant, 0, 1e-12) << words(shape);
  }
}

TEST(Flow, TheInverseUndoesIt) {
  for (const FlowShape& shape : shapes()) {
    const Flow<double> flow(bent(shape, 5));
    target::Synthetic random(9);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> u(static_cast<std::size_t>(shape.dimension));
      for (double& ui : u) ui = 2.5 * random.normal();
      const Through x = pushed(flow, u), back = pushed(flow, x.to, true);
      for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(back.to[i], u[i], 1e-10) << words(shape);
      EXPECT_NEAR(back.log_determinant, -x.log_determinant, 1e-10) << words(shape);
    }
  }
}

/// log|det| of a small matrix by elimination with pivots.
double log_determinant(std::vector<std::vector<double>> a) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    sum += std::log(std::abs(a[k][k]));
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < a.size(); ++j) a[i][j] -= factor * a[k][j];
    }
  }
  return sum;
}

TEST(Flow, DeterminantsAgreeWithFiniteDifferences) {
  for (const FlowShape& shape : shapes()) {
    const Flow<double> flow(bent(shape, 6));
    target::Synthetic random(10);
    for (int trial = 0; trial < 10; ++trial) {
      const auto d = static_cast<std::size_t>(shape.dimension);
      std::vector<double> u(d);
      for (double& ui : u) ui = 1.5 * random.normal();
      std::vector<std::vector<double>> jacobian(d, std::vector<double>(d));
      constexpr double h = 1e-6;
      for (std::size_t j = 0; j < d; ++j) {
        auto up = u, down = u;
        up[j] += h;
        down[j] -= h;
        const auto high = pushed(flow, up).to, low = pushed(flow, down).to;
        for (std::size_t i = 0; i < d; ++i) jacobian[i][j] = (high[i] - low[i]) / (2 * h);
      }
      EXPECT_NEAR(pushed(flow, u).log_determinant, log_determinant(jacobian), 1e-5) << words(shape);
    }
  }
}

/// f = Σ over lanes of Σᵢ cᵢ·xᵢ + ½·xᵢ² + 0.3·log-determinant, by T or by its inverse.
template <int W>
double value_of(const Flow<double>& flow, const InterleavedVector<double, W>& from, bool inverse) {
  Batch<double, W> to(flow.dimension());
  const auto workspace = lanes::aligned_zeros<double>(flow.workspace<W>());
  const auto log_det =
      inverse ? flow.invert(from, to.vector, workspace.get()) : flow.apply(from, to.vector, workspace.get());
  Pack<double, W> sum = 0.3 * log_det;
  for (int i = 0; i < flow.dimension(); ++i) sum = sum + to.vector[i] * (0.1 * (i + 1) + 0.5 * to.vector[i]);
  double total = 0;
  for (int lane = 0; lane < W; ++lane) total += sum[lane];
  return total;
}

template <int W>
struct Gradients {
  std::vector<double> of_parameters;
  Batch<double, W> of_position;
};
template <int W>
Gradients<W> gradients_of(const Flow<double>& flow, const InterleavedVector<double, W>& from, bool inverse) {
  const int d = flow.dimension();
  Gradients<W> g{std::vector<double>(flow.layout().parameters()), Batch<double, W>(d)};
  Batch<double, W> to(d);
  const auto tape = lanes::aligned_zeros<double>(flow.tape<W>());
  const auto scratch = lanes::aligned_zeros<double>(flow.layout().scratch() * W);
  inverse ? flow.record_inverse(from, to.vector, tape.get()) : flow.record(from, to.vector, tape.get());
  for (int i = 0; i < d; ++i) g.of_position.vector.store(i, to.vector[i] + 0.1 * (i + 1));
  const Pack<double, W> of_log(0.3);
  if (inverse) {
    flow.pull_back_inverse(from, of_log, g.of_position.vector, tape.get(), g.of_parameters.data(), scratch.get());
  } else {
    flow.pull_back(to.vector, of_log, g.of_position.vector, tape.get(), g.of_parameters.data(), scratch.get());
  }
  return g;
}

void check_gradients(const FlowShape& shape, bool inverse) {
  const lanes::FlushToZero scope;
  constexpr int width = 4;
  constexpr double h = 1e-5;
  FlowNumbers numbers = bent(shape, 12);
  const Flow<double> flow(numbers);
  auto from = positions<double, width>(shape.dimension, 1.2);
  const auto g = gradients_of<width>(flow, from.vector, inverse);
  for (std::size_t p = 0; p < numbers.parameters.size(); ++p) {
    const auto at = [&](double by) {
      FlowNumbers moved = numbers;
      moved.parameters[p] += by;
      return value_of<width>(Flow<double>(moved), from.vector, inverse);
    };
    const double expected = (at(h) - at(-h)) / (2 * h);
    ASSERT_NEAR(g.of_parameters[p], expected, 1e-5 * (1 + std::abs(expected)))
        << words(shape) << (inverse ? " inverse" : "") << " parameter " << p;
  }
  for (int i = 0; i < shape.dimension; ++i) {
    const double here = from.vector.at(1, i);
    const auto at = [&](double by) {
      from.vector.set(1, i, here + by);
      return value_of<width>(flow, from.vector, inverse);
    };
    const double expected = (at(h) - at(-h)) / (2 * h);
    from.vector.set(1, i, here);
    EXPECT_NEAR(g.of_position.vector.at(1, i), expected, 1e-5 * (1 + std::abs(expected)))
        << words(shape) << (inverse ? " inverse" : "") << " coordinate " << i;
  }
}

TEST(Flow, GradientsAgreeWithFiniteDifferences) {
  for (const FlowShape& shape : shapes()) check_gradients(shape, false);
}
TEST(Flow, GradientsOfTheInverseAgreeWithFiniteDifferences) {
  for (const FlowShape& shape : shapes()) check_gradients(shape, true);
}

template <class Real, int W>
void check_width() {
  const lanes::FlushToZero scope;
  for (const FlowShape& shape : shapes()) {
    const Flow<Real> flow(bent(shape, 5));
    auto batch = positions<Real, W>(shape.dimension);
    std::vector<Batch<Real, 1>> ones;
    for (int lane = 0; lane < W; ++lane) {
      ones.emplace_back(shape.dimension);
      for (int i = 0; i < shape.dimension; ++i) ones.back().vector.set(0, i, batch.vector.at(lane, i));
    }
    const auto workspace = lanes::aligned_zeros<Real>(flow.template workspace<W>());
    for (const bool inverse : {false, true}) {
      const auto all = inverse ? flow.invert(batch.vector, batch.vector, workspace.get())
                               : flow.apply(batch.vector, batch.vector, workspace.get());
      for (int lane = 0; lane < W; ++lane) {
        const auto& x = ones[static_cast<std::size_t>(lane)].vector;
        const auto one = inverse ? flow.invert(x, x, workspace.get()) : flow.apply(x, x, workspace.get());
        using Bits = lanes::Unsigned<sizeof(Real)>;
        ASSERT_EQ(std::bit_cast<Bits>(one[0]), std::bit_cast<Bits>(all[lane])) << words(shape);
        for (int i = 0; i < shape.dimension; ++i) {
          ASSERT_EQ(std::bit_cast<Bits>(x.at(0, i)), std::bit_cast<Bits>(batch.vector.at(lane, i))) << words(shape);
        }
      }
    }
  }
}

TEST(Flow, TheSameBitsAtEveryWidth) {
  check_width<double, 8>();
  check_width<float, 8>();
#ifndef BREAKSTEP_FEW_WIDTHS
  check_width<double, 4>();
  check_width<double, 16>();
  check_width<float, 16>();
#endif
}

TEST(Flow, ShapesThatMakeNoSenseAreRefused) {
  for (const FlowShape& shape : {FlowShape{.dimension = 0}, FlowShape{.bins = 1}, FlowShape{.bins = 33},
                                 FlowShape{.hidden = 0}, FlowShape{.reach = -1}}) {
    EXPECT_THROW(target::FlowLayout{shape}, Error);
  }
}

}  // namespace
