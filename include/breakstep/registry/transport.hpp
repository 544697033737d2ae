// What a sampler that works through a flow can be told about it.
#pragma once

#include "breakstep/runtime/flow_training.hpp"
#include "breakstep/target/flow.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

struct FlowSettings {
  target::FlowShape shape = {};                      ///< but for the dimension, which is the target's
  runtime::TrainingOptions training = {.steps = 0};  ///< no steps mean one for each draw of the warm-up
};

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
