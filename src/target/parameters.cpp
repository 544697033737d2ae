// The constraining transforms of one draw, in double, and their inverses, for starting points.
#include "breakstep/target/parameters.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

namespace {

using One = Pack<double, 1>;

double log_positive(double x, const Block& block) {
  if (!(x > 0)) {
    throw Error("a value for parameter '" + block.name + "' is outside its constraint",
                "it has no unconstrained coordinate", "start inside the constraint");
  }
  return log(One(x))[0];
}

void unconstrain_simplex(const Block& block, const double* x, double* u) {
  double rest = 0;  // what the later shares add to
  for (int i = block.size - 1; i > 0; --i) {
    rest += x[i];
    u[i - 1] = log_positive(x[i - 1], block) - log_positive(rest, block) + log_positive(block.size - i, block);
  }
}

void unconstrain_cholesky_correlation(const Block& block, const double* l, double* u) {
  int next = 0;
  for (int i = 1; i < block.size; ++i) {
    const double* row = l + i * (i + 1) / 2;
    for (int j = 0; j < i; ++j) {
      double rest = 0;  // 1 − the squares before, as the sum of the squares that follow
      for (int k = i; k > j; --k) rest += row[k] * row[k];
      // z/sqrt(1 − z²) = l/sqrt(rest), and u = atanh(z) = asinh of that.
      log_positive(rest, block);
      const double ratio = row[j] / sqrt(One(rest))[0];
      const double size = ratio < 0 ? -ratio : ratio;
      const double asinh = log(One(size) + sqrt(One(size * size + 1)))[0];
      u[next++] = ratio < 0 ? -asinh : asinh;
    }
  }
}

}  // namespace

template void Parameters::constrain(const double* u, double* out) const;

void Parameters::unconstrain(const double* values, double* u) const {
  using Kind = Block::Kind;
  for (const Block& block : blocks_) {
    if (block.kind == Kind::simplex) {
      unconstrain_simplex(block, values, u);
    } else if (block.kind == Kind::cholesky_correlation) {
      unconstrain_cholesky_correlation(block, values, u);
    } else {
      for (int i = 0; i < block.size; ++i) {
        const double x = values[i];
        switch (block.kind) {
          case Kind::positive:
            u[i] = log_positive(x, block);
            break;
          case Kind::lower:
            u[i] = log_positive(x - block.a, block);
            break;
          case Kind::upper:
            u[i] = log_positive(block.b - x, block);
            break;
          case Kind::interval:
            u[i] = log_positive(x - block.a, block) - log_positive(block.b - x, block);
            break;
          case Kind::affine:
            u[i] = (x - block.a) / block.b;
            break;
          case Kind::ordered:
            u[i] = i == 0 ? x : log_positive(x - values[i - 1], block);
            break;
          default:
            u[i] = x;
        }
      }
    }
    values += block.constrained_size();
    u += block.unconstrained_size();
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
