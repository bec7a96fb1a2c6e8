#include "kernel/sass_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparsecast::kernel {
namespace {

// Register numbers of WarpState: R0…R254 and RZ, then the uniform registers, the predicates and the uniform predicates.
constexpr std::uint32_t rz = 255, uniform_base = 256, urz = uniform_base + 63, predicate_base = 320,
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

std::int64_t sign_extend(std::uint64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}
std::uint32_t low32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

bool compare_integers(std::uint32_t relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case 0:
      return false;
    case 1:
      return a < b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a != b;
    case 6:
      return a >= b;
    default:
      return true;
  }
}

std::uint64_t smaller_or_larger(std::uint64_t a, std::uint64_t b, bool is_signed, bool smaller) {
  const bool less = is_signed ? sign_extend(a, 32) < sign_extend(b, 32) : low32(a) < low32(b);
  return low32(less == smaller ? a : b);
}

bool compare_floats(std::uint32_t relation, float a, float b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (relation == 7) return !nan;
  if (relation == 8) return nan;
  if (nan) return relation >= 9;
  return compare_integers(relation & 7, a < b ? -1 : a > b ? 1 : 0, 0);
}

}  // namespace

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

SassCode::SassCode(const CubinKernel& cubin, const PtxCode& ptx, const Launch& launch, int architecture)
    : cubin_(cubin), ptx_(ptx), launch_(launch), architecture_(architecture) {
  const auto start = static_cast<std::size_t>(std::clamp<std::int64_t>(cubin.parameter_offset, 24, 65536));
  bank0_.assign(start, 0);
  bank0_known_.assign(start, 0);
  const auto put = [&](std::size_t at, std::int64_t value) {
    for (std::size_t b = 0; b < 4; ++b) {
      bank0_[at + b] = static_cast<std::uint8_t>(value >> (8 * b));
      bank0_known_[at + b] = 1;
    }
  };
  for (std::size_t d = 0; d < 3; ++d) {
    put(4 * d, launch.block[d]);
    put(12 + 4 * d, launch.grid[d]);
  }
  if (start >= 0x2c) put(0x28, 0xfffdc0);  // stack pointer: local addresses count from here
  bank0_.insert(bank0_.end(), ptx.parameter_bytes().begin(), ptx.parameter_bytes().end());
  bank0_known_.insert(bank0_known_.end(), ptx.parameter_known().begin(), ptx.parameter_known().end());
  find_loops();
}

LaneMask SassCode::constant(std::uint32_t bank, std::uint64_t offset, int bytes, std::uint64_t& value) const {
  value = 0;
  if (bank == 3) return ptx_.memory().read(constant_window + offset, bytes, value) ? ~LaneMask{0} : 0;
  if (bank != 0 || offset + static_cast<std::uint64_t>(bytes) > bank0_.size()) return 0;
  for (int b = 0; b < bytes; ++b) {
    if (!bank0_known_[offset + static_cast<std::uint64_t>(b)]) return 0;
    value |= static_cast<std::uint64_t>(bank0_[offset + static_cast<std::uint64_t>(b)]) << (8 * b);
  }
  return ~LaneMask{0};
}

std::int32_t SassCode::branch_target(std::int32_t pc) const {
  const auto& word = cubin_.code[static_cast<std::size_t>(pc)];
  if (word.operation() != op_bra) return -1;
  // In bytes at bit 32; from 9.0 on in words of four bytes, the lowest eight bits at bit 16 and the rest at bit 34.
  const std::int64_t offset =
      architecture_ >= 90 ? sign_extend(word.bits(34, 30), 30) * 1024 + 4 * static_cast<std::int64_t>(word.bits(16, 8))
                          : static_cast<std::int32_t>(word.bits(32, 32));
  const std::int64_t target = pc + 1 + offset / 16;
  return target >= 0 && target <= size() ? static_cast<std::int32_t>(target) : -1;
}

bool SassCode::rare(std::int32_t pc) const {
  for (std::int32_t i = pc; i < std::min(pc + 24, size()); ++i) {
    const auto operation = cubin_.code[static_cast<std::size_t>(i)].operation();
    if (operation == op_call_rel || operation == op_call_abs) return true;
    if (operation == op_bra || operation == op_exit || operation == op_bar) return false;
  }
  return false;
}

std::string SassCode::label(std::int32_t pc) const { return fmt::format("0x{:x}", 16 * pc); }

