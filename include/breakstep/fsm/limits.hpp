// The sizes beyond which a request is refused instead of filling the memory; `breakstep fsm --help` states the same
// numbers.
#pragma once

#include <string>

#include "breakstep/error.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

inline constexpr long max_characters = 2'000'000;  ///< Of a program text.
inline constexpr long max_raw_states = 1'000'000;
inline constexpr long max_edges = 1'000'000;  ///< Of a collapsed machine.
inline constexpr long max_labels =
    10'000'000;  ///< Written while collapsing. Loops in sequence need their number cubed / 3.
inline constexpr long max_drawn_nodes =
    1'000;  ///< Of a picture that Graphviz lays out, which takes more than linear time.
inline constexpr long max_drawn_edges = 1'000;

/// Throws the Error for a size beyond its limit.
[[noreturn]] inline void refuse_size(long limit, const char* things, const char* suggestion) {
  throw Error(std::string("too many ") + things, "the limit is " + std::to_string(limit), suggestion);
}

/// Throws unless `count` things are at most `limit`. Free of strings so that it can stand in constant expressions.
constexpr void require_at_most(long limit, long count, const char* things, const char* suggestion) {
  if (count > limit) refuse_size(limit, things, suggestion);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
