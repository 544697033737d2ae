// Seeded random numbers from which targets make data when a user gives none.
#pragma once

#include <cstdint>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// The same numbers on every machine: Philox and the library's own mathematics.
class Synthetic {
 public:
  explicit Synthetic(std::uint64_t seed) : seed_(seed) {}

  double normal();
  /// In the open interval (0, 1).
  double uniform();

 private:
  std::uint64_t seed_;
  std::uint64_t used_ = 0;
};

/// eˣ, log x and 1/(1 + e⁻ˣ) of one number, by the library's own mathematics.
double exp_of(double x);
double log_of(double x);
double logistic_of(double x);

}  // namespace breakstep::inline BREAKSTEP_ABI::target