void SassCode::ask(std::int32_t pc, const std::string& loop_label) const {
  throw Error(ErrorCode::bad_input,
              fmt::format("machine code at 0x{:x}: how often the loop at {} runs is not known", 16 * pc, loop_label));
}

void SassCode::memory(Step& s, StepOutcome& outcome) const {
  const auto& word = s.word;
  const auto operation = word.operation();
  const bool shared = operation == op_lds || operation == op_sts || operation == op_atoms || operation == op_atoms_cas;
  const bool local = operation == op_ldl || operation == op_stl;
  const bool store = operation == op_stg || operation == op_sts || operation == op_stl || operation == op_st;
  const bool atomic = operation == op_atom || operation == op_atomg || operation == op_atoms || operation == op_red ||
                      operation == op_atomg_cas || operation == op_atoms_cas;
  constexpr int sizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  const int bytes = atomic ? (word.bits(73, 3) >= 5 ? 8 : 4) : sizes[word.bits(73, 3)];

  // [Ra + URb + immediate], shared addresses with Ra scaled by 1, 4, 8 or 16.
  const auto immediate = sign_extend(word.bits(40, 24), 24);
  Lanes where = s.value(word.bits(24, 8));
  const bool wide = !shared && !local && (word.bits(72, 1) != 0);
  const bool with_uniform = word.bits(91, 1) != 0;
  // From 8.0 on the uniform register of a global access holds a descriptor, not an address.
  const bool add_uniform = with_uniform && (shared || local || architecture_ < 80);
  const int uniform_at = store || atomic ? 64 : 32;
  if (wide && (!add_uniform || word.bits(90, 1) != 0)) {
    const auto& high = s.value(Step::next(word.bits(24, 8)));
    for (std::size_t l = 0; l < 32; ++l) where[l] = low32(where[l]) | (high[l] << 32);
  }
  if (shared)
    for (auto& a : where) a = low32(a) << (word.bits(78, 2) == 0 ? 0 : word.bits(78, 2) + 1);
  if (add_uniform) {
    const auto u = s.uniform_reg(uniform_at);
    const auto& low = s.value(u);
    if (wide) {
      const auto& high = s.value(Step::next(u));
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]) | (high[l] << 32);
    } else {
      for (std::size_t l = 0; l < 32; ++l) where[l] += low32(low[l]);
    }
  }
  for (auto& a : where) {
    a += static_cast<std::uint64_t>(immediate);
    if (shared || local) a = low32(a);
  }
  const LaneMask known = s.known & s.on;

  const auto data = store ? word.bits(32, 8) : word.bits(16, 8);
  const int registers = std::max(1, bytes / 4);
  auto& state = s.warp;
  for (LaneMask left = s.on; left != 0; left &= left - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(left));
    const bool address_known = (known >> l) & 1;
    for (int r = 0; r < registers; ++r) {
      const std::uint64_t at = where[l] + 4 * static_cast<std::uint64_t>(r);
      const int part = std::min(bytes, 4);
      const auto index = data == rz ? rz : std::min<std::uint32_t>(data + static_cast<std::uint32_t>(r), rz);
      if (store) {
        const bool good = address_known && ((state.known[index] >> l) & 1);
        if (!address_known) continue;
        for (int b = 0; b < part; ++b) {
          const auto byte = static_cast<std::uint8_t>(state.registers[index][l] >> (8 * b));
          const std::uint64_t place = at + static_cast<std::uint64_t>(b);
          if (local) {
            if (good)
              state.local[l][place] = byte;
            else
              state.local[l].erase(place);
          } else if (shared && place < (1u << 20)) {
            auto& content = *state.shared;
            if (place >= content.bytes.size()) {
              if (!good) continue;
              content.bytes.resize(place + 4096, 0);
              content.known.resize(place + 4096, 0);
            }
            content.bytes[place] = byte;
            content.known[place] = good;
          }
        }
        continue;
      }
      if (index == rz || (atomic && operation == op_red)) continue;
      std::uint64_t value = 0;
      bool good = address_known && !atomic;
      if (good && shared) {
        const auto& content = *state.shared;
        good = at + static_cast<std::uint64_t>(part) <= content.bytes.size();
        for (int b = 0; good && b < part; ++b) {
          good = content.known[at + static_cast<std::uint64_t>(b)];
          value |= static_cast<std::uint64_t>(content.bytes[at + static_cast<std::uint64_t>(b)]) << (8 * b);
        }
      } else if (good && local) {
        for (int b = 0; good && b < part; ++b) {
          const auto found = state.local[l].find(at + static_cast<std::uint64_t>(b));
          good = found != state.local[l].end();
          if (good) value |= static_cast<std::uint64_t>(found->second) << (8 * b);
        }
      } else if (good) {
        good = ptx_.memory().read(at, part, value);
      }
      const LaneMask bit = LaneMask{1} << l;
      if (good) {
        if (word.bits(73, 3) == 1) value = low32(static_cast<std::uint64_t>(sign_extend(value, 8)));
        if (word.bits(73, 3) == 3) value = low32(static_cast<std::uint64_t>(sign_extend(value, 16)));
        state.registers[index][l] = value;
        state.known[index] |= bit;
      } else {
        state.known[index] &= ~bit;
      }
    }
  }
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = shared ? MemorySpace::shared : local ? MemorySpace::local : MemorySpace::global;
  access.store = store || operation == op_red;
  access.atomic = atomic;
  access.read_only = operation == op_ldg && word.bits(79, 1) != 0;
  access.bypass_l1 = atomic;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.lanes = s.on;
  access.known = known;
  access.address = where;
  if (operation == op_ld || operation == op_st)
    for (LaneMask left = known; left != 0; left &= left - 1) {
      auto& a = access.address[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= shared_window && a < local_window) access.space = MemorySpace::shared, a -= shared_window;
    }
  if (local)
    for (std::size_t l = 0; l < 32; ++l)
      access.address[l] = (local_buffer << 40) + static_cast<std::uint64_t>(state.warp) * 0x1000000 +
                          (where[l] / 4 & 0xffff) * 128 + l * 4 + where[l] % 4;
}

