// The likelihood of each outcome by itself.
#include "breakstep/target/logistic_likelihood.hpp"

#include <algorithm>
#include <cmath>

namespace breakstep::inline BREAKSTEP_ABI::target {

void LogisticLikelihood::pointwise(const double* weights, double limit, double* out) const {
  using One = Pack<double, 1>;
  const auto* x = elements_.as<double>();
  const int tiled = rows_ / tile * tile;
  for (int row = 0; row < rows_; ++row) {
    const double* first = row < tiled ? x + std::ptrdiff_t{row / tile * tile} * columns_ + row % tile
                                      : x + std::ptrdiff_t{row} * columns_;
    const int stride = row < tiled ? tile : 1;
    double t = 0;
    for (int j = 0; j < columns_; ++j) t += first[std::ptrdiff_t{j} * stride] * weights[j];
    if (std::fabs(t) > limit) t = std::copysign(limit, t);
    out[row] = -softplus(One(-t))[0];
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
