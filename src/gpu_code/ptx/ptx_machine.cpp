#include "gpu_code/ptx/ptx_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <set>

#include "gpu_code/ptx/ptx_arithmetic.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_source.hpp"

namespace sparsecast::gpu_code {
namespace {

using OperandKind = PtxOperand::Kind;

}  // namespace

std::int32_t PtxCode::branch_target(std::int32_t pc) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  return in.op == PtxOp::bra && !in.operands.empty() && in.operands[0].kind == OperandKind::label ? in.operands[0].index
                                                                                                  : -1;
}

std::string PtxCode::label(std::int32_t pc) const {
  const auto* found = kernel_.label_at(pc);
  return found ? found->name : fmt::format("line {}", kernel_.body[static_cast<std::size_t>(pc)].line);
}

void PtxCode::ask(std::int32_t pc, const std::string& loop_label) const {
  // Backwards from the guard: which parameters and loads decide.
  std::set<std::int32_t> wanted, parameters;
  bool memory = false;
  const auto& branch = kernel_.body[static_cast<std::size_t>(pc)];
  if (branch.guard >= 0) wanted.insert(branch.guard);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& in : kernel_.body) {
      if (in.operands.empty() || !writes_first_operand(in)) continue;
      bool writes = (in.operands[0].kind == OperandKind::reg && wanted.contains(in.operands[0].index)) ||
                    (in.operands[0].second >= 0 && wanted.contains(in.operands[0].second));
      for (const auto e : in.operands[0].elements) writes |= wanted.contains(e);
      if (!writes) continue;
      const auto effect = ptx_operation(in.op).effect;
      if ((effect == PtxEffect::load || effect == PtxEffect::atomic) && in.space != PtxSpace::param) {
        memory = true;
        continue;
      }
      if (in.op == PtxOp::ld && in.operands.size() > 1 && in.operands[1].index <= -2) {
        const auto p = static_cast<std::size_t>(-2 - in.operands[1].index);
        if (!parameter_known_[static_cast<std::size_t>(kernel_.parameters[p].offset)])
          parameters.insert(static_cast<std::int32_t>(p));
      }
      for (std::size_t o = 1; o < in.operands.size(); ++o)
        if (in.operands[o].kind == OperandKind::reg) changed |= wanted.insert(in.operands[o].index).second;
      if (in.guard >= 0) changed |= wanted.insert(in.guard).second;
    }
  }
  std::string names, arguments;
  for (const auto p : parameters) {
    names += (names.empty() ? "" : ", ") + parameter_name(static_cast<std::size_t>(p));
    arguments += fmt::format("--arg {}=VALUE ", parameter_name(static_cast<std::size_t>(p)));
  }
  std::string why = names.empty() ? std::string() : fmt::format("parameter {}", names);
  if (memory) why += std::string(why.empty() ? "" : " and ") + "data in memory";
  if (why.empty()) why = "a value that is not known";
  const Place place = source_place(module_, branch);
  throw Error(ErrorCode::bad_input, fmt::format("how often the loop at {} runs depends on {}", loop_label, why), place,
              fmt::format("give {}{}--trip '{}=COUNT'", arguments, arguments.empty() ? "" : "or ", loop_label));
}

std::uint64_t PtxCode::symbol_address(const PtxOperand& operand) const {
  if (operand.index <= -2)
    return static_cast<std::uint64_t>(kernel_.parameters[static_cast<std::size_t>(-2 - operand.index)].offset +
                                      operand.value);
  const auto& v = kernel_.variables[static_cast<std::size_t>(operand.index)];
  const std::int64_t base = v.external && v.space == PtxSpace::shared ? dynamic_shared_base_ : v.address;
  const auto address = static_cast<std::uint64_t>(base + operand.value);
  return v.space == PtxSpace::global ? (std::uint64_t{1} << 56) + address : address;
}

