// Transport elliptical slice: the authors' own rule makes the same decisions, moments are right through flows of every
// kind and when a flow changes, and the same checks reject mistakes made on purpose.
#include <gtest/gtest.h>

#include <cmath>

#include "breakstep/runtime/transported.hpp"
#include "breakstep/sampler/elliptical_slice.hpp"
#include "breakstep/target/banana.hpp"
#include "breakstep/target/synthetic.hpp"
#include "moments.hpp"

namespace {

using namespace sampler_test;
using lanes::InterleavedVector;
using lanes::Pack;
using lanes::Storage;
using sampler::EllipticalSlice;
using target::Banana;
using target::FlowKind;

constexpr int width = 4;
using Transported = target::Transported<Banana>;

/// A flow that stretches x₀ as the banana does but fits badly otherwise.
target::FlowNumbers bent(FlowKind kind, std::uint64_t seed) {
  const target::FlowShape shape{.dimension = 2, .kind = kind, .layers = 4, .hidden = 6, .depth = 1};
  target::FlowNumbers flow = target::identity_flow(shape, seed);
  target::Synthetic random(seed + 1);
  for (double& p : flow.parameters) p += 0.2 * random.normal();
  const target::FlowLayout layout(shape);
  flow.parameters[layout.log_scales()] = std::log(8.0);
  flow.parameters[layout.log_scales() + 1] = std::log(3.0);
  return flow;
}

std::shared_ptr<const Transported> through(const target::FlowNumbers& flow) {
  return std::make_shared<const Transported>(Transported{std::make_shared<const Banana>(), flow});
}

std::vector<double> exact_draws(std::size_t count) {
  std::vector<double> positions;
  target::Synthetic random(99);
  for (std::size_t c = 0; c < count; ++c) {
    const double x = 10 * random.normal();
    positions.insert(positions.end(), {x, 0.03 * (x * x - 100) + random.normal()});
  }
  return positions;
}

std::vector<Known> banana_moments() {
  return {{"mean 0", 0, [](const double* x) { return x[0]; }},
          {"mean 1", 0, [](const double* x) { return x[1]; }},
          {"variance 0", 100, [](const double* x) { return x[0] * x[0]; }},
          {"variance 1", 19, [](const double* x) { return x[1] * x[1]; }},
          {"across", 1, [](const double* x) { return std::pow(x[1] - 0.03 * (x[0] * x[0] - 100), 2); }},
          {"median 0", 0.5, [](const double* x) { return x[0] > 0 ? 1.0 : 0.0; }}};
}

const runtime::SampleOptions job{.chains = 2048,
                                 .draws = 20,
                                 .seed = 4,
                                 .starts = {.kind = runtime::Starts::Kind::given, .positions = exact_draws(2048)}};

/// Chains that begin in the target's distribution stay in it, draw by draw.
double worst_of(runtime::Run<double>& run) { return worst_z(runtime::draw_all(run, job), 0, banana_moments()); }

TEST(TransportSlice, MomentsThroughFlowsOfEveryKind) {
  for (const auto kind : {FlowKind::shift_scale, FlowKind::affine, FlowKind::spline, FlowKind::affine_spline}) {
    const auto run = runtime::make_run<double, width, Storage::interleaved>(EllipticalSlice{}, through(bent(kind, 3)),
                                                                            job.seed, job.chains);
    EXPECT_LT(worst_of(*run), limit) << name_of(kind);
  }
}

/// The rule as Cabezas and Nemeth (2023) write it, for one chain and one draw, with the random numbers that the sampler
/// uses: returns the next u and counts the shrinks.
struct Authors {
  const target::Flow<double>& flow;
  const Banana banana = {};
  int shrinks = 0;

