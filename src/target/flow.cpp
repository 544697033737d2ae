// Flows: where their parameters are, and how they begin.
#include "breakstep/target/flow.hpp"

#include <algorithm>
#include <cmath>

#include "breakstep/error.hpp"
#include "breakstep/target/synthetic.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

void check(const FlowShape& shape) {
  const auto require = [](bool holds, const std::string& what, const char* why) {
    if (!holds) throw Error("a flow cannot have " + what, why, "correct its shape");
  };
  require(shape.dimension >= 1, std::to_string(shape.dimension) + " dimensions", "it needs at least 1");
  require(shape.layers >= 0 && shape.layers <= 1000, std::to_string(shape.layers) + " layers", "0 to 1000 make sense");
  require(shape.hidden >= 1 && shape.hidden <= 100'000, std::to_string(shape.hidden) + " hidden units",
          "1 to 100000 make sense");
  require(shape.depth >= 0 && shape.depth <= 100, std::to_string(shape.depth) + " hidden layers",
          "0 to 100 make sense");
  require(shape.bins >= 2 && shape.bins <= most_bins, std::to_string(shape.bins) + " bins", "2 to 32 make sense");
  require(shape.reach > 0 && std::isfinite(shape.reach), "a reach of " + std::to_string(shape.reach),
          "it must be positive");
}

/// Which coordinates layer `number` moves: two layers for each bit of a coordinate's number, so that any two
/// coordinates are parted by some of them. With one coordinate there is nothing to condition on: every layer moves it.
bool is_moved(int number, int i, int d) {
  if (d == 1) return true;
  const int bit = number / 2 % bits_of(d);
  return ((i >> bit) & 1) != number % 2;
}

}  // namespace

int bits_of(int dimension) {
  int bits = 0;
  while (bits < 30 && (1 << bits) < dimension) ++bits;
  return bits;
}

FlowLayout::FlowLayout(const FlowShape& shape) : shape_(shape) {
  check(shape);
  const int layers = shape.kind == FlowKind::shift_scale ? 0 : shape.layers;
  for (int number = 0; number < layers; ++number) {
    Coupling coupling{};
    coupling.has_spline = shape.kind != FlowKind::affine;
    coupling.has_affine = shape.kind != FlowKind::spline;
    for (int i = 0; i < shape.dimension; ++i) {
      (is_moved(number, i, shape.dimension) ? coupling.moved : coupling.kept).push_back(i);
    }
    const int raws =
        (coupling.has_spline ? Spline<double, 1>::raw_count(shape.bins) : 0) + (coupling.has_affine ? 2 : 0);
    coupling.network = {.ins = static_cast<int>(coupling.kept.size()),
                        .outs = raws * static_cast<int>(coupling.moved.size()),
                        .hidden = shape.hidden,
                        .depth = shape.depth,
                        .layer_norm = shape.layer_norm,
                        .activation = shape.activation};
    coupling.offset = shifts_;
    shifts_ += static_cast<std::size_t>(coupling.network.parameters());
    const auto d = static_cast<std::size_t>(shape.dimension), outs = static_cast<std::size_t>(coupling.network.outs);
    reals_per_coupling_ = std::max(reals_per_coupling_, static_cast<std::size_t>(coupling.network.kept()) + outs + d);
    scratch_ = std::max(scratch_, outs + d + static_cast<std::size_t>(coupling.network.scratch()));
    couplings_.push_back(std::move(coupling));
  }
}

FlowNumbers identity_flow(const FlowShape& shape, std::uint64_t seed) {
  const FlowLayout layout(shape);
  FlowNumbers numbers{.shape = shape, .parameters = std::vector<double>(layout.parameters())};
  Synthetic random(seed);
  for (const auto& coupling : layout.couplings()) {
    double* parameters = numbers.parameters.data() + coupling.offset;
    const Dense& network = coupling.network;
    for (int layer = 0; layer < network.layers(); ++layer) {
      const int weights = network.ins_of(layer) * network.outs_of(layer), units = network.outs_of(layer);
      if (!network.is_last(layer)) {
        const double sd = std::sqrt(1.0 / network.ins_of(layer));
        for (int i = 0; i < weights; ++i) parameters[i] = sd * random.normal();
        if (network.layer_norm) std::fill_n(parameters + weights + units, units, 1.0);
      }
      parameters += network.parameters_of(layer);
    }
  }
  return numbers;
}

std::string name_of(FlowKind kind) {
  switch (kind) {
    case FlowKind::shift_scale:
      return "shift-scale";
    case FlowKind::affine:
      return "affine";
    case FlowKind::spline:
      return "spline";
    default:
      return "affine-spline";
  }
}

std::string name_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    default:
      return "silu";
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
