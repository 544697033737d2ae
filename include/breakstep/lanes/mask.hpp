// Mask<W>: one bit per lane, the same on every instruction set.
#pragma once

#include <bit>
#include <cstdint>

#include "breakstep/abi.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// Which of W lanes are meant. Bit i is lane i; bits at W and above are always zero.
template <int W>
class Mask {
  static_assert(W >= 1 && W <= 32);

 public:
  static constexpr int width = W;
  static constexpr std::uint32_t full = W == 32 ? ~0U : (1U << W) - 1U;

  constexpr Mask() = default;
  /// Bits at W and above are ignored.
  explicit constexpr Mask(std::uint32_t bits) : bits_(bits & full) {}

  static constexpr Mask all_lanes() { return Mask(full); }
  static constexpr Mask no_lane() { return Mask(); }
  static constexpr Mask only(int lane) { return Mask(1U << lane); }
  /// Lanes 0 … count−1.
  static constexpr Mask first_lanes(int count) { return Mask(count >= 32 ? ~0U : (1U << count) - 1U); }

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool any() const { return bits_ != 0; }
  [[nodiscard]] constexpr bool all() const { return bits_ == full; }
  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  [[nodiscard]] constexpr int count() const { return std::popcount(bits_); }
  [[nodiscard]] constexpr bool operator[](int lane) const { return ((bits_ >> lane) & 1U) != 0; }

  constexpr void set(int lane, bool value = true) { bits_ = value ? bits_ | (1U << lane) : bits_ & ~(1U << lane); }

  friend constexpr Mask operator&(Mask a, Mask b) { return Mask(a.bits_ & b.bits_); }
  friend constexpr Mask operator|(Mask a, Mask b) { return Mask(a.bits_ | b.bits_); }
  friend constexpr Mask operator^(Mask a, Mask b) { return Mask(a.bits_ ^ b.bits_); }
  friend constexpr Mask operator~(Mask a) { return Mask(~a.bits_); }
  friend constexpr bool operator==(Mask a, Mask b) = default;
  constexpr Mask& operator&=(Mask b) { return *this = *this & b; }
  constexpr Mask& operator|=(Mask b) { return *this = *this | b; }
  constexpr Mask& operator^=(Mask b) { return *this = *this ^ b; }

 private:
  std::uint32_t bits_ = 0;
};

/// All lanes, known when the program is compiled: code that is inlined for it has nothing to merge.
template <int W>
struct AllLanes : Mask<W> {
  constexpr AllLanes() : Mask<W>(Mask<W>::all_lanes()) {}
};

/// Calls visit(lane) for each lane of the mask, in ascending order.
template <int W, class Visit>
BREAKSTEP_INLINE void for_each_lane(Mask<W> mask, Visit&& visit) {
  for (std::uint32_t left = mask.bits(); left != 0; left &= left - 1) {
    visit(std::countr_zero(left));
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
