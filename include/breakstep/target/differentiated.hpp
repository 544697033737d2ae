// Differentiated<Model>: a lane target with a gradient, from a log density written once for any type of number.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breakstep/target/likelihood.hpp"
#include "breakstep/target/numbers.hpp"
#include "breakstep/target/ode.hpp"
#include "breakstep/target/parameters.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// How a model's gradient is computed: by duals, some coordinates at a time, or on a tape.
enum class Gradient { forward, reverse };

/// A log density generic in its number; breakstep evaluates it with packs, duals and variables of the tape.
///
///     struct Banana {
///       int dimension() const { return 2; }
///       template <class Number>
///       Number log_density(const target::Position<Number>& x) const {
///         return -0.5 * square(x[0]) - 5.0 * square(x[1] - square(x[0]));
///       }
///     };
///
/// `static constexpr auto gradient = target::Gradient::forward` chooses duals; the default is the tape.
/// Duals are up to twice as fast for models of at most 4 dimensions made of elementary operations alone, and about even
/// at 8; with sums over data (likelihood.hpp) the tape is as fast as a gradient written by hand.
template <class T>
concept PlainModel = requires(const T& t, const Position<Pack<double, 4>>& x) {
  { t.dimension() } -> std::convertible_to<int>;
  { t.template log_density<Pack<double, 4>>(x) } -> std::same_as<Pack<double, 4>>;
};
/// The same for named parameters with constraints: the model has a member `parameters`, and its density is one of the
/// constrained values. The log-Jacobian is added for it.
///
///     struct Spread {
///       target::Parameters parameters{target::real("mean"), target::positive("sigma")};
///       template <class Number>
///       Number log_density(const target::Constrained<Number>& p) const {
///         return normal_lpdf(data, p.number("mean"), p.number("sigma")) - p.number("sigma");
///       }
///     };
template <class T>
concept ParameterModel = requires(const T& t, const Constrained<Pack<double, 4>>& p) {
  { t.parameters } -> std::convertible_to<const Parameters&>;
  { t.template log_density<Pack<double, 4>>(p) } -> std::same_as<Pack<double, 4>>;
};
template <class T>
concept Model = PlainModel<T> || ParameterModel<T>;

/// The lane target that a model describes. Safe to evaluate from several threads.
template <Model M>
class Differentiated {
 public:
  explicit Differentiated(M model) : model_(std::make_shared<const M>(std::move(model))) {}
  explicit Differentiated(std::shared_ptr<const M> model) : model_(std::move(model)) {}

  [[nodiscard]] int dimension() const {
    if constexpr (ParameterModel<M>) {
      return model_->parameters.dimension();
    } else {
      return model_->dimension();
    }
  }
  [[nodiscard]] const M& model() const { return *model_; }
  [[nodiscard]] const Parameters& parameters() const requires ParameterModel<M> { return model_->parameters; }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density(const InterleavedVector<Real, W>& x, Real*) const {
    const ArenaScope scope;
    return evaluate<Pack<Real, W>>({values(x), x.length()});
  }

  template <class Real, int W>
  [[nodiscard]] Pack<Real, W> log_density_and_gradient(const InterleavedVector<Real, W>& x,
                                                       const InterleavedVector<Real, W>& gradient, Real*) const {
    if constexpr (mode() == Gradient::forward) {
      // Directions that are not needed cost as much as those that are; many at once share the value's cost.
      return x.length() <= 4 ? by_duals<4>(x, gradient) : by_duals<8>(x, gradient);
    } else {
      return on_tape(x, gradient);
    }
  }

 private:
  static constexpr Gradient mode() {
    if constexpr (requires { M::gradient; }) {
      return M::gradient;
    } else {
      return Gradient::reverse;
    }
  }

  template <class Number>
  Number evaluate(const Position<Number>& x) const {
    if constexpr (ParameterModel<M>) {
      const auto parameters = model_->parameters.constrain(x);
      return model_->template log_density<Number>(parameters) + parameters.log_jacobian;
    } else {
      return model_->template log_density<Number>(x);
    }
  }

  template <class Real, int W>
  static Pack<Real, W>* values(const InterleavedVector<Real, W>& x) {
    auto* copies = detail::take<Pack<Real, W>>(x.length());
    for (int i = 0; i < x.length(); ++i) copies[i] = x[i];
    return copies;
  }

  template <int N, class Real, int W>
  Pack<Real, W> by_duals(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient) const {
    using Number = Dual<Real, W, N>;
    Pack<Real, W> value(Real(0));
    for (int first = 0; first < x.length(); first += N) {
      const ArenaScope scope;
      const auto position = make_vector<Number>(x.length(), [&](int i) { return Number::variable(x[i], i - first); });
      const Number result = evaluate<Number>(position);
      for (int k = 0; k < std::min(N, x.length() - first); ++k) gradient.store(first + k, result.slope[k]);
      value = result.value;
    }
    return value;
  }

  template <class Real, int W>
  Pack<Real, W> on_tape(const InterleavedVector<Real, W>& x, const InterleavedVector<Real, W>& gradient) const {
    using Number = Variable<Real, W>;
    Tape<Real, W> tape;
    auto* adjoints = tape.adjoints(x.length());
    const Number result = evaluate<Number>({values(x), adjoints, x.length()});
    if (result.adjoint != nullptr) {
      *result.adjoint = *result.adjoint + Pack<Real, W>(Real(1));
      tape.propagate();
    }
    for (int i = 0; i < x.length(); ++i) gradient.store(i, adjoints[i]);
    return result.value;
  }

  std::shared_ptr<const M> model_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