LaneMask PtxCode::fetch(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  const auto& b = launch_.block;
  const auto& g = launch_.grid;
  switch (operand.kind) {
    case OperandKind::reg: {
      out = warp.registers[static_cast<std::size_t>(operand.index)];
      if (operand.negated)
        for (auto& v : out) v ^= 1;
      return on & warp.known[static_cast<std::size_t>(operand.index)];
    }
    case OperandKind::immediate:
      out.fill(static_cast<std::uint64_t>(operand.value));
      return on;
    case OperandKind::symbol:
      out.fill(symbol_address(operand));
      return on;
    case OperandKind::special: {
      const auto fill = [&](std::int64_t value) { out.fill(static_cast<std::uint64_t>(value)); };
      switch (static_cast<PtxSpecial>(operand.index)) {
        case PtxSpecial::tid_x:
          out = warp.tid_x;
          return on;
        case PtxSpecial::tid_y:
          out = warp.tid_y;
          return on;
        case PtxSpecial::tid_z:
          out = warp.tid_z;
          return on;
        case PtxSpecial::ntid_x:
          fill(b[0]);
          return on;
        case PtxSpecial::ntid_y:
          fill(b[1]);
          return on;
        case PtxSpecial::ntid_z:
          fill(b[2]);
          return on;
        case PtxSpecial::ctaid_x:
          fill(warp.block[0]);
          return on;
        case PtxSpecial::ctaid_y:
          fill(warp.block[1]);
          return on;
        case PtxSpecial::ctaid_z:
          fill(warp.block[2]);
          return on;
        case PtxSpecial::nctaid_x:
          fill(g[0]);
          return on;
        case PtxSpecial::nctaid_y:
          fill(g[1]);
          return on;
        case PtxSpecial::nctaid_z:
          fill(g[2]);
          return on;
        case PtxSpecial::warpid:
          fill(warp.warp);
          return on;
        case PtxSpecial::nwarpid:
          fill(launch_.warps_per_block());
          return on;
        case PtxSpecial::dynamic_smem_size:
          fill(launch_.dynamic_shared_bytes);
          return on;
        case PtxSpecial::laneid:
          for (std::size_t l = 0; l < 32; ++l) out[l] = l;
          return on;
        case PtxSpecial::lanemask_eq:
          for (std::size_t l = 0; l < 32; ++l) out[l] = std::uint64_t{1} << l;
          return on;
        case PtxSpecial::lanemask_lt:
          for (std::size_t l = 0; l < 32; ++l) out[l] = (std::uint64_t{1} << l) - 1;
          return on;
        case PtxSpecial::lanemask_le:
          for (std::size_t l = 0; l < 32; ++l) out[l] = (std::uint64_t{2} << l) - 1;
          return on;
        case PtxSpecial::lanemask_gt:
          for (std::size_t l = 0; l < 32; ++l) out[l] = 0xffffffffu & ~((std::uint64_t{2} << l) - 1);
          return on;
        case PtxSpecial::lanemask_ge:
          for (std::size_t l = 0; l < 32; ++l) out[l] = 0xffffffffu & ~((std::uint64_t{1} << l) - 1);
          return on;
        default:
          return 0;
      }
    }
    default:
      return 0;
  }
}

LaneMask PtxCode::address(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  if (operand.kind == OperandKind::symbol) {
    out.fill(symbol_address(operand));
    return on;
  }
  PtxOperand base = operand;
  const LaneMask known = fetch(warp, base, on, out);
  if (operand.kind == OperandKind::reg && operand.value != 0)
    for (auto& a : out) a += static_cast<std::uint64_t>(operand.value);
  return known;
}

