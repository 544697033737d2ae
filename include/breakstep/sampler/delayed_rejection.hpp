// Symmetric delayed-rejection Metropolis–Hastings (Mira 2001): propose again, from the rejected point, until accepted.
//
//     init ──► propose ⟲ ──► done         three forms with the same draws: as drawn; one state that does it all;
//       └────────────────────► done       the body cut into four, as the paper did for comparison
#pragma once

#include <cstdint>
#include <type_traits>

#include "breakstep/fsm/program.hpp"
#include "breakstep/lanes/fields.hpp"
#include "breakstep/lanes/math.hpp"
#include "breakstep/lanes/random.hpp"
#include "breakstep/target/target.hpp"

namespace breakstep::inline BREAKSTEP_ABI::sampler {

using lanes::Mask;
using lanes::Pack;
using lanes::Storage;
using lanes::Unsigned;

/// How the sampler is cut into states; the draws are the same. `condensed` folds init and done into the loop's body as
/// selects; `unrolled` cuts the body into four, to show what needless states cost.
enum class DelayedRejectionForm { three_states, condensed, unrolled };

/// After rejected tries of best density p*, the proposal y is accepted with probability
/// min(1, max(0, p(y) − p*) / (p(x) − p*)); the next proposal is centred on the last rejected point. A chain that
/// reaches the limit of tries stays at x.
template <DelayedRejectionForm form>
struct DelayedRejectionIn {
  double scale = 0.5;  ///< standard deviation of a proposal
  int max_tries = 100;

  static constexpr auto asks = target::Asks::density;

  template <class Real, int W, Storage S>
  struct State {
    using U = Unsigned<sizeof(Real)>;
    lanes::Vector<Real, W, S> x;
    Pack<Real, W> log_density;
    Pack<U, W> events;  ///< draws that reached the limit of tries

    lanes::Vector<Real, W, S> request;  ///< the proposal
    Pack<Real, W> answer;
    Pack<Real, W> uniform;
    Pack<Real, W> best;  ///< best density among the rejected, p*, as a share of p(x); 0 before any
    Pack<U, W> tries;
    Mask<W> accepted;

    static constexpr auto fields() {
      using lanes::durable;
      using lanes::scratch;
      return lanes::fields(
          durable("x", &State::x), durable("log_density", &State::log_density), durable("events", &State::events),
          scratch("request", &State::request), scratch("answer", &State::answer), scratch("uniform", &State::uniform),
          scratch("best", &State::best), scratch("tries", &State::tries), scratch("accepted", &State::accepted));
    }
  };

  static constexpr auto init = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    assign(where, s.request, s.x);
    assign(where, s.best, Real(0));
    assign(where, s.tries, 0U);
    s.accepted &= ~where;
  };

  static constexpr auto propose = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    // A try uses at most indices_for(d) + 1 indices; tries count the rest, so no number is used twice.
    using U = Unsigned<sizeof(Real)>;
    const auto stride = static_cast<U>(lanes::indices_for<Real>(s.x.length()) + 1);
    // A product takes five times as long as a sum, and all of the try waits for it.
    const auto first = stride == 2 ? s.tries + s.tries : s.tries * stride;
    const auto scale = static_cast<Real>(chains.sampler.scale);
    assign(where, s.uniform, add_scaled_normal(where, s.request, scale, chains.stream(), first, 0));
  };

  /// Compares u·(p(x) − p*) < p(y) − p*, everything divided by p(x). NaN compares false and so rejects.
  static constexpr auto judge = [](auto& chains, auto where) {
    auto& s = chains.state;
    using Real = typename std::remove_cvref_t<decltype(chains)>::RealType;
    // Where p(x) = 0 the first proposal of positive density has an infinite share and is accepted.
    const auto proposed = exp(s.answer - s.log_density);
    const auto accepted = where_less(s.uniform * (Real(1) - s.best), proposed - s.best);
    s.accepted = (s.accepted & ~where) | (accepted & where);
    assign(where, s.best, max(proposed, s.best));
    assign(where, s.tries, s.tries + 1U);
  };

  static constexpr auto rejected = [](auto& chains) {
    auto& s = chains.state;
    using Tries = std::remove_cvref_t<decltype(s.tries)>;
    const Tries limit(static_cast<typename Tries::Element>(chains.sampler.max_tries));
    return ~s.accepted & ~where_equal(s.tries, limit);
  };

  static constexpr auto done = [](auto& chains, auto where) {
    auto& s = chains.state;
    const auto moving = where & s.accepted;
    assign(moving, s.x, s.request);
    assign(moving, s.log_density, s.answer);
    const auto giving_up = where & ~s.accepted;
    if (giving_up.any()) assign(giving_up, s.events, s.events + 1U);
  };

  static constexpr auto forget = [](auto& state, int lane) { state.tries.set(lane, 0U); };

  // The condensed form's one block.
  static constexpr auto begin_or_go_on = [](auto& chains, auto where) {
    auto& s = chains.state;
    // A lane whose last draw ended, or that has not tried anything yet, begins a new draw.
    const auto untried = (s.tries == std::remove_cvref_t<decltype(s.tries)>(0U)).mask();
    init(chains, where & (untried | ~rejected(chains)));
    propose(chains, where);
  };
  static constexpr auto judge_and_keep = [](auto& chains, auto where) {
    judge(chains, where);
    done(chains, where & ~rejected(chains));
  };

  static constexpr auto nothing = [](auto&, auto) {};

  static constexpr auto program = [] {
    using fsm::block;
    if constexpr (form == DelayedRejectionForm::condensed) {
      return fsm::program(fsm::repeat(block("propose", begin_or_go_on, fsm::density, judge_and_keep), rejected));
    } else if constexpr (form == DelayedRejectionForm::unrolled) {
      return fsm::program(block("init", init),
                          fsm::loop(rejected, block("propose", propose), block("evaluate", nothing, fsm::density),
                                    block("judge", judge), block("update", nothing)),
                          block("done", done));
    } else {
      return fsm::program(block("init", init), fsm::loop(rejected, block("propose", propose, fsm::density, judge)),
                          block("done", done));
    }
  }();
};

using DelayedRejection = DelayedRejectionIn<DelayedRejectionForm::three_states>;
using DelayedRejectionCondensed = DelayedRejectionIn<DelayedRejectionForm::condensed>;
using DelayedRejectionUnrolled = DelayedRejectionIn<DelayedRejectionForm::unrolled>;

}  // namespace breakstep::inline BREAKSTEP_ABI::sampler
