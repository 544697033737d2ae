// Solutions of ordinary differential equations inside a model, by Runge and Kutta's fourth-order method.
#pragma once

#include <span>

#include "breakstep/target/numbers.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Fixed steps: the solution is reported after every `steps_per_output` of them, `outputs` times.
struct Rk4Grid {
  double start = 0;
  double step = 0.1;
  int steps_per_output = 1;
  int outputs = 1;
};

namespace detail {

/// One step of size h from y, in place. rhs(t, y, p, dy) writes dy/dt.
template <class Number, class Rhs>
void rk4_step(const Rhs& rhs, double t, double h, std::span<Number> y, const Vector<Number>& p, Number* scratch) {
  const auto n = static_cast<std::ptrdiff_t>(y.size());
  const std::span<Number> k(scratch, y.size()), total(scratch + n, y.size()), at(scratch + 2 * n, y.size());
  const auto slope_at = [&](double time, std::span<const Number> where) { rhs(time, where, p, k); };
  const Number half = constant<Number>(0.5 * h), whole = constant<Number>(h), two = constant<Number>(2);
  const Number sixth = constant<Number>(h / 6);
  slope_at(t, y);
  for (int i = 0; i < n; ++i) {
    total[i] = k[i];
    at[i] = y[i] + half * k[i];
  }
  slope_at(t + 0.5 * h, at);
  for (int i = 0; i < n; ++i) {
    total[i] = total[i] + two * k[i];
    at[i] = y[i] + half * k[i];
  }
  slope_at(t + 0.5 * h, at);
  for (int i = 0; i < n; ++i) {
    total[i] = total[i] + two * k[i];
    at[i] = y[i] + whole * k[i];
  }
  slope_at(t + h, at);
  for (int i = 0; i < n; ++i) y[i] = y[i] + sixth * (total[i] + k[i]);
}

/// The whole solution as one node. Going back, each step is made again on a tape of its own, so that the tape never
/// holds more than one step; only the states between steps are kept.
template <class Rhs, class Real, int W>
struct Solution : Tape<Real, W>::Node {
  using Value = Pack<Real, W>;
  Rhs rhs;
  Rk4Grid grid;
  int states;
  int parameters;
  const Value* trajectory;  // the state before each step
  const Value* parameter_values;
  Value* start_adjoints;
  Value* parameter_adjoints;
  Value* adjoints;  // outputs × states

  static void back(Solution& node) {
    using Number = Variable<Real, W>;
    const int n = node.states;
    const ArenaScope scope;
    auto* state_adjoint = detail::take<Value>(n);
    for (int i = 0; i < n; ++i) state_adjoint[i] = Value(Real(0));
    const int steps = node.grid.steps_per_output * node.grid.outputs;
    for (int s = steps - 1; s >= 0; --s) {
      if ((s + 1) % node.grid.steps_per_output == 0) {
        const Value* reported = node.adjoints + ((s + 1) / node.grid.steps_per_output - 1) * n;
        for (int i = 0; i < n; ++i) state_adjoint[i] = state_adjoint[i] + reported[i];
      }
      Tape<Real, W> tape;
      auto* inputs = tape.adjoints(n);
      auto* y = tape.template take<Number>(n);
      auto* scratch = tape.template take<Number>(3 * n);
      for (int i = 0; i < n; ++i) y[i] = Number(node.trajectory[s * n + i], inputs + i);
      const Vector<Number> p(node.parameter_values, node.parameter_adjoints, node.parameters);
      rk4_step<Number>(node.rhs, node.grid.start + s * node.grid.step, node.grid.step,
                       std::span<Number>(y, static_cast<std::size_t>(n)), p, scratch);
      for (int i = 0; i < n; ++i) {
        if (y[i].adjoint != nullptr) *y[i].adjoint = *y[i].adjoint + state_adjoint[i];
      }
      tape.propagate();
      for (int i = 0; i < n; ++i) state_adjoint[i] = inputs[i];
    }
    for (int i = 0; i < n; ++i) node.start_adjoints[i] = node.start_adjoints[i] + state_adjoint[i];
  }
};

}  // namespace detail

/// The solution of y′ = f(t, y, p) from y(grid.start) = `start`, output by output, each as many numbers as `start`.
/// `rhs(double t, std::span<const Number> y, const Vector<Number>& p, std::span<Number> dy)` is generic in the number
/// and holds no more than a few plain members. On the tape this is one node, and costs about three solutions.
template <class Number, class Rhs>
Vector<Number> solve_rk4(const Rhs& rhs, const Vector<Number>& start, const Vector<Number>& p, const Rk4Grid& grid) {
  const int n = start.size();
  const int steps = grid.steps_per_output * grid.outputs;
  const auto solve = [&]<class Any>(Any* y, Any* scratch, const Vector<Any>& parameters, auto before, auto report) {
    for (int s = 0; s < steps; ++s) {
      before(s);
      detail::rk4_step<Any>(rhs, grid.start + s * grid.step, grid.step, std::span<Any>(y, static_cast<std::size_t>(n)),
                            parameters, scratch);
      if ((s + 1) % grid.steps_per_output == 0) report((s + 1) / grid.steps_per_output - 1);
    }
  };
  if constexpr (detail::is_variable<Number>) {
    static_assert(std::is_trivially_destructible_v<Rhs> && std::is_trivially_copyable_v<Rhs>);
    using Real = RealOf<Number>;
    using Value = ValueOf<Number>;
    constexpr int W = Value::width;
    auto& tape = Tape<Real, W>::active();
    auto* trajectory = tape.template take<Value>(n * steps);
    auto* out = tape.template take<Value>(n * grid.outputs);
    auto* y = tape.template take<Value>(n);
    auto* scratch = tape.template take<Value>(3 * n);
    for (int i = 0; i < n; ++i) y[i] = start.values()[i];
    solve.template operator()<Value>(
        y, scratch, Vector<Value>(p.values(), p.size()), [&](int s) { std::copy_n(y, n, trajectory + s * n); },
        [&](int output) { std::copy_n(y, n, out + output * n); });
    auto* adjoints = tape.adjoints(n * grid.outputs);
    auto& node = tape.template add<detail::Solution<Rhs, Real, W>>();
    node.rhs = rhs;
    node.grid = grid;
    node.states = n;
    node.parameters = p.size();
    node.trajectory = trajectory;
    node.parameter_values = p.values();
    node.start_adjoints = start.adjoints();
    node.parameter_adjoints = p.adjoints();
    node.adjoints = adjoints;
    return {out, adjoints, n * grid.outputs};
  } else {
    auto* out = detail::take<Number>(n * grid.outputs);
    auto* y = detail::take<Number>(n);
    auto* scratch = detail::take<Number>(3 * n);
    for (int i = 0; i < n; ++i) y[i] = start[i];
    solve.template operator()<Number>(
        y, scratch, p, [](int) {}, [&](int output) { std::copy_n(y, n, out + output * n); });
    return {out, n * grid.outputs};
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::target
