// What a sampler that works through a flow can be told about it.
#pragma once

#include "breakstep/runtime/flow_training.hpp"
#include "breakstep/target/flow.hpp"

namespace breakstep::inline BREAKSTEP_ABI::registry {

struct FlowSettings {
  /// But for the dimension, which is the target's. No layers mean two for each bit of the dimension, at most 8.
  target::FlowShape shape = {.kind = target::FlowKind::affine, .layers = 0};
  runtime::TrainingOptions training = {.steps = 0};  ///< no steps mean one for each draw of the warm-up
};

}  // namespace breakstep::inline BREAKSTEP_ABI::registry
