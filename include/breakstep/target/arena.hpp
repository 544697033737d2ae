// Arena: memory that an evaluation takes piece by piece and gives back all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "breakstep/abi.hpp"
#include "breakstep/lanes/memory.hpp"

namespace breakstep::inline BREAKSTEP_ABI::target {

/// Pieces never move while they are in use. Once an evaluation has shown how much it needs, later ones of the same size
/// allocate nothing.
class Arena {
 public:
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  /// This thread's arena. What an evaluation needs depends on the model's code and cannot be known before it runs, so
  /// the fixed workspace of a Density cannot hold it; one arena per thread makes evaluations in several threads
  /// independent of each other.
  static Arena& of_this_thread() {
    thread_local Arena arena;
    return arena;
  }

  /// Uninitialised memory for `count` objects of a type that needs no destructor.
  template <class T>
  BREAKSTEP_INLINE T* take(std::size_t count = 1) {
    static_assert(std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= lanes::alignment);
    const std::size_t begin = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const std::size_t bytes = count * sizeof(T), end = begin + bytes;  // NOLINT(bugprone-sizeof-expression)
    if (end > size_) return static_cast<T*>(take_from_next(bytes));
    used_ = end;
    return reinterpret_cast<T*>(bytes_ + begin);
  }

  [[nodiscard]] Mark mark() const { return {block_, used_}; }

  /// Gives back everything taken since `mark`. Back at the beginning, several blocks become one.
  void release(Mark mark) {
    if (mark.block == 0 && mark.used == 0 && blocks_.size() > 1) {
      std::size_t total = 0;
      for (const auto& block : blocks_) total += block.size + lanes::alignment;
      blocks_.clear();
      add_block(total);
      block_ = 0;
    }
    block_ = mark.block;
    used_ = mark.used;
    bytes_ = blocks_.empty() ? nullptr : blocks_[block_].bytes.get();
    size_ = blocks_.empty() ? 0 : blocks_[block_].size;
  }

  /// Times this arena has asked the system for memory.
  [[nodiscard]] std::size_t allocations() const { return allocations_; }

 private:
  struct Block {
    lanes::AlignedArray<std::byte> bytes;
    std::size_t size;
  };

  void add_block(std::size_t size) {
    blocks_.push_back({lanes::aligned_zeros<std::byte>(size), size});
    ++allocations_;
  }

  __attribute__((noinline)) void* take_from_next(std::size_t bytes) {
    std::size_t next = blocks_.empty() ? 0 : block_ + 1;
    while (next < blocks_.size() && blocks_[next].size < bytes) ++next;
    if (next >= blocks_.size()) {
      add_block(std::max(bytes, std::max(std::size_t{1} << 16, 2 * size_)));
      next = blocks_.size() - 1;
    }
    block_ = next;
    bytes_ = blocks_[next].bytes.get();
    size_ = blocks_[next].size;
    used_ = bytes;
    return bytes_;
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
  std::byte* bytes_ = nullptr;
  std::size_t allocations_ = 0;
};

/// Gives back what is taken from this thread's arena while it lives.
class ArenaScope {
 public:
  ArenaScope() : arena_(&Arena::of_this_thread()), mark_(arena_->mark()) {}
  ~ArenaScope() { arena_->release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

  [[nodiscard]] Arena& arena() const { return *arena_; }

 private:
  Arena* arena_;
  Arena::Mark mark_;
};

}  // namespace breakstep::inline BREAKSTEP_ABI::target
