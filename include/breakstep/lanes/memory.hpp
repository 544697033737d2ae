// Aligned, zeroed memory for packs and vectors.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

inline constexpr std::size_t alignment = 64;

struct FreeAligned {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using AlignedArray = std::unique_ptr<T[], FreeAligned>;

/// `count` zeros, 64-byte aligned; throws std::bad_alloc.
template <class T>
AlignedArray<T> aligned_zeros(std::size_t count) {
  const std::size_t bytes = (count * sizeof(T) / alignment + 1) * alignment;
  void* memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return AlignedArray<T>(static_cast<T*>(memory));
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