  [[nodiscard]] double log_pulled_back(const double (&u)[2]) const {
    const auto memory = lanes::aligned_zeros<double>(2);
    const auto workspace = lanes::aligned_zeros<double>(flow.workspace<1>());
    memory[0] = u[0];
    memory[1] = u[1];
    const InterleavedVector<double, 1> x(memory.get(), 2);
    const double log_determinant = flow.apply(x, x, workspace.get())[0];
    return banana.log_density<double, 1>(x, nullptr)[0] + log_determinant;
  }
  static double log_normal(const double (&v)[2]) { return -0.5 * (v[0] * v[0] + v[1] * v[1]); }

  void next(double (&u)[2], std::uint64_t chain, std::uint64_t draw) {
    const lanes::Stream<double, 1> stream(job.seed, chain, draw);
    const auto normals = stream.normals(std::uint64_t{0}, EllipticalSlice::ellipse);
    const double v[2] = {normals[0][0], normals[1][0]};
    const auto uniform = stream.uniforms(std::uint64_t{0}, EllipticalSlice::level);
    const double threshold = log_pulled_back(u) + log_normal(v) + std::log(uniform[0][0]);
    double angle = 2 * M_PI * uniform[1][0], lowest = angle - 2 * M_PI, highest = angle;
    for (std::uint64_t round = 0;; ++round) {
      const double c = std::cos(angle), s = std::sin(angle);
      const double u_turned[2] = {u[0] * c + v[0] * s, u[1] * c + v[1] * s};
      const double v_turned[2] = {v[0] * c - u[0] * s, v[1] * c - u[1] * s};
      if (log_pulled_back(u_turned) + log_normal(v_turned) > threshold) {
        u[0] = u_turned[0];
        u[1] = u_turned[1];
        return;
      }
      (angle < 0 ? lowest : highest) = angle;
      angle = lowest + stream.uniforms(round, EllipticalSlice::shrinking)[0][0] * (highest - lowest);
      ++shrinks;
    }
  }
};

TEST(TransportSlice, MakesTheDecisionsOfTheAuthorsRule) {
  const lanes::FlushToZero scope;
  constexpr std::size_t chains = 200;
  const target::FlowNumbers numbers = bent(FlowKind::affine_spline, 3);
  const target::Flow<double> flow(numbers);
  const auto run =
      runtime::make_run<double, width, Storage::interleaved>(EllipticalSlice{}, through(numbers), job.seed, chains);
  auto options = job;
  options.chains = chains;
  options.starts.positions.resize(2 * chains);
  const auto draws = runtime::draw_all(*run, options);
  const auto workspace = lanes::aligned_zeros<double>(flow.workspace<1>());
  const auto u_of = [&](const double* position, double(&u)[2]) {
    const auto memory = lanes::aligned_zeros<double>(2);
    std::copy_n(position, 2, memory.get());
    const InterleavedVector<double, 1> x(memory.get(), 2);
    flow.invert(x, x, workspace.get());
    std::copy_n(memory.get(), 2, u);
  };
  Authors authors{flow};
  for (std::size_t c = 0; c < chains; ++c) {
    for (std::uint32_t t = 0; t < options.draws; ++t) {
      double u[2], drawn[2];
      u_of(t == 0 ? options.starts.positions.data() + 2 * c : draws.at(c, t - 1), u);
      authors.next(u, c, t);
      u_of(draws.at(c, t), drawn);
      ASSERT_NEAR(u[0], drawn[0], 1e-8) << "chain " << c << " draw " << t;
      ASSERT_NEAR(u[1], drawn[1], 1e-8) << "chain " << c << " draw " << t;
    }
  }
  // One evaluation at the first angle, then one for each shrink.
  EXPECT_EQ(draws.counters.evaluations_asked, chains * options.draws + static_cast<std::uint64_t>(authors.shrinks));
}

enum class Mistake { none, sign_of_determinant, no_normal };

/// The pulled-back likelihood, with a mistake.
class Mistaken final : public target::Density<double, width> {
 public:
  Mistaken(std::shared_ptr<const target::Flow<double>> flow, Mistake mistake)
      : flow_(std::move(flow)), mistake_(mistake) {}
  [[nodiscard]] int dimension() const override { return 2; }
  [[nodiscard]] std::size_t workspace() const override { return 64 + flow_->workspace<width>(); }
  [[nodiscard]] Pack<double, width> evaluate(const InterleavedVector<double, width>& u,
                                             double* workspace) const override {
    const InterleavedVector<double, width> x(workspace, 2);
    const auto log_determinant = flow_->apply(u, x, workspace + 64);
    const auto squares = dot(lanes::Mask<width>::all_lanes(), u, u);
    const auto density = Banana{}.log_density<double, width>(x, nullptr);
    return density + (mistake_ == Mistake::sign_of_determinant ? -log_determinant : log_determinant) +
           (mistake_ == Mistake::no_normal ? Pack<double, width>(0.0) : 0.5 * squares);
  }
  Pack<double, width> evaluate(const InterleavedVector<double, width>&, const InterleavedVector<double, width>&,
                               double*) const override {
    return {0.0};
  }

