// Transforms: log-Jacobians against determinants of differences, round trips, constraints kept, names.
#include "breakstep/target/transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../lanes/every_width.hpp"
#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/target/parameters.hpp"

namespace {

using namespace breakstep;
using target::Block;
using target::Parameters;

std::vector<double> constrained(const Parameters& parameters, const std::vector<double>& u) {
  std::vector<double> values(parameters.constrained_dimension());
  parameters.constrain(u.data(), values.data());
  return values;
}

double log_jacobian(const Parameters& parameters, const std::vector<double>& u) {
  const target::ArenaScope scope;
  using P = lanes::Pack<double, 1>;
  const auto position = target::make_vector<P>(parameters.dimension(), [&](int i) { return P(u[i]); });
  return parameters.constrain(position).log_jacobian[0];
}

/// The constrained numbers that are free: a simplex without its last, a factor without its diagonal.
std::vector<double> free_numbers(const Block& block, const std::vector<double>& values) {
  if (block.kind == Block::Kind::simplex) return {values.begin(), values.end() - 1};
  if (block.kind != Block::Kind::cholesky_correlation) return values;
  std::vector<double> result;
  for (int i = 0; i < block.size; ++i) {
    for (int j = 0; j < i; ++j) result.push_back(values[i * (i + 1) / 2 + j]);
  }
  return result;
}

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
      const double ratio = a[i][k] / a[k][k];
      for (std::size_t j = k; j < a.size(); ++j) a[i][j] -= ratio * a[k][j];
    }
  }
  return sum;
}

const std::vector<Block> every_kind = {target::real("x"),
                                       target::real("x", 3),
                                       target::positive("x", 2),
                                       target::lower("x", 2, -1.5),
                                       target::upper("x", 2, 0.7),
                                       target::interval("x", 3, -2.0, 5.0),
                                       target::affine("x", 2, 10.0, 0.3),
                                       target::ordered("x", 4),
                                       target::simplex("x", 2),
                                       target::simplex("x", 5),
                                       target::cholesky_correlation("x", 2),
                                       target::cholesky_correlation("x", 4)};

std::vector<double> some_position(int n, int which) {
  std::vector<double> u(n);
  for (int i = 0; i < n; ++i) u[i] = (1 + 0.5 * which) * std::sin(2.3 * i + 1.1 * which + 0.2);
  return u;
}

TEST(Transform, JacobianIsTheDeterminant) {
  const lanes::FlushToZero scope;
  for (const Block& block : every_kind) {
    const Parameters parameters{block};
    const int n = parameters.dimension();
    for (int which = 0; which < 4; ++which) {
      const auto u = some_position(n, which);
      std::vector<std::vector<double>> jacobian(n, std::vector<double>(n));
      for (int j = 0; j < n; ++j) {
        const auto column = [&](double h) {
          auto above = u, below = u;
          above[j] += h;
          below[j] -= h;
          const auto a = free_numbers(block, constrained(parameters, above));
          const auto b = free_numbers(block, constrained(parameters, below));
          std::vector<double> slopes(static_cast<std::size_t>(n));
          for (int i = 0; i < n; ++i) slopes[i] = (a[i] - b[i]) / (2 * h);
          return slopes;
        };
        const auto coarse = column(1e-3), fine = column(5e-4);
        for (int i = 0; i < n; ++i) jacobian[i][j] = (4 * fine[i] - coarse[i]) / 3;
      }
      EXPECT_NEAR(log_jacobian(parameters, u), log_determinant(jacobian), 1e-8)
          << "kind " << static_cast<int>(block.kind) << " size " << block.size << " position " << which;
    }
  }
}

TEST(Transform, ThereAndBack) {
  const lanes::FlushToZero scope;
  for (const Block& block : every_kind) {
    const Parameters parameters{target::real("before"), block, target::positive("after")};
    for (int which = 0; which < 4; ++which) {
      const auto u = some_position(parameters.dimension(), which);
      std::vector<double> back(u.size());
      parameters.unconstrain(constrained(parameters, u).data(), back.data());
      for (std::size_t i = 0; i < u.size(); ++i) {
        EXPECT_NEAR(back[i], u[i], 1e-12) << "kind " << static_cast<int>(block.kind) << " size " << block.size;
      }
    }
  }
}

