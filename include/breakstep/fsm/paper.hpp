// The programs of the paper's figures: their shape and the names of their blocks, without the samplers' code.
#pragma once

#include "breakstep/fsm/program.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm::paper {

/// Stands for the code of a block or condition: only the shape matters here.
inline constexpr Nothing code{};

/// Symmetric delayed rejection: propose until accepted or out of tries.
inline constexpr auto delayed_rejection =
    program(block("init", code), loop(code, block("propose", code, density)), block("done", code));

/// Elliptical slice: shrink the bracket until the proposal is on the slice.
inline constexpr auto elliptical_slice =
    program(block("init", code, density), loop(code, block("shrink", code, density)), block("done", code));

/// Slice sampling with one loop that expands both ends of the interval.
inline constexpr auto slice =
    program(block("init_e", code, density), loop(code, block("expand", code, density)), block("init_s", code, density),
            loop(code, block("shrink", code, density)), block("done", code));

/// Slice sampling in one dimension as in the paper's footnote: the lower end is expanded in one loop, the upper in
/// another.
inline constexpr auto slice_two_loops =
    program(block("init_e", code, density), loop(code, block("expand_lower", code, density)),
            loop(code, block("expand_upper", code, density)), block("init_s", code, density),
            loop(code, block("shrink", code, density)), block("done", code));

/// NUTS as in the paper's figure: a doubling always integrates at least one step.
inline constexpr auto nuts =
    program(block("init", code),
            loop(code, block("double", code), repeat(block("integrate", code, density), code), block("check", code)),
            block("done", code));

/// NUTS with a while loop inside: the same figure plus the edge double -> check.
inline constexpr auto nuts_while =
    program(block("init", code),
            loop(code, block("double", code), loop(code, block("integrate", code, density)), block("check", code)),
            block("done", code));

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm::paper
