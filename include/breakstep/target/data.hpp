// Numbers: a target's data in both precisions, rounded once.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::vector<double> values) : doubles_(std::move(values)) {
    floats_.assign(doubles_.begin(), doubles_.end());
  }

  [[nodiscard]] std::size_t size() const { return doubles_.size(); }
  [[nodiscard]] const std::vector<double>& exact() const { return doubles_; }
  template <class Real>
  [[nodiscard]] const Real* as() const {
    if constexpr (std::is_same_v<Real, float>) {
      return floats_.data();
    } else {
      return doubles_.data();
    }
  }

 private:
  std::vector<double> doubles_;
  std::vector<float> floats_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
