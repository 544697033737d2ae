// Differentiated: models become targets with gradients, by duals and on the tape, in threads and through sample().
#include "breakstep/target/differentiated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/runtime/sample.hpp"
#include "breakstep/sampler/slice.hpp"

namespace {

using namespace breakstep;
using target::Differentiated;
using target::InterleavedVector;

struct Banana {
  static int dimension() { return 2; }
  template <class Number>
  Number log_density(const target::Position<Number>& x) const {
    return -square(x[0]) - square(x[1] - square(x[0])) * 4;
  }
};
struct ForwardBanana : Banana {
  static constexpr auto gradient = target::Gradient::forward;
};

/// Uses every kind of parameter, so that the gradients of all transforms are checked.
struct Everything {
  target::DataVector y{0.4, 1.2, -0.3, 0.9};
  target::Parameters parameters{
      target::real("mean"),       target::affine("shift", 2, 1.0, 0.5), target::positive("sigma"),
      target::lower("low", -1.0), target::upper("high", 2.0),           target::interval("rate", 2, -1.0, 4.0),
      target::ordered("cut", 3),  target::simplex("theta", 4),          target::cholesky_correlation("L", 3)};

  template <class Number>
  Number log_density(const target::Constrained<Number>& p) const {
    const Number sigma = p.number("sigma");
    const auto weights = target::make_vector<Number>(4, [&](int) { return p.number("mean"); });
    Number sum = target::normal_lpdf(y, weights, sigma) - sigma;
    const auto theta = p.vector("theta");
    sum = sum + dot(y, theta) + log(theta[3]) + target::normal_lpdf(p.vector("rate"), p.number("low"), sigma);
    sum = sum + target::normal_lpdf(p.number("high"), p.vector("shift")[1], sigma);
    sum = sum + target::multi_normal_cholesky_lpdf(p.vector("cut"), theta.slice(0, 3), p.vector("L"));
    return sum;
  }
};
struct ForwardEverything : Everything {
  static constexpr auto gradient = target::Gradient::forward;
};

struct NotAModel {
  static int dimension() { return 1; }
};
static_assert(target::Model<Banana> && target::Model<Everything> && !target::Model<NotAModel>);
static_assert(target::HasGradient<Differentiated<Banana>> && target::HasGradient<Differentiated<Everything>>);
static_assert(!target::LaneTarget<Banana> && !target::Model<Differentiated<Banana>>);

/// Value and gradient, lane by lane, through the erased density.
template <class Real, int W, class Model>
std::vector<std::vector<Real>> evaluate(const Model& model, int shift = 0) {
  const lanes::FlushToZero scope;
  const auto shared = std::make_shared<const Differentiated<Model>>(model);
  const auto density = target::make_density<Real, W>(shared, target::Asks::gradient);
  const int n = density->dimension();
  const auto memory = lanes::aligned_zeros<Real>(static_cast<std::size_t>(2 * n) * W);
  const InterleavedVector<Real, W> x(memory.get(), n), gradient(memory.get() + n * W, n);
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < n; ++i) x.set(lane, i, static_cast<Real>(std::sin(0.8 * i + 0.6 * lane + shift)));
  }
  const auto workspace = lanes::aligned_zeros<Real>(density->workspace());
  const auto value = density->evaluate(x, gradient, workspace.get());
  const auto alone = density->evaluate(x, workspace.get());
  std::vector<std::vector<Real>> result(W);
  for (int lane = 0; lane < W; ++lane) {
    EXPECT_EQ(value[lane], alone[lane]);
    result[lane].push_back(value[lane]);
    for (int i = 0; i < n; ++i) result[lane].push_back(gradient.at(lane, i));
  }
  return result;
}

template <class Model>
void expect_the_gradient_of_differences(const Model& model) {
  const lanes::FlushToZero scope;
  const Differentiated<Model> target{model};
  const int n = target.dimension();
  const auto found = evaluate<double, 1>(model)[0];
  const auto value_at = [&](int coordinate, double step) {
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i) x[i] = std::sin(0.8 * i) + (i == coordinate ? step : 0);
    return target.template log_density<double, 1>(InterleavedVector<double, 1>(x.data(), n), nullptr)[0];
  };
  for (int i = 0; i < n; ++i) {
    const auto central = [&](double h) { return (value_at(i, h) - value_at(i, -h)) / (2 * h); };
    const double expected = (4 * central(5e-4) - central(1e-3)) / 3;
    EXPECT_NEAR(found[i + 1], expected, 1e-8 * std::max(1.0, std::abs(expected))) << "coordinate " << i;
  }
}

TEST(Differentiated, GradientsAgreeWithDifferences) {
  expect_the_gradient_of_differences(Banana{});
  expect_the_gradient_of_differences(ForwardBanana{});
  expect_the_gradient_of_differences(Everything{});
  expect_the_gradient_of_differences(ForwardEverything{});
}

TEST(Differentiated, TheSameBitsAtEveryWidth) {
  const Everything model;
  const auto wide = evaluate<float, 16>(model);
  EXPECT_EQ((evaluate<float, 1>(model)[0]), wide[0]);
  EXPECT_EQ((evaluate<float, 8>(model)[7]), wide[7]);
  EXPECT_EQ((evaluate<double, 1>(model)[0]), (evaluate<double, 4>(model)[0]));
  EXPECT_EQ((evaluate<float, 1>(ForwardEverything{})[0]), (evaluate<float, 8>(ForwardEverything{})[0]));
}

TEST(Differentiated, TwoThreadsAtOnce) {
  const Everything model;
  const auto first = evaluate<double, 4>(model, 1), second = evaluate<double, 4>(model, 2);
  int wrong[2] = {0, 0};
  {
    std::jthread a([&] {
      for (int k = 0; k < 300; ++k) wrong[0] += evaluate<double, 4>(model, 1) != first ? 1 : 0;
    });
    std::jthread b([&] {
      for (int k = 0; k < 300; ++k) wrong[1] += evaluate<double, 4>(model, 2) != second ? 1 : 0;
    });
  }
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}

/// log g of a gamma variable g of shape 3, by way of the positive transform: the Jacobian must be in it.
struct Gamma {
  target::Parameters parameters{target::positive("g")};
  template <class Number>
  Number log_density(const target::Constrained<Number>& p) const {
    return log(p.number("g")) * 2 - p.number("g");
  }
};

TEST(Differentiated, SampleTakesAModel) {
  const Gamma model;
  const auto draws =
      sample(sampler::Slice{.width = 1.0}, model, {.chains = 512, .draws = 400, .seed = 5, .threads = 2});
  double sum = 0, squares = 0, count = 0;
  for (std::size_t chain = 0; chain < draws.chains; ++chain) {
    for (std::uint32_t t = 100; t < draws.draws; ++t) {
      double g = 0;
      model.parameters.constrain(draws.at(chain, t), &g);
      sum += g;
      squares += g * g;
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 3, 0.05);  // mean and variance of the gamma distribution are both its shape
  EXPECT_NEAR(squares / count - sum / count * sum / count, 3, 0.15);
  const auto again = sample(sampler::Slice{.width = 1.0}, model,
                            {.chains = 512, .draws = 400, .seed = 5, .storage = lanes::Storage::contiguous});
  EXPECT_EQ(runtime::hash_of(draws.values), runtime::hash_of(again.values));
}

TEST(Differentiated, NamesComeFromTheParameters) {
  const auto names = Differentiated<Everything>{Everything{}}.parameters().unconstrained_names();
  EXPECT_EQ(names.size(), 17U);
  EXPECT_EQ(names[1], "unconstrained_shift[0]");
}

}  // namespace