 private:
  std::shared_ptr<const target::Flow<double>> flow_;
  Mistake mistake_;
};

double worst_with(Mistake mistake) {
  const auto flow = std::make_shared<const target::Flow<double>>(bent(FlowKind::affine_spline, 3));
  const auto density = std::make_shared<const Mistaken>(flow, mistake);
  auto inner = std::make_unique<runtime::Engine<double, width>>(
      [] {
        return std::make_unique<runtime::SamplerPack<EllipticalSlice, double, width, Storage::interleaved>>(
            EllipticalSlice{}, job.seed, target::AffineMap<double>(2));
      },
      [density] { return std::make_unique<runtime::LaneEvaluator<double, width>>(*density); }, 2, job.chains);
  runtime::TransportedRun<double, width> run(std::move(inner), flow);
  return worst_of(run);
}

TEST(TransportSlice, TheAssembledTargetItselfIsRight) { EXPECT_LT(worst_with(Mistake::none), limit); }
TEST(TransportSlice, BrokenSignOfTheDeterminant) { EXPECT_GT(worst_with(Mistake::sign_of_determinant), limit); }
TEST(TransportSlice, BrokenWithoutTheNormalDensity) { EXPECT_GT(worst_with(Mistake::no_normal), limit); }

/// Chains make draws through one flow and go on through another: `move` says how they are taken over.
template <class Move>
double worst_after_a_change(Move move) {
  const auto before = runtime::make_run<double, width, Storage::interleaved>(
      EllipticalSlice{}, through(bent(FlowKind::affine, 3)), 1, job.chains);
  before->start(job.starts);
  before->advance(5, 5, {}, {});
  const auto after = runtime::make_run<double, width, Storage::interleaved>(
      EllipticalSlice{}, through(bent(FlowKind::spline, 8)), 2, job.chains);
  move(*before, *after);
  std::vector<double> values(2 * job.chains);
  const std::uint32_t made = after->records().draws(0);
  after->advance(made + 1, made + 1, {.data = values.data(), .first = made, .count = 1, .dimension = 2}, {});
  runtime::Draws<double> draws;
  draws.chains = job.chains;
  draws.draws = 1;
  draws.dimension = 2;
  draws.values = values;
  return worst_z(draws, 0, banana_moments());
}

TEST(TransportSlice, WhenTheFlowChangesChainsStayWhereTheyAre) {
  EXPECT_LT(worst_after_a_change([](auto& before, auto& after) {
              after.start({.kind = runtime::Starts::Kind::given, .positions = before.positions()});
            }),
            limit);
}
TEST(TransportSlice, BrokenWhenPositionsAreNotMappedBack) {
  EXPECT_GT(worst_after_a_change([](auto& before, auto& after) {
              after.start({});
              std::stringstream records;
              before.records().save(records);
              after.records().load(records);
            }),
            limit);
}

}  // namespace
