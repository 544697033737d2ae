// Parameters: a model's named parameters with their shapes and constraints.
#pragma once

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "breakstep/error.hpp"
#include "breakstep/target/density.hpp"
#include "breakstep/target/transform.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// One declared parameter: a number, or several under one name. Made by the functions below.
struct Block {
  enum class Kind { real, positive, lower, upper, interval, affine, ordered, simplex, cholesky_correlation };

  std::string name;
  Kind kind;
  int size;  ///< how many numbers; rows of a matrix
  bool is_number;
  double a = 0;  ///< lower bound, or offset
  double b = 0;  ///< upper bound, or multiplier

  [[nodiscard]] int unconstrained_size() const;
  [[nodiscard]] int constrained_size() const;
};

[[nodiscard]] inline Block real(std::string name) { return {std::move(name), Block::Kind::real, 1, true}; }
[[nodiscard]] inline Block real(std::string name, int size) {
  return {std::move(name), Block::Kind::real, size, false};
}
[[nodiscard]] inline Block positive(std::string name) { return {std::move(name), Block::Kind::positive, 1, true}; }
[[nodiscard]] inline Block positive(std::string name, int size) {
  return {std::move(name), Block::Kind::positive, size, false};
}
/// Greater than `bound`; less than `bound`.
[[nodiscard]] inline Block lower(std::string name, double bound) {
  return {std::move(name), Block::Kind::lower, 1, true, bound};
}
[[nodiscard]] inline Block lower(std::string name, int size, double bound) {
  return {std::move(name), Block::Kind::lower, size, false, bound};
}
[[nodiscard]] inline Block upper(std::string name, double bound) {
  return {std::move(name), Block::Kind::upper, 1, true, 0, bound};
}
[[nodiscard]] inline Block upper(std::string name, int size, double bound) {
  return {std::move(name), Block::Kind::upper, size, false, 0, bound};
}
[[nodiscard]] inline Block interval(std::string name, double low, double high) {
  return {std::move(name), Block::Kind::interval, 1, true, low, high};
}
[[nodiscard]] inline Block interval(std::string name, int size, double low, double high) {
  return {std::move(name), Block::Kind::interval, size, false, low, high};
}
/// Unconstrained, but seen by the sampler as (x − offset)/multiplier.
[[nodiscard]] inline Block affine(std::string name, double offset, double multiplier) {
  return {std::move(name), Block::Kind::affine, 1, true, offset, multiplier};
}
[[nodiscard]] inline Block affine(std::string name, int size, double offset, double multiplier) {
  return {std::move(name), Block::Kind::affine, size, false, offset, multiplier};
}
/// Increasing numbers.
[[nodiscard]] inline Block ordered(std::string name, int size) {
  return {std::move(name), Block::Kind::ordered, size, false};
}
/// `size` positive numbers that add to one.
[[nodiscard]] inline Block simplex(std::string name, int size) {
  return {std::move(name), Block::Kind::simplex, size, false};
}
/// The Cholesky factor of a correlation matrix of `rows` rows, without the zeros above the diagonal.
[[nodiscard]] inline Block cholesky_correlation(std::string name, int rows) {
  return {std::move(name), Block::Kind::cholesky_correlation, rows, false};
}

inline int Block::unconstrained_size() const {
  if (kind == Kind::simplex) return size - 1;
  if (kind == Kind::cholesky_correlation) return size * (size - 1) / 2;
  return size;
}
inline int Block::constrained_size() const { return kind == Kind::cholesky_correlation ? size * (size + 1) / 2 : size; }

class Parameters;

/// The values of all parameters at one position, and the log-Jacobian of how they came about.
template <class Number>
class Constrained {
 public:
  /// The parameter of this name. Throws Error if there is none.
  [[nodiscard]] Vector<Number> vector(std::string_view name) const;
  [[nodiscard]] Number number(std::string_view name) const { return vector(name)[0]; }

  Number log_jacobian;

 private:
  friend class Parameters;
  const Parameters* parameters_ = nullptr;
  Vector<Number>* vectors_ = nullptr;
};

