// Work that falls into independent pieces, on some threads.
#pragma once

#include <cstddef>
#include <functional>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::runtime {

/// So many threads as were asked for; 0 means one per core.
std::size_t thread_count(int asked);

/// Runs work(i) for i below `count` on so many threads; 0 means one per core. The first exception of any ends the rest
/// and is passed on.
void for_each_on_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace breakstep::inline BREAKSTEP_ABI::runtime
