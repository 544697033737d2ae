// How fast flows are trained: steps and positions per second, one core, beside the multiply-adds that the machine can
// do. Those of a position are counted as three for each weight of the networks (there, and back to inputs and weights);
// activations, splines, the target's gradient and Adam are what the rest of the time goes into.
//
// Usage: bench_flow [--rounds N] [--seconds S] [--data-dir DIR]. Without DIR targets make up their data.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "breakstep/lanes/memory.hpp"
#include "breakstep/registry/target.hpp"
#include "breakstep/runtime/flow_training.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using namespace breakstep;
using Real = double;
constexpr int width = lanes::native_width<Real>;
using P = lanes::Pack<Real, width>;

/// Multiply-adds that the registers can do, with nothing from memory.
bench::Contestant multiply_adds() {
  constexpr int chains = 12, repeats = 10'000;
  return {"multiply-adds alone", double{chains} * repeats * width, [] {
            P sums[chains], factor(0.999999), term(1e-6);
            for (int i = 0; i < chains; ++i) sums[i] = P(Real(i));
            for (int k = 0; k < repeats; ++k) {
#pragma GCC unroll 12
              for (P& sum : sums) sum = fma(sum, factor, term);
            }
            volatile double seen = 0;
            for (const P& sum : sums) seen = seen + sum[0];
          }};
}

using Target = std::shared_ptr<const registry::AnyTarget>;

/// A batch of the target's gradients.
bench::Contestant gradients(const Target& target, std::size_t batch) {
  const std::shared_ptr<const runtime::FlowTrainer::Density> density =
      target->density(registry::Doubles{}, target::Asks::gradient);
  const int d = target->dimension();
  const auto room = [](std::size_t size) { return std::shared_ptr<Real[]>(lanes::aligned_zeros<Real>(size)); };
  const auto memory = room(2 * static_cast<std::size_t>(d) * width), workspace = room(density->workspace());
  return {"target's gradients alone", static_cast<double>(batch), [=] {
            const lanes::InterleavedVector<Real, width> x(memory.get(), d),
                gradient(memory.get() + static_cast<std::ptrdiff_t>(d) * width, d);
            for (std::size_t i = 0; i < batch; i += width) density->evaluate(x, gradient, workspace.get());
          }};
}

struct Shape {
  const char* name;
  target::FlowShape shape;
};

double weights_of(const target::FlowShape& shape) {
  const target::FlowLayout layout(shape);
  double weights = 0;
  for (const auto& coupling : layout.couplings()) {
    const target::Dense& network = coupling.network;
    for (int i = 0; i < network.layers(); ++i) weights += double{1} * network.ins_of(i) * network.outs_of(i);
  }
  return weights;
}

void print(const char* name, const char* file, const std::string& folder, const bench::Effort& effort) {
  const Target target = registry::make_target(name, {.data = folder.empty() ? "" : folder + "/" + file});
  const int d = target->dimension();
  const Shape shapes[] = {
      {"4 affine layers", {.dimension = d, .kind = target::FlowKind::affine, .layers = 4}},
      {"4 spline layers", {.dimension = d, .kind = target::FlowKind::spline, .layers = 4}},
      {"4 spline layers of 128", {.dimension = d, .kind = target::FlowKind::spline, .layers = 4, .hidden = 128}},
  };
  const runtime::TrainingOptions options;
  std::vector<bench::Contestant> contestants{multiply_adds(), gradients(target, options.batch)};
  for (const Shape& shape : shapes) {
    const auto trainer = std::make_shared<runtime::FlowTrainer>(
        target::identity_flow(shape.shape, 1), target->density(registry::Doubles{}, target::Asks::gradient), options,
        std::uint64_t{1});
    contestants.push_back({shape.name, static_cast<double>(options.batch), [trainer] { trainer->step(); }});
  }
  const auto timings = bench::time_interleaved(contestants, effort);
  const double peak = timings[0].median, own = 1 / timings[1].median;
  std::printf("%s (d = %d%s), batches of %zu, double; the machine does %.2f thousand million multiply-adds/s\n", name,
              d, folder.empty() ? ", made-up data" : "", options.batch, peak / 1e9);
  std::printf("  %-24s %9.0f positions/s\n", contestants[1].name.c_str(), timings[1].median);
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const bench::Timing& timing = timings[i + 2];
    const double weights = weights_of(shapes[i].shape), seconds = 1 / timing.median;
    std::printf(
        "  %-24s %9.0f positions/s (%.0f to %.0f), 400 steps in %.2f s; %.0f weights; the target takes %.0f %%; of "
        "peak %.0f %%, without the target %.0f %%\n",
        shapes[i].name, timing.median, timing.low, timing.high, 400.0 * static_cast<double>(options.batch) * seconds,
        weights, 100 * own / seconds, 100 * 3 * weights / seconds / peak, 100 * 3 * weights / (seconds - own) / peak);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::stay_on_one_core(true);
  const bench::Effort effort = bench::effort_from(argc, argv, {.rounds = 5, .seconds_per_round = 0.3});
  std::string folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--data-dir") folder = argv[i + 1];
  }
  print("german_credit", "german_credit.csv", folder, effort);
  print("google_stock", "google_stock.csv", folder, effort);
}
