#pragma once
// What the files that run machine code share: register numbers, and one instruction with its operands. Private to
// sass_*.cpp.

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu_code/sass/sass_machine.hpp"

namespace sparsecast::gpu_code {
// Register numbers of WarpState: R0…R254 and RZ, then the uniform registers, the predicates and the uniform predicates.
inline constexpr std::uint32_t rz = 255, uniform_base = 256, urz = uniform_base + 63, predicate_base = 320,
                               uniform_predicate_base = 328;

inline std::uint32_t low32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// One instruction on the active lanes of one warp.
struct SassStep {
  WarpState& warp;
  const SassWord& word;
  const SassCode& code;
  LaneMask on;
  bool uniform;    ///< of the uniform data path
  LaneMask known;  ///< lanes for which every source so far is known

  [[nodiscard]] bool flag(int bit) const { return word.bits(bit, 1) != 0; }
  [[nodiscard]] std::uint32_t reg(int first) const {
    if (!uniform) return word.bits(first, 8);
    return uniform_base + word.bits(first, 6);
  }
  [[nodiscard]] std::uint32_t result() const { return reg(16); }
  [[nodiscard]] std::uint32_t uniform_reg(int first) const { return uniform_base + word.bits(first, 6); }
  [[nodiscard]] const Lanes& value(std::uint32_t r) {
    known &= warp.known[r];
    return warp.registers[r];
  }
  [[nodiscard]] Lanes broadcast(std::uint64_t v) const {
    Lanes lanes;
    lanes.fill(v);
    return lanes;
  }
  [[nodiscard]] Lanes constant32(std::uint64_t extra = 0) {
    std::uint64_t v = 0;
    known &= code.constant(word.bits(54, 5), word.bits(40, 14) * 4u + extra, 4, v);
    return broadcast(v);
  }
  /// Sources A, B and C; where B is wide, its upper half comes from second_b().
  [[nodiscard]] Lanes a() { return value(reg(24)); }
  [[nodiscard]] Lanes b() {
    switch (word.form()) {
      case 1: return value(reg(32));
      case 2:
      case 3:
      case 7: return value(reg(64));
      case 4: return broadcast(word.bits(32, 32));
      case 5: return constant32();
      default: return value(uniform_reg(32));
    }
  }
  [[nodiscard]] Lanes c() {
    switch (word.form()) {
      case 2: return broadcast(word.bits(32, 32));
      case 3: return constant32();
      case 7: return value(uniform_reg(32));
      default: return value(reg(64));
    }
  }
  [[nodiscard]] Lanes c_high() {
    switch (word.form()) {
      case 2: return broadcast(0);
      case 3: return constant32(4);
      case 7: return value(next(uniform_reg(32)));
      default: return value(next(reg(64)));
    }
  }
  /// The second operand of two-operand instructions, whichever form it has.
  [[nodiscard]] Lanes second() {
    return word.form() == 2   ? broadcast(word.bits(32, 32))
           : word.form() == 3 ? constant32()
           : word.form() == 7 ? value(uniform_reg(32))
                              : b();
  }
  static std::uint32_t next(std::uint32_t r) { return r == rz || r == urz ? r : r + 1; }

  [[nodiscard]] std::uint32_t predicate(int first, bool of_uniform) const {
    return (of_uniform ? uniform_predicate_base : predicate_base) + word.bits(first, 3);
  }
  /// A predicate source with its negation bit; takes part in `known`.
  [[nodiscard]] std::array<bool, 32> test(int first, int negation) {
    const auto p = predicate(first, uniform);
    known &= warp.known[p];
    std::array<bool, 32> result;
    const bool negate = flag(negation);
    for (std::size_t l = 0; l < 32; ++l) result[l] = ((warp.registers[p][l] & 1) != 0) != negate;
    return result;
  }
  [[nodiscard]] LaneMask target_lanes() const { return uniform ? ~LaneMask{0} : on; }
  void forget(std::uint32_t r) {
    if (r != rz && r != urz) warp.known[r] &= ~target_lanes();
  }
  template <class F>
  void write(std::uint32_t r, F&& f) {
    if (r == rz || r == urz) return;
    const LaneMask lanes = target_lanes();
    const LaneMask good = uniform ? (known == ~LaneMask{0} ? known : 0) : known & lanes;
    for (const std::size_t l : LanesOf{good}) {
      warp.registers[r][l] = f(l);
    }
    warp.known[r] = (warp.known[r] & ~lanes) | good;
  }
  template <class F>
  void write_predicate(int first, F&& f) {
    if (word.bits(first, 3) == 7) return;
    write(predicate(first, uniform), [&](std::size_t l) -> std::uint64_t { return f(l) ? 1 : 0; });
  }
};
}  // namespace sparsecast::gpu_code
