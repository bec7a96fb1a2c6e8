#include "gpu_code/sass/sass_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu_code/sass/sass_step.hpp"

namespace sparsecast::gpu_code {

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
      outcome.access.store = outcome.access.atomic = outcome.access.bypass_l1 = false;
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
  compute(s);
}

}  // namespace sparsecast::gpu_code
