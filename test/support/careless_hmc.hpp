// A broken sampler that tests must reject.
#pragma once

#include "breakstep/sampler/hmc.hpp"

namespace test_support {

/// Accepts everything, so that the leapfrog's errors stay.
struct CarelessHmc : breakstep::sampler::Hmc {
  static constexpr auto program = breakstep::fsm::program(
      breakstep::fsm::block("init", init),
      breakstep::fsm::repeat(breakstep::fsm::block("integrate", integrate, breakstep::fsm::density, finish_step),
                             unfinished),
      breakstep::fsm::block("done", [](auto& lanes_at_work, auto where) {
        auto& s = lanes_at_work.state;
        assign(where, s.x, s.request);
        assign(where, s.gradient, s.answer_gradient);
        assign(where, s.log_density, s.answer);
      }));
};

}  // namespace test_support