TEST(Transform, ConstraintsHoldFarOut) {
  const lanes::FlushToZero scope;
  for (const double far : {-300.0, -40.0, 0.0, 40.0, 300.0}) {
    const auto between = constrained({target::interval("x", -2.0, 5.0)}, {far});
    EXPECT_GE(between[0], -2.0);
    EXPECT_LE(between[0], 5.0);
    const Parameters shares{target::simplex("x", 4)};
    double sum = 0;
    for (const double x : constrained(shares, {far, -far, 0.5 * far})) {
      EXPECT_GE(x, 0.0);
      sum += x;
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_TRUE(std::isfinite(log_jacobian(shares, {far, -far, 0.5 * far})));
    EXPECT_TRUE(std::isfinite(log_jacobian({target::cholesky_correlation("x", 3)}, {far, -far, 0.5 * far})));
  }
  for (const double x : constrained({target::simplex("x", 4)}, {0, 0, 0})) EXPECT_NEAR(x, 0.25, 1e-15);
}

TEST(Transform, CorrelationsAreCorrelations) {
  const lanes::FlushToZero scope;
  const int n = 5;
  const Parameters parameters{target::cholesky_correlation("L", n)};
  for (int which = 0; which < 5; ++which) {
    const auto l = constrained(parameters, some_position(parameters.dimension(), which));
    for (int i = 0; i < n; ++i) {
      double diagonal = 0;
      for (int j = 0; j <= i; ++j) diagonal += l[i * (i + 1) / 2 + j] * l[i * (i + 1) / 2 + j];
      EXPECT_NEAR(diagonal, 1, 1e-14);
      EXPECT_GT(l[i * (i + 1) / 2 + i], 0) << "not positive definite";
    }
  }
}

TEST(Transform, NamesAndSizes) {
  const Parameters parameters{target::real("alpha"), target::real("beta", 2), target::positive("sigma"),
                              target::simplex("theta", 3), target::cholesky_correlation("L", 2)};
  EXPECT_EQ(parameters.dimension(), 1 + 2 + 1 + 2 + 1);
  EXPECT_EQ(parameters.names(), (std::vector<std::string>{"alpha", "beta[0]", "beta[1]", "sigma", "theta[0]",
                                                          "theta[1]", "theta[2]", "L[0,0]", "L[1,0]", "L[1,1]"}));
  EXPECT_EQ(parameters.constrained_dimension(), static_cast<int>(parameters.names().size()));
  EXPECT_EQ(parameters.unconstrained_names(),
            (std::vector<std::string>{"alpha", "beta[0]", "beta[1]", "log_sigma", "unconstrained_theta[0]",
                                      "unconstrained_theta[1]", "unconstrained_L[0]"}));
}

TEST(Transform, MistakesAreNamed) {
  EXPECT_THROW((Parameters{target::real("a"), target::positive("a")}), Error);
  EXPECT_THROW((Parameters{target::interval("a", 2.0, 1.0)}), Error);
  EXPECT_THROW((Parameters{target::affine("a", 0.0, -1.0)}), Error);
  EXPECT_THROW((Parameters{target::simplex("a", 0)}), Error);
  const Parameters sigma{target::positive("sigma")};
  const double minus_one = -1;
  double u = 0;
  EXPECT_THROW(sigma.unconstrain(&minus_one, &u), Error);
  EXPECT_THROW(static_cast<void>(sigma.index_of("tau")), Error);
}

template <class T, int W>
std::vector<T> constrained_in_lane(const Parameters& parameters, int lane) {
  const int n = parameters.dimension(), m = parameters.constrained_dimension();
  const auto memory = lanes::aligned_zeros<T>(static_cast<std::size_t>(n + m) * W);
  const target::InterleavedVector<T, W> u(memory.get(), n), out(memory.get() + n * W, m);
  for (int k = 0; k < W; ++k) {
    const auto position = some_position(n, k == lane ? 1 : k + 2);
    for (int i = 0; i < n; ++i) u.set(k, i, static_cast<T>(position[i]));
  }
  parameters.constrain(u, out);
  std::vector<T> values(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) values[i] = out.at(lane, i);
  return values;
}

template <class T>
void expect_the_same_bits_at_every_width() {
  const lanes::FlushToZero scope;
  const Parameters parameters{target::positive("a"), target::interval("b", 2, -1.0, 3.0), target::ordered("c", 3),
                              target::simplex("d", 4), target::cholesky_correlation("e", 3)};
  const auto alone = constrained_in_lane<T, 1>(parameters, 0);
  EXPECT_EQ((constrained_in_lane<T, 2>(parameters, 1)), alone);
  EXPECT_EQ((constrained_in_lane<T, 4>(parameters, 2)), alone);
  EXPECT_EQ((constrained_in_lane<T, 8>(parameters, 5)), alone);
  EXPECT_EQ((constrained_in_lane<T, 16>(parameters, 15)), alone);
}

TEST(Transform, TheSameBitsAtEveryWidth) {
  expect_the_same_bits_at_every_width<float>();
  expect_the_same_bits_at_every_width<double>();
}

}  // namespace
