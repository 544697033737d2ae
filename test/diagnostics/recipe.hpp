// Recipes for the data sets of the references: C++ here and make_references.py make the same bits from them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace diagnostics_test {

inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Innovation : unsigned char { normal, heavy };  // "normal" is a sum of four uniforms
enum class Special : unsigned char {
  none,
  rounded_to_float,
  binary,
  constant,
  one_constant_chain,
  constant_chains,
  one_nan,
};

/// An autoregression of order one per chain, scaled and moved by chain and draw.
struct Recipe {
  std::uint64_t seed = 0;
  std::size_t chains = 0, draws = 0;
  double phi = 0.0, shift = 0.0, growth = 0.0, trend = 0.0, location = 0.0, scale = 1.0;
  double levels = 0.0;  ///< if positive, values are rounded down to integers after multiplication with it
  Innovation innovation = Innovation::normal;
  Special special = Special::none;
};

struct Expected {
  double mean, sd, q5, q50, q95, rhat, ess_bulk, ess_tail, ess_mean, ess_sd, ess_median, mcse_mean, mcse_sd, mcse_q5,
      mcse_q50, mcse_q95;
};

struct Reference {
  const char* name;
  Recipe recipe;
  std::uint64_t checksum;
  Expected expected;
  std::vector<double> energy_fractions;  ///< of the first chains
};

struct NormalQuantile {
  double p, x;
};

struct BetaQuantile {
  double p, a, b, x;
};

/// SplitMix64 (Steele, Lea and Flood 2014).
class Uniforms {
 public:
  explicit Uniforms(std::uint64_t seed) : state_(seed) {}

  double operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

inline double altered(double value, Special special, std::size_t chain, std::size_t draw) {
  switch (special) {
    case Special::none:
      return value;
    case Special::rounded_to_float:
      return static_cast<float>(value);
    case Special::binary:
      return value > 0.5 ? 1.0 : -1.0;
    case Special::constant:
      return 3.5;
    case Special::one_constant_chain:
      return chain == 0 ? 3.5 : value;
    case Special::constant_chains:
      return static_cast<double>(chain);
    case Special::one_nan:
      return chain == 1 && draw == 7 ? quiet_nan : value;
  }
  return value;
}

/// The draws, one chain after the other.
inline std::vector<double> make(const Recipe& recipe) {
  Uniforms uniform(recipe.seed);
  std::vector<double> data;
  data.reserve(recipe.chains * recipe.draws);
  for (std::size_t chain = 0; chain < recipe.chains; ++chain) {
    const auto c = static_cast<double>(chain);
    double x = 0.0;
    for (std::size_t draw = 0; draw < recipe.draws; ++draw) {
      const double u0 = uniform(), u1 = uniform();
      double innovation = 0.0;
      if (recipe.innovation == Innovation::heavy) {
        innovation = (u0 - 0.5) / (u1 + 0x1p-53);
      } else {
        const double u2 = uniform(), u3 = uniform();
        innovation = u0 + u1 + u2 + u3 - 2.0;
      }
      x = recipe.phi * x + innovation;
      double value = (1.0 + recipe.growth * c) * x + recipe.shift * c + recipe.trend * static_cast<double>(draw);
      value = recipe.location + recipe.scale * value;
      if (recipe.levels > 0.0) value = std::floor(value * recipe.levels);
      data.push_back(altered(value, recipe.special, chain, draw));
    }
  }
  return data;
}

inline std::uint64_t checksum(const std::vector<double>& data) {
  std::uint64_t result = 0;
  for (const double value : data) result = (result * 1099511628211U) ^ std::bit_cast<std::uint64_t>(value);
  return result;
}

}  // namespace diagnostics_test
