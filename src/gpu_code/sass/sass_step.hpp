#pragma once
// What the files that run machine code share: register numbers, operations, and one instruction's operands. Private to
// sass_*.cpp.

#include <array>
#include <bit>

#include "gpu_code/sass/sass_machine.hpp"

namespace sparsecast::gpu_code {

// Register numbers of WarpState: R0…R254 and RZ, then the uniform registers, the predicates and the uniform predicates.
inline constexpr std::uint32_t rz = 255, uniform_base = 256, urz = uniform_base + 63, predicate_base = 320,
                               uniform_predicate_base = 328;

// Operations (bits 0 to 8). The uniform data path's are the vector ones plus 0x80.
enum : std::uint32_t {
  op_mov = 0x02,
  op_sel = 0x07,
  op_fsetp = 0x0b,
  op_isetp = 0x0c,
  op_iadd3 = 0x10,
  op_lea = 0x11,
  op_lop3 = 0x12,
  op_iabs = 0x13,
  op_prmt = 0x16,
  op_imnmx = 0x17,
  op_shf = 0x19,
  op_fmnmx = 0x09,
  op_vimnmx3 = 0x0f,
  op_vabsdiff = 0x14,
  op_viadd = 0x36,
  op_i2fp = 0x45,
  op_viaddmnmx = 0x46,
  op_vimnmx = 0x48,
  op_brev = 0x101,
  op_fchk = 0x102,
  op_plop3 = 0x1c,
  op_fmul = 0x20,
  op_fadd = 0x21,
  op_ffma = 0x23,
  op_imad = 0x24,
  op_imad_wide = 0x25,
  op_imad_hi = 0x27,
  op_hfma2_mma = 0x35,
  op_hfma2 = 0x31,
  op_cs2r = 0x05,
  op_uldc = 0xb9,
  op_flo = 0x100,
  op_f2i = 0x105,
  op_i2f = 0x106,
  op_mufu = 0x108,
  op_popc = 0x109,
  op_nop = 0x118,
  op_s2r = 0x119,
  op_bar = 0x11d,
  op_break = 0x142,
  op_call_abs = 0x143,
  op_call_rel = 0x144,
  op_bssy = 0x145,
  op_bra = 0x147,
  op_brx = 0x149,
  op_exit = 0x14d,
  op_ret = 0x150,
  op_ldg = 0x181,
  op_ldc = 0x182,
  op_ldl = 0x183,
  op_lds = 0x184,
  op_ld = 0x180,
  op_st = 0x185,
  op_stg = 0x186,
  op_stl = 0x187,
  op_sts = 0x188,
  op_atom = 0x18a,
  op_atoms = 0x18c,
  op_red = 0x18e,
  op_atomg = 0x1a8,
  op_atomg_cas = 0x1a9,
  op_atoms_cas = 0x18d,
  op_r2ur = 0x1c2,
  op_s2ur = 0x1c3
};

inline std::int64_t sign_extend(std::uint64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}
inline std::uint32_t low32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// One instruction on the active lanes of one warp.
struct SassCode::Step {
  WarpState& warp;
  const SassWord& word;
  const SassCode& code;
  LaneMask on;
  bool uniform;
  LaneMask known;  ///< lanes for which every source so far is known

  [[nodiscard]] std::uint32_t reg(int first) const {
    if (!uniform) return word.bits(first, 8);
    return uniform_base + word.bits(first, 6);
  }
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
      case 1:
        return value(reg(32));
      case 2:
      case 3:
      case 7:
        return value(reg(64));
      case 4:
        return broadcast(word.bits(32, 32));
      case 5:
        return constant32();
      default:
        return value(uniform_reg(32));
    }
  }
  [[nodiscard]] Lanes c() {
    switch (word.form()) {
      case 2:
        return broadcast(word.bits(32, 32));
      case 3:
        return constant32();
      case 7:
        return value(uniform_reg(32));
      default:
        return value(reg(64));
    }
  }
  [[nodiscard]] Lanes c_high() {
    switch (word.form()) {
      case 2:
        return broadcast(0);
      case 3:
        return constant32(4);
      case 7:
        return value(next(uniform_reg(32)));
      default:
        return value(next(reg(64)));
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
    const bool negate = word.bits(negation, 1) != 0;
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
    for (LaneMask left = good; left != 0; left &= left - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(left));
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