void PtxCode::execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  LaneMask on = mask;
  if (in.guard >= 0) {
    const auto& value = warp.registers[static_cast<std::size_t>(in.guard)];
    const LaneMask known = warp.known[static_cast<std::size_t>(in.guard)] & mask;
    LaneMask yes = 0;
    for (std::size_t lane = 0; lane < 32; ++lane)
      yes |= static_cast<LaneMask>((value[lane] & 1) ^ (in.guard_negated ? 1u : 0u)) << lane;
    outcome.unknown = mask & ~known;
    on = (yes & known) | outcome.unknown;
  }
  outcome.lanes = on;
  const std::string& opcode = module_.opcodes[static_cast<std::size_t>(in.name)];
  const auto forget = [&](const PtxOperand& o) {
    if (o.kind == OperandKind::reg) warp.known[static_cast<std::size_t>(o.index)] &= ~on;
    if (o.second >= 0) warp.known[static_cast<std::size_t>(o.second)] &= ~on;
    for (const auto e : o.elements)
      if (e >= 0) warp.known[static_cast<std::size_t>(e)] &= ~on;
  };
  const auto effect = ptx_operation(in.op).effect;
  switch (effect) {
    case PtxEffect::branch:
      outcome.kind = StepOutcome::Kind::branch;
      outcome.target = in.operands[0].index;
      return;
    case PtxEffect::exit:
      outcome.kind = StepOutcome::Kind::exit;
      return;
    case PtxEffect::barrier:
      if (opcode.find(".red") != std::string::npos && !in.operands.empty()) forget(in.operands[0]);
      if (opcode.find("arrive") == std::string::npos && opcode.find(".warp") == std::string::npos && on != 0)
        outcome.kind = StepOutcome::Kind::barrier;
      return;
    case PtxEffect::nothing:
      return;
    default:
      break;
  }
  if (on == 0) return;
  switch (effect) {
    case PtxEffect::load:
      load(warp, in, on, outcome);
      return;
    case PtxEffect::store:
      store(warp, in, on, outcome);
      return;
    case PtxEffect::atomic:
      execute_memory(warp, in, on, outcome);
      return;
    case PtxEffect::refused:
      throw Error(ErrorCode::bad_input, fmt::format("the instruction '{}' is not understood", opcode),
                  source_place(module_, in),
                  in.op == PtxOp::call ? "compile with inlining; functions that are called are not followed" : "");
    default:
      break;
  }
  if (in.operands.empty()) return;
  const auto& d = in.operands[0];
  if (in.op == PtxOp::setp) {
    Lanes a, b;
    LaneMask known = ~outcome.unknown & fetch(warp, in.operands[1], on, a) & fetch(warp, in.operands[2], on, b);
    Lanes c{};
    const bool combined = in.operands.size() > 3;
    if (combined) known &= fetch(warp, in.operands[3], on, c);
    forget(d);
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const bool yes = ptx_compare(in, opcode, a[lane], b[lane]);
      const auto join = [&](bool r) {
        if (!combined) return r;
        const bool other = c[lane] & 1;
        if (opcode.find(".and.") != std::string::npos) return r && other;
        if (opcode.find(".or.") != std::string::npos) return r || other;
        return r != other;
      };
      if (d.index >= 0) warp.registers[static_cast<std::size_t>(d.index)][lane] = join(yes);
      if (d.second >= 0) warp.registers[static_cast<std::size_t>(d.second)][lane] = join(!yes);
    }
    if (d.index >= 0) warp.known[static_cast<std::size_t>(d.index)] |= known;
    if (d.second >= 0) warp.known[static_cast<std::size_t>(d.second)] |= known;
    return;
  }
  if (in.op == PtxOp::cvta && d.kind == OperandKind::reg) {
    Lanes a;
    const LaneMask known = fetch(warp, in.operands[1], on, a) & ~outcome.unknown;
    const bool to = opcode.find(".to.") != std::string::npos;
    const std::uint64_t window = in.space == PtxSpace::shared     ? shared_window
                                 : in.space == PtxSpace::local    ? local_window
                                 : in.space == PtxSpace::constant ? constant_window
                                                                  : 0;
    auto& out = warp.registers[static_cast<std::size_t>(d.index)];
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      out[lane] = to ? a[lane] - window : a[lane] + window;
    }
    warp.known[static_cast<std::size_t>(d.index)] = (warp.known[static_cast<std::size_t>(d.index)] & ~on) | known;
    return;
  }
  if (in.op == PtxOp::mov &&
      (d.kind == OperandKind::vector || (in.operands.size() > 1 && in.operands[1].kind == OperandKind::vector))) {
    // mov.b64 {a, b}, c and mov.b64 c, {a, b}
    const auto& source = in.operands[1];
    Lanes value{};
    LaneMask known = on & ~outcome.unknown;
    if (source.kind == OperandKind::vector) {
      const auto width = 8 * in.type.bytes / std::max<std::size_t>(source.elements.size(), 1);
      for (std::size_t e = 0; e < source.elements.size(); ++e) {
        if (source.elements[e] < 0) {
          known = 0;
          continue;
        }
        const auto r = static_cast<std::size_t>(source.elements[e]);
        known &= warp.known[r];
        const std::uint64_t part = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        for (std::size_t lane = 0; lane < 32; ++lane)
          value[lane] |= (warp.registers[r][lane] & part) << (e * width % 64);
      }
    } else {
      known &= fetch(warp, source, on, value);
    }
    forget(d);
    const auto put = [&](std::int32_t r, std::size_t shift, std::size_t width) {
      if (r < 0) return;
      const std::uint64_t part = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      for (LaneMask left = known; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        warp.registers[static_cast<std::size_t>(r)][lane] = (value[lane] >> shift) & part;
      }
      warp.known[static_cast<std::size_t>(r)] |= known;
    };
    if (d.kind == OperandKind::vector) {
      const std::size_t width = 8u * in.type.bytes / std::max<std::size_t>(d.elements.size(), 1);
      for (std::size_t e = 0; e < d.elements.size(); ++e) put(d.elements[e], e * width % 64, width);
    } else if (d.kind == OperandKind::reg) {
      put(d.index, 0, 64);
    }
    return;
  }
  if (d.kind == OperandKind::reg && d.second < 0 && !in.carry_out && ptx_computes(in, opcode)) {
    std::array<Lanes, 4> source;
    LaneMask known = on & ~outcome.unknown;
    const std::size_t count = std::min<std::size_t>(in.operands.size() - 1, 4);
    for (std::size_t o = 0; o < count && known != 0; ++o) known &= fetch(warp, in.operands[o + 1], on, source[o]);
    auto& out = warp.registers[static_cast<std::size_t>(d.index)];
    for (LaneMask left = known; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      out[lane] = ptx_compute(in, opcode, source[0][lane], count > 1 ? source[1][lane] : 0,
                              count > 2 ? source[2][lane] : 0, count > 3 ? source[3][lane] : 0);
    }
    warp.known[static_cast<std::size_t>(d.index)] = (warp.known[static_cast<std::size_t>(d.index)] & ~on) | known;
    return;
  }
  if (in.op == PtxOp::activemask && d.kind == OperandKind::reg) {
    warp.registers[static_cast<std::size_t>(d.index)].fill(mask);
    warp.known[static_cast<std::size_t>(d.index)] |= on;
    return;
  }
  forget(d);  // carries, votes, shuffles, tensor products, …: computed by the device, not needed here
}

void PtxCode::registers_of(std::int32_t pc, std::vector<std::int32_t>& writes, std::vector<std::int32_t>& reads) const {
  writes.clear();
  reads.clear();
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  if (in.guard >= 0) reads.push_back(in.guard);
  const bool first_is_result = writes_first_operand(in);
  for (std::size_t o = 0; o < in.operands.size(); ++o) {
    const auto& operand = in.operands[o];
    auto& list = o == 0 && first_is_result && !operand.memory ? writes : reads;
    if (operand.kind == OperandKind::reg) list.push_back(operand.index);
    if (operand.second >= 0) list.push_back(operand.second);
    for (const auto e : operand.elements)
      if (e >= 0) list.push_back(e);
  }
}

}  // namespace sparsecast::gpu_code