void SassCode::execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const {
  const auto& word = cubin_.code[static_cast<std::size_t>(pc)];
  if (warp.known[rz] == 0) {  // first step of this warp: the constant registers
    for (const auto r : {rz, urz, predicate_base + 7, uniform_predicate_base + 7}) warp.known[r] = ~LaneMask{0};
    warp.registers[predicate_base + 7].fill(1);
    warp.registers[uniform_predicate_base + 7].fill(1);
  }
  auto operation = word.operation();
  const bool uniform = operation >= 0x80 && operation < 0xc0;
  LaneMask on = mask;
  const auto guard = word.bits(12, 3);
  if (guard != 7 || word.bits(15, 1) != 0) {
    const auto p = (uniform ? uniform_predicate_base : predicate_base) + guard;
    const LaneMask known = warp.known[p] & mask;
    LaneMask yes = 0;
    for (std::size_t l = 0; l < 32; ++l)
      yes |= static_cast<LaneMask>((warp.registers[p][l] & 1) ^ word.bits(15, 1)) << l;
    outcome.unknown = mask & ~known;
    on = (yes & known) | outcome.unknown;
  }
  // A result that may or may not be written is not known.
  Step s{warp, word, *this, on, uniform, ~outcome.unknown};
  switch (operation) {
    case op_bra: {
      outcome.kind = StepOutcome::Kind::branch;
      outcome.target = branch_target(pc);
      // A second predicate may take part: BRA P1, target. Uniform ones (UP) are marked by bit 24 of the low word's
      // target form.
      if (word.bits(87, 3) != 7 || word.bits(90, 1) != 0) {
        const auto p = (word.form() == 6 ? uniform_predicate_base : predicate_base) + word.bits(87, 3);
        const LaneMask known = warp.known[p];
        LaneMask yes = 0;
        for (std::size_t l = 0; l < 32; ++l)
          yes |= static_cast<LaneMask>((warp.registers[p][l] & 1) ^ word.bits(90, 1)) << l;
        outcome.unknown |= on & ~known;
        on &= (yes & known) | ~known;
      }
      outcome.lanes = on;
      if (outcome.target < 0)
        throw Error(ErrorCode::failed, fmt::format("machine code at 0x{:x}: a jump out of the kernel", 16 * pc));
      return;
    }
    case op_exit:
      outcome.lanes = on;
      outcome.kind = StepOutcome::Kind::exit;
      return;
    case op_call_abs:
    case op_call_rel:
    case op_ret:
    case op_brx:
    case op_break:
      if (on != 0)
        throw Error(ErrorCode::failed, fmt::format("machine code at 0x{:x}: calls are not followed", 16 * pc));
      break;
    default:
      break;
  }
  outcome.lanes = on;
  if (on == 0) return;
  switch (operation) {
    case op_bar:
      outcome.kind = StepOutcome::Kind::barrier;
      return;
    case op_ldg:
    case op_ld:
    case op_ldl:
    case op_lds:
    case op_st:
    case op_stg:
    case op_stl:
    case op_sts:
    case op_atom:
    case op_atoms:
    case op_red:
    case op_atomg:
    case op_atomg_cas:
    case op_atoms_cas:
      memory(s, outcome);
      return;
    case op_s2r:
    case op_s2ur: {
      const auto d = operation == op_s2ur ? s.uniform_reg(16) : word.bits(16, 8);
      Step t{warp, word, *this, on, operation == op_s2ur, ~LaneMask{0}};
      const auto lanes = [&](const Lanes& v) { t.write(d, [&](std::size_t l) { return v[l]; }); };
      const auto one = [&](std::int64_t v) { t.write(d, [&](std::size_t) { return static_cast<std::uint64_t>(v); }); };
      switch (word.bits(72, 8)) {
        case 0x00:
          t.write(d, [](std::size_t l) { return l; });
          return;
        case 0x21:
          lanes(warp.tid_x);
          return;
        case 0x22:
          lanes(warp.tid_y);
          return;
        case 0x23:
          lanes(warp.tid_z);
          return;
        case 0x25:
          one(warp.block[0]);
          return;
        case 0x26:
          one(warp.block[1]);
          return;
        case 0x27:
          one(warp.block[2]);
          return;
        case 0x88:  // place in the cluster, which shared addresses start from: clusters are of one block here
          one(0);
          return;
        default:
          t.forget(d);
          return;
      }
    }
    case op_cs2r: {
      const auto d = word.bits(16, 8);
      if (word.bits(72, 8) == 0xff) {
        s.write(d, [](std::size_t) { return 0u; });
        if (word.bits(80, 1)) s.write(Step::next(d), [](std::size_t) { return 0u; });
      } else {
        s.forget(d);
        s.forget(Step::next(d));
      }
      return;
    }
    case op_uldc: {
      std::uint64_t v = 0;
      const auto d = s.uniform_reg(16);
      for (std::uint32_t half = 0; half < (word.bits(73, 3) == 5 ? 2u : 1u); ++half) {
        s.known = constant(word.bits(54, 5), word.bits(40, 14) * 4u + 4u * half, 4, v);
        s.write(d + half, [&](std::size_t) { return v; });
      }
      return;
    }
    case op_ldc: {
      const auto d = word.bits(16, 8);
      const auto offset = s.value(word.bits(24, 8));
      const auto base = static_cast<std::uint64_t>(sign_extend(word.bits(38, 16), 16));
      const LaneMask address_known = s.known;
      const int registers = word.bits(73, 3) == 5 ? 2 : 1;
      for (int r = 0; r < registers; ++r) {
        for (LaneMask left = on; left != 0; left &= left - 1) {
          const auto l = static_cast<std::size_t>(std::countr_zero(left));
          std::uint64_t v = 0;
          const bool good =
              ((address_known >> l) & 1) &&
              constant(word.bits(54, 5), low32(offset[l] + base) + 4u * static_cast<unsigned>(r), 4, v) != 0;
          const auto index = d + static_cast<std::uint32_t>(r);
          if (index >= rz) continue;
          warp.registers[index][l] = v;
          warp.known[index] = good ? warp.known[index] | (LaneMask{1} << l) : warp.known[index] & ~(LaneMask{1} << l);
        }
      }
      outcome.has_access = true;
      outcome.access.space = MemorySpace::constant;
      outcome.access.store = outcome.access.atomic = outcome.access.read_only = outcome.access.bypass_l1 = false;
      outcome.access.bytes = static_cast<std::uint8_t>(4 * registers);
      outcome.access.lanes = on;
      outcome.access.known = on & address_known;
      for (std::size_t l = 0; l < 32; ++l) outcome.access.address[l] = low32(offset[l] + base);
      return;
    }
    case op_r2ur: {
      const auto& v = s.value(word.bits(24, 8));
      const auto first = static_cast<std::size_t>(std::countr_zero(on));
      const bool good = (s.known >> first) & 1;
      Step t{warp, word, *this, on, true, good ? ~LaneMask{0} : 0};
      const auto value = v[first];
      t.write(s.uniform_reg(16), [&](std::size_t) { return value; });
      return;
    }
    default:
      break;
  }
  if (uniform) operation -= 0x80;
  const auto d = s.reg(16);
  const auto negate = [&](int bit) { return word.bits(bit, 1) != 0; };
  const auto as_float = [](std::uint64_t bits, bool minus, bool absolute) {
    float f = std::bit_cast<float>(low32(bits));
    if (absolute) f = std::fabs(f);
    return minus ? -f : f;
  };
  const auto float_bits = [](float f) -> std::uint64_t { return std::bit_cast<std::uint32_t>(f); };
  switch (operation) {
    case op_nop:
    case op_bssy:
      return;
    case op_mov: {
      const auto v = s.second();
      s.write(d, [&](std::size_t l) { return low32(v[l]); });
      return;
    }
    case op_iadd3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool extended = negate(74);
      const bool na = negate(72), nb = word.form() != 4 && negate(63), nc = negate(75);
      std::array<bool, 32> carry{}, carry2{};
      if (extended) {
        carry = s.test(87, 90);
        carry2 = s.test(77, 80);
      }
      const auto total = [&](std::size_t l) {
        const auto term = [&](std::uint64_t v, bool minus) -> std::uint64_t {
          return minus ? (extended ? low32(~v) : low32(~v)) : low32(v);
        };
        std::uint64_t t = term(a[l], na) + term(b[l], nb) + term(c[l], nc);
        // −x is ~x + 1 in a plain sum; in an extended one the 1 comes in as the carry.
        if (!extended) t += static_cast<std::uint64_t>(na) + nb + nc;
        return t + carry[l] + carry2[l];
      };
      const LaneMask good = s.known;
      std::array<std::uint64_t, 32> totals;
      for (std::size_t l = 0; l < 32; ++l) totals[l] = total(l);
      s.known = good;
      s.write(d, [&](std::size_t l) { return low32(totals[l]); });
      s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
      s.write_predicate(84, [&](std::size_t l) { return (totals[l] >> 32) > 1; });
      return;
    }
    case op_imad: {
      const auto a = s.a(), b = s.b(), c = s.c();
      std::array<bool, 32> carry{};
      if (negate(74)) carry = s.test(87, 90);
      const bool nb = word.form() == 1 && negate(63), nc = negate(75) || (word.form() == 3 && negate(63));
      s.write(d, [&](std::size_t l) {
        const std::uint64_t p = a[l] * b[l];
        return low32((nb ? 0 - p : p) + (nc ? 0 - c[l] : c[l]) + carry[l]);
      });
      return;
    }
    case op_imad_wide:
    case op_imad_hi: {
      const auto a = s.a(), b = s.b(), c = s.c(), high = s.c_high();
      const bool is_signed = negate(73);
      const bool imm = word.form() == 2;
      const auto total = [&](std::size_t l) {
        const std::uint64_t p = is_signed ? static_cast<std::uint64_t>(sign_extend(a[l], 32) * sign_extend(b[l], 32))
                                          : static_cast<std::uint64_t>(low32(a[l])) * low32(b[l]);
        return p + (imm ? static_cast<std::uint64_t>(sign_extend(c[l], 32)) : (low32(c[l]) | (high[l] << 32)));
      };
      if (operation == op_imad_hi) {
        s.write(d, [&](std::size_t l) { return total(l) >> 32; });
      } else {
        std::array<std::uint64_t, 32> totals;
        for (std::size_t l = 0; l < 32; ++l) totals[l] = total(l);
        s.write(d, [&](std::size_t l) { return low32(totals[l]); });
        s.write(Step::next(d), [&](std::size_t l) { return totals[l] >> 32; });
        s.write_predicate(81, [&](std::size_t l) { return totals[l] < (low32(c[l]) | (high[l] << 32)); });
      }
      return;
    }
    case op_lea: {
      const auto a = s.a(), b = s.b();
      const auto shift = word.bits(75, 5);
      const bool high = negate(80), extended = negate(74), sign = negate(73), na = negate(72),
                 nb = word.form() != 4 && negate(63);
      Lanes c{};
      if (high && !sign) c = s.value(s.reg(64));
      std::array<bool, 32> carry{};
      if (extended) carry = s.test(87, 90);
      std::array<std::uint64_t, 32> totals;
      for (std::size_t l = 0; l < 32; ++l) {
        std::uint64_t x =
            low32(a[l]) | (sign ? static_cast<std::uint64_t>(sign_extend(a[l], 32)) & 0xffffffff00000000u : c[l] << 32);
        if (na) x = 0 - x;
        const std::uint64_t y = nb ? low32(extended ? ~b[l] : 0 - b[l]) : low32(b[l]);
        const std::uint64_t term = high ? (shift == 0 ? x >> 32 : low32((x << shift) >> 32)) : low32(x << shift);
        totals[l] = low32(term) + y + carry[l];
      }
      s.write(d, [&](std::size_t l) { return low32(totals[l]); });
      s.write_predicate(81, [&](std::size_t l) { return (totals[l] >> 32) != 0; });
      return;
    }
    case op_lop3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto table = word.bits(72, 8);
      // a & 0 is known whatever a is; needed where the compiler clears registers so.
      std::array<std::uint64_t, 32> r;
      for (std::size_t l = 0; l < 32; ++l) {
        std::uint64_t v = 0;
        for (int i = 0; i < 8; ++i)
          if ((table >> i) & 1) v |= ((i & 4) ? a[l] : ~a[l]) & ((i & 2) ? b[l] : ~b[l]) & ((i & 1) ? c[l] : ~c[l]);
        r[l] = low32(v);
      }
      s.write(d, [&](std::size_t l) { return r[l]; });
      s.write_predicate(81, [&](std::size_t l) { return r[l] != 0; });
      return;
    }
    case op_shf: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool right = negate(76), high = negate(80);
      const auto type = word.bits(73, 2);  // 0 S64, 1 U64, 2 S32, 3 U32
      const bool wraps = negate(75);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        const std::uint64_t both = low32(a[l]) | (c[l] << 32);
        const std::uint64_t limit = type >= 2 ? 32 : 64;
        std::uint64_t by = low32(b[l]);
        by = wraps ? by % limit : std::min<std::uint64_t>(by, limit);
        if (!right) {
          const std::uint64_t v = by >= 64 ? 0 : both << by;
          if (type >= 2 && !high) return by >= 32 ? 0 : low32(a[l] << by);
          return high ? low32(v >> 32) : low32(v);
        }
        if (high) {
          if (type == 2 || type == 0)
            return low32(static_cast<std::uint64_t>(sign_extend(c[l], 32) >> std::min<std::uint64_t>(by, 31)));
          return by >= 32 ? 0 : low32(c[l]) >> by;
        }
        if (type == 0)
          return low32(static_cast<std::uint64_t>(static_cast<std::int64_t>(both) >> std::min<std::uint64_t>(by, 63)));
        return by >= 64 ? 0 : low32(both >> by);
      });
      return;
    }
    case op_sel: {
      const auto a = s.a(), b = s.b();
      const auto p = s.test(87, 90);
      s.write(d, [&](std::size_t l) { return p[l] ? a[l] : b[l]; });
      return;
    }
    case op_viadd: {  // compute capability 9.0: a plain sum of two
      const auto a = s.a(), b = s.b();
      const bool na = negate(72), nb = word.form() != 4 && negate(63);
      s.write(d, [&](std::size_t l) { return low32((na ? 0 - a[l] : a[l]) + (nb ? 0 - b[l] : b[l])); });
      return;
    }
    case op_vimnmx:
    case op_imnmx: {
      const auto a = s.a(), b = s.b();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(73);
      s.write(d, [&](std::size_t l) { return smaller_or_larger(a[l], b[l], is_signed, p[l]); });
      return;
    }
    case op_viaddmnmx: {  // compute capability 9.0: the sum of two against a third, never below 0 where it says so
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(72), not_negative = negate(76);
      s.write(d, [&](std::size_t l) {
        const auto v = smaller_or_larger(low32(a[l] + b[l]), c[l], is_signed, p[l]);
        return not_negative && sign_extend(v, 32) < 0 ? 0 : v;
      });
      return;
    }
    case op_vimnmx3: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const auto p = s.test(87, 90);
      const bool is_signed = negate(72);
      s.write(d, [&](std::size_t l) {
        return smaller_or_larger(smaller_or_larger(a[l], b[l], is_signed, p[l]), c[l], is_signed, p[l]);
      });
      return;
    }
    case op_vabsdiff: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool is_signed = negate(73);
      s.write(d, [&](std::size_t l) {
        const std::int64_t x = is_signed ? sign_extend(a[l], 32) : low32(a[l]),
                           y = is_signed ? sign_extend(b[l], 32) : low32(b[l]);
        return low32(static_cast<std::uint64_t>(std::abs(x - y)) + c[l]);
      });
      return;
    }
    case op_brev: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) {
        std::uint32_t r = 0;
        for (int i = 0; i < 32; ++i) r |= ((low32(b[l]) >> i) & 1u) << (31 - i);
        return static_cast<std::uint64_t>(r);
      });
      return;
    }
    case op_flo: {  // place of the highest bit that is set (of a negative signed number: not set), all ones for none
      const auto b = s.second();
      const bool is_signed = negate(73), from_top = negate(74);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        auto v = low32(b[l]);
        if (is_signed && (v >> 31) != 0) v = ~v;
        if (v == 0) return 0xffffffffu;
        const int zeros = std::countl_zero(v);
        return static_cast<std::uint64_t>(from_top ? zeros : 31 - zeros);
      });
      return;
    }
    case op_fmnmx: {
      const auto a = s.a(), b = s.second();
      const auto p = s.test(87, 90);
      const bool nb = word.form() == 1 && negate(63), ab = word.form() == 1 && negate(62);
      s.write(d, [&](std::size_t l) {
        const float x = as_float(a[l], negate(72), negate(73)), y = as_float(b[l], nb, ab);
        return float_bits(p[l] ? std::fmin(x, y) : std::fmax(x, y));
      });
      return;
    }
    case op_i2fp: {
      const auto b = s.second();
      const bool is_signed = negate(74);
      s.write(d, [&](std::size_t l) {
        return float_bits(is_signed ? static_cast<float>(sign_extend(b[l], 32)) : static_cast<float>(low32(b[l])));
      });
      return;
    }
    case op_fchk:  // would a division need its slow path? Ordinary numbers do not.
      s.known = ~outcome.unknown;
      s.write_predicate(81, [](std::size_t) { return false; });
      return;
    case op_iabs: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) { return low32(static_cast<std::uint64_t>(std::abs(sign_extend(b[l], 32)))); });
      return;
    }
    case op_prmt: {
      const auto a = s.a(), b = s.b(), c = s.c();
      s.write(d, [&](std::size_t l) {
        const std::uint64_t both = low32(a[l]) | (c[l] << 32);
        std::uint64_t r = 0;
        for (int i = 0; i < 4; ++i) {
          const auto q = (b[l] >> (4 * i)) & 15;
          std::uint64_t byte = (both >> (8 * (q & 7))) & 255;
          if (q & 8) byte = (byte & 128) ? 255 : 0;
          r |= byte << (8 * i);
        }
        return r;
      });
      return;
    }
    case op_isetp: {
      const auto a = s.a(), b = s.b();
      const bool is_signed = negate(73), extended = negate(72);
      const auto relation = word.bits(76, 3), join = word.bits(74, 2);
      const auto p = s.test(87, 90);
      std::array<bool, 32> below{};
      if (extended) below = s.test(68, 71);
      const auto outcome_of = [&](std::size_t l, bool inverse) {
        const std::int64_t x = is_signed ? sign_extend(a[l], 32) : low32(a[l]),
                           y = is_signed ? sign_extend(b[l], 32) : low32(b[l]);
        bool r = extended && x == y ? below[l] : compare_integers(relation, x, y);
        if (extended && relation == 5 && x != y) r = true;
        if (extended && relation == 2 && x != y) r = false;
        if (inverse) r = !r;
        return join == 0 ? r && p[l] : join == 1 ? r || p[l] : r != p[l];
      };
      std::array<bool, 32> first, second;
      for (std::size_t l = 0; l < 32; ++l) {
        first[l] = outcome_of(l, false);
        second[l] = outcome_of(l, true);
      }
      s.write_predicate(81, [&](std::size_t l) { return first[l]; });
      s.write_predicate(84, [&](std::size_t l) { return second[l]; });
      return;
    }
    case op_fsetp: {
      const auto a = s.a(), b = s.second();
      const auto p = s.test(87, 90);
      const auto relation = word.bits(76, 4), join = word.bits(74, 2);
      s.write_predicate(81, [&](std::size_t l) {
        const bool r = compare_floats(relation, as_float(a[l], negate(72), negate(73)),
                                      as_float(b[l], word.form() == 1 && negate(63), word.form() == 1 && negate(62)));
        return join == 0 ? r && p[l] : join == 1 ? r || p[l] : r != p[l];
      });
      if (word.bits(84, 3) != 7) s.forget(predicate_base + word.bits(84, 3));
      return;
    }
    case op_plop3: {
      // Three predicates through a table; the third may be uniform (bit 67).
      const auto x = s.test(87, 90), y = s.test(77, 80);
      const auto third = (word.bits(67, 1) ? uniform_predicate_base : predicate_base) + word.bits(68, 3);
      s.known &= warp.known[third];
      const auto z = warp.registers[third];
      const auto table = (word.bits(72, 5) << 3) | word.bits(64, 3), table2 = word.bits(16, 8);
      const auto look = [&](std::size_t l, std::uint32_t t) {
        const std::uint32_t index = (x[l] ? 4u : 0u) | (y[l] ? 2u : 0u) | (((z[l] & 1) != 0) != negate(71) ? 1u : 0u);
        return ((t >> index) & 1) != 0;
      };
      std::array<bool, 32> first, second;
      for (std::size_t l = 0; l < 32; ++l) {
        first[l] = look(l, table);
        second[l] = look(l, table2);
      }
      s.write_predicate(81, [&](std::size_t l) { return first[l]; });
      s.write_predicate(84, [&](std::size_t l) { return second[l]; });
      return;
    }
    case op_fmul:
    case op_fadd: {
      const auto a = s.a(), b = s.second();
      const bool nb = (word.form() == 1 || word.form() == 5) && negate(63), ab = word.form() == 1 && negate(62);
      s.write(d, [&](std::size_t l) {
        const float x = as_float(a[l], negate(72), negate(73)), y = as_float(b[l], nb, ab);
        return float_bits(operation == op_fmul ? x * y : x + y);
      });
      return;
    }
    case op_ffma: {
      const auto a = s.a(), b = s.b(), c = s.c();
      const bool nb = (word.form() == 1 || word.form() == 5) && negate(63),
                 nc = negate(75) || (word.form() == 3 && negate(63));
      s.write(d, [&](std::size_t l) {
        return float_bits(
            std::fmaf(as_float(a[l], negate(72), false), as_float(b[l], nb, false), as_float(c[l], nc, false)));
      });
      return;
    }
    case op_i2f: {
      const auto b = s.second();
      const int bits = 8 << word.bits(84, 2);
      if (word.bits(75, 2) != 2) s.known = 0;
      s.write(d, [&](std::size_t l) {
        const std::uint64_t v = bits >= 64 ? b[l] : b[l] & ((std::uint64_t{1} << bits) - 1);
        return float_bits(negate(74) ? static_cast<float>(sign_extend(v, bits)) : static_cast<float>(v));
      });
      return;
    }
    case op_f2i: {
      const auto b = s.second();
      if (word.bits(75, 2) != 2 || word.bits(84, 2) != 2) s.known = 0;
      const auto rounding = word.bits(78, 2);
      const bool is_signed = negate(72);
      s.write(d, [&](std::size_t l) -> std::uint64_t {
        double v = as_float(b[l], negate(63), negate(62));
        if (std::isnan(v)) return 0;
        v = rounding == 0   ? std::nearbyint(v)
            : rounding == 1 ? std::floor(v)
            : rounding == 2 ? std::ceil(v)
                            : std::trunc(v);
        if (is_signed)
          return low32(
              static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(v, -2147483648.0, 2147483647.0))));
        return static_cast<std::uint64_t>(std::clamp(v, 0.0, 4294967295.0));
      });
      return;
    }
    case op_mufu: {
      // Only the reciprocal, which integer division is made of; its last bit does not decide the quotient.
      const auto b = s.second();
      if (word.bits(74, 4) != 4) s.known = 0;
      s.write(d, [&](std::size_t l) { return float_bits(1.0f / as_float(b[l], negate(63), negate(62))); });
      return;
    }
    case op_popc: {
      const auto b = s.second();
      s.write(d, [&](std::size_t l) { return static_cast<std::uint64_t>(std::popcount(low32(b[l]))); });
      return;
    }
    case op_hfma2:
    case op_hfma2_mma:
      // The compiler's way to put a constant in a register: −0 × 0 + constant.
      if (word.form() == 2 && word.bits(24, 8) == rz && word.bits(64, 8) == rz) {
        s.write(d, [&](std::size_t) { return word.bits(32, 32); });
        return;
      }
      break;
    default:
      break;
  }
  // Not computed here: the result stays unknown (double-precision results fill two registers).
  s.known = 0;
  if (operation >= 0x120 && operation < 0x180) return;  // control
  s.forget(d);
  if ((operation >= 0x28 && operation <= 0x2b) || (operation >= 0x104 && operation <= 0x113)) s.forget(Step::next(d));
}

}  // namespace sparsecast::kernel