/// Immutable once made; shared by all chains and threads.
class Parameters {
 public:
  /// Throws Error for sizes and bounds that make no sense, and for a name that is used twice.
  Parameters(std::initializer_list<Block> blocks) : Parameters(std::vector<Block>(blocks)) {}
  explicit Parameters(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      check(blocks_[i]);
      for (std::size_t k = 0; k < i; ++k) {
        if (blocks_[k].name == blocks_[i].name) {
          throw Error("two parameters are called '" + blocks_[i].name + "'", "a name must mean one thing",
                      "rename one of them");
        }
      }
      dimension_ += blocks_[i].unconstrained_size();
      constrained_dimension_ += blocks_[i].constrained_size();
    }
  }

  /// Unconstrained coordinates: what a sampler sees.
  [[nodiscard]] int dimension() const { return dimension_; }
  /// Numbers on the constrained scale: what a person reads.
  [[nodiscard]] int constrained_dimension() const { return constrained_dimension_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// Whether both scales are the same.
  [[nodiscard]] bool are_real() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.kind == Block::Kind::real; });
  }

  /// "sigma", "beta[0]", "theta[2]", "L[1,0]": one for each number on the constrained scale.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Block& block : blocks_) {
      if (block.kind == Block::Kind::cholesky_correlation) {
        for (int i = 0; i < block.size; ++i) {
          for (int j = 0; j <= i; ++j) {
            all.push_back(block.name + "[" + std::to_string(i) + "," + std::to_string(j) + "]");
          }
        }
      } else {
        add_names(all, block, block.name, block.constrained_size());
      }
    }
    return all;
  }
  /// One for each unconstrained coordinate, numbered within its parameter: "mu", "log_sigma", "logit_p[0]",
  /// "unconstrained_theta[0]".
  [[nodiscard]] std::vector<std::string> unconstrained_names() const {
    std::vector<std::string> all;
    for (const Block& block : blocks_) {
      add_names(all, block, unconstrained_prefix(block.kind) + block.name, block.unconstrained_size());
    }
    return all;
  }

  /// All parameters at u, for use inside an evaluation.
  template <class Number>
  [[nodiscard]] Constrained<Number> constrain(const Position<Number>& u) const {
    assert(u.size() == dimension_);
    Constrained<Number> result;
    result.log_jacobian = constant<Number>(0);
    result.parameters_ = this;
    result.vectors_ = detail::take<Vector<Number>>(static_cast<int>(blocks_.size()));
    int first = 0;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const int count = blocks_[k].unconstrained_size();
      result.vectors_[k] = constrain_block(blocks_[k], u.slice(first, count), result.log_jacobian);
      first += count;
    }
    return result;
  }

  /// The same for W chains outside an evaluation: `out` has constrained_dimension() coordinates.
  template <class Real, int W>
  void constrain(const InterleavedVector<Real, W>& u, const InterleavedVector<Real, W>& out) const {
    const ArenaScope scope;
    const auto all = constrain(make_vector<Pack<Real, W>>(dimension_, [&](int i) { return u[i]; }));
    int next = 0;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for (int i = 0; i < all.vectors_[k].size(); ++i) out.store(next++, all.vectors_[k][i]);
    }
  }
  /// The same for one draw.
  template <class Real>
  void constrain(const Real* u, Real* out) const {
    const ArenaScope scope;
    auto* copy = detail::take<Real>(dimension_);
    std::copy_n(u, dimension_, copy);
    constrain(InterleavedVector<Real, 1>(copy, dimension_), InterleavedVector<Real, 1>(out, constrained_dimension_));
  }

  /// The unconstrained coordinates of given parameters, to start a chain there. Throws Error if a constraint is broken.
  void unconstrain(const double* values, double* u) const;

  [[nodiscard]] int index_of(std::string_view name) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      if (blocks_[k].name == name) return static_cast<int>(k);
    }
    throw Error("the model has no parameter '" + std::string(name) + "'", "its density asks for one",
                "compare the names in parameters with those in log_density");
  }

 private:
  static void check(const Block& block) {
    using Kind = Block::Kind;
    if (block.size < 1) {
      throw Error("parameter '" + block.name + "' has size " + std::to_string(block.size), "it must be at least 1",
                  "correct its declaration");
    }
    if (block.kind == Kind::interval && !(block.a < block.b)) {
      throw Error("parameter '" + block.name + "' has an empty interval", "its lower bound is not below the upper",
                  "correct its declaration");
    }
    if (block.kind == Kind::affine && !(block.b > 0)) {
      throw Error("parameter '" + block.name + "' has a multiplier that is not positive", "it is a scale",
                  "correct its declaration");
    }
  }

  static std::string unconstrained_prefix(Block::Kind kind) {
    using Kind = Block::Kind;
    if (kind == Kind::real) return "";
    if (kind == Kind::positive) return "log_";
    return kind == Kind::interval ? "logit_" : "unconstrained_";
  }

  static void add_names(std::vector<std::string>& all, const Block& block, const std::string& name, int count) {
    for (int i = 0; i < count; ++i) all.push_back(block.is_number ? name : name + "[" + std::to_string(i) + "]");
  }

  template <class Number>
  static Vector<Number> constrain_block(const Block& block, const Vector<Number>& u, Number& log_jacobian) {
    using Kind = Block::Kind;
    switch (block.kind) {
      case Kind::real:
        return u;
      case Kind::positive:
        return transform::positive(u, log_jacobian);
      case Kind::lower:
        return transform::lower(u, block.a, log_jacobian);
      case Kind::upper:
        return transform::upper(u, block.b, log_jacobian);
      case Kind::interval:
        return transform::interval(u, block.a, block.b, log_jacobian);
      case Kind::affine:
        return transform::affine(u, block.a, block.b, log_jacobian);
      case Kind::ordered:
        return transform::ordered(u, log_jacobian);
      case Kind::simplex:
        return transform::simplex(u, log_jacobian);
      case Kind::cholesky_correlation:
        return transform::cholesky_correlation(u, block.size, log_jacobian);
    }
    return u;
  }

  std::vector<Block> blocks_;
  int dimension_ = 0;
  int constrained_dimension_ = 0;
};

extern template void Parameters::constrain(const double* u, double* out) const;

template <class Number>
Vector<Number> Constrained<Number>::vector(std::string_view name) const {
  return vectors_[parameters_->index_of(name)];
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
