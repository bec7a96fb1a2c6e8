#include "gpu_code/ptx/ptx_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/ptx/ptx_arithmetic.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/ptx/ptx_source.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
using OperandKind = PtxOperand::Kind;

/// f(register) of all that an operand names.
template <class F>
void each_register(const PtxOperand& operand, const F& f) {
  if (operand.kind == OperandKind::reg) f(operand.index);
  if (operand.second >= 0) f(operand.second);
  for (const auto e : operand.elements)
    if (e >= 0) f(e);
}

/// Lanes that an instruction's guard leaves on; those whose guard is not known count as on.
LaneMask guarded(const WarpState& warp, const PtxInstruction& in, LaneMask mask, StepOutcome& outcome) {
  if (in.guard < 0) return mask;
  const auto& value = warp.registers[static_cast<std::size_t>(in.guard)];
  const LaneMask known = warp.known[static_cast<std::size_t>(in.guard)] & mask;
  LaneMask yes = 0;
  for (std::size_t lane = 0; lane < 32; ++lane)
    yes |= static_cast<LaneMask>((value[lane] & 1) ^ (in.guard_negated ? 1u : 0u)) << lane;
  outcome.unknown = mask & ~known;
  return (yes & known) | outcome.unknown;
}

}  // namespace

namespace {
/// The bits of the number that a floating comparison compares with; none where that is no constant.
std::optional<std::uint64_t> compared_with(const PtxInstruction& in) {
  if (in.op != PtxOp::setp || in.type.kind != PtxType::Kind::floating || in.operands.size() < 3 ||
      in.operands[2].kind != OperandKind::immediate)
    return std::nullopt;
  return static_cast<std::uint64_t>(in.operands[2].value);
}
}  // namespace

bool compares_angle(const PtxInstruction& in) {
  const auto bits = compared_with(in);
  return bits && (in.type.bytes == 8 ? *bits == large_double_angle
                                     : in.type.bytes == 4 && static_cast<std::uint32_t>(*bits) == large_angle);
}

void PtxCode::forget(WarpState& warp, const PtxOperand& operand, LaneMask on) {
  each_register(operand, [&](std::int32_t r) { warp.known[static_cast<std::size_t>(r)] &= ~on; });
}

std::int32_t PtxCode::branch_target(std::int32_t pc) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  return in.op == PtxOp::bra && !in.operands.empty() && in.operands[0].kind == OperandKind::label ? in.operands[0].index
                                                                                                  : -1;
}

std::optional<EqualityTest> PtxCode::equality_test(std::int32_t pc) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  if (in.op != PtxOp::setp || in.operands.size() < 3 || in.type.kind == PtxType::Kind::floating) return {};
  const auto& opcode = module_.opcodes[static_cast<std::size_t>(in.name)];
  if (opcode.find(".ne.") == std::string::npos && opcode.find(".eq.") == std::string::npos) return {};
  const auto &a = in.operands[1], &b = in.operands[2];
  if (a.kind != OperandKind::reg || (b.kind != OperandKind::reg && b.kind != OperandKind::immediate)) return {};
  EqualityTest test{a.index, -1, static_cast<std::uint64_t>(b.value), 8 * in.type.bytes};
  if (b.kind == OperandKind::reg) test.b = b.index;
  return test;
}

std::string PtxCode::label(std::int32_t pc) const {
  const auto found = std::ranges::find(kernel_.labels, pc, &PtxLabel::instruction);
  return found != kernel_.labels.end() ? found->name
                                       : fmt::format("line {}", kernel_.body[static_cast<std::size_t>(pc)].line);
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
      bool writes = false;
      each_register(in.operands[0], [&](std::int32_t r) { writes |= wanted.contains(r); });
      if (!writes) continue;
      const auto effect = ptx_operation(in.op).effect;
      if ((effect == PtxEffect::load || effect == PtxEffect::atomic) && in.space != PtxSpace::param) {
        memory = true;
        continue;
      }
      if (in.op == PtxOp::ld && in.operands.size() > 1 && in.operands[1].index <= -2) {
        const auto p = static_cast<std::size_t>(-2 - in.operands[1].index);
        if (!is_known(kernel_.parameters[p])) parameters.insert(static_cast<std::int32_t>(p));
      }
      for (std::size_t o = 1; o < in.operands.size(); ++o)
        if (in.operands[o].kind == OperandKind::reg) changed |= wanted.insert(in.operands[o].index).second;
      if (in.guard >= 0) changed |= wanted.insert(in.guard).second;
    }
  }
  std::string names;
  wording::Text arguments;
  for (const auto p : parameters) {
    names += (names.empty() ? "" : ", ") + parameter_name(static_cast<std::size_t>(p));
    arguments +=
        wording::option("kernel.arguments", wording::entry(parameter_name(static_cast<std::size_t>(p)), "VALUE")) + " ";
  }
  std::string why = names.empty() ? std::string() : fmt::format("parameter {}", names);
  if (memory) why += std::string(why.empty() ? "" : " and ") + "data in memory";
  if (why.empty()) why = "a value that is not known";
  const Place place = source_place(module_, branch);
  throw Error(ErrorCode::bad_input, fmt::format("the trip count of the loop at {} depends on {}", loop_label, why),
              place,
              wording::format("give {}{}{}", arguments, arguments.empty() ? "" : "or ",
                              wording::option("kernel.trips", wording::entry(loop_label, "COUNT"))));
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

LaneMask PtxCode::special_value(const WarpState& warp, PtxSpecial which, LaneMask on, Lanes& out) const {
  const auto all = [&](std::int64_t value) {
    out.fill(static_cast<std::uint64_t>(value));
    return on;
  };
  const auto each = [&](const auto& of_lane) {
    for (std::size_t l = 0; l < 32; ++l) out[l] = of_lane(l);
    return on;
  };
  const auto number = static_cast<std::size_t>(which);
  const auto axis = number % 3;  // the first twelve come in threes: x, y, z
  static_assert(static_cast<int>(PtxSpecial::tid_x) == 0 && static_cast<int>(PtxSpecial::nctaid_z) == 11);
  if (which <= PtxSpecial::tid_z) {
    out = axis == 0 ? warp.tid_x : axis == 1 ? warp.tid_y : warp.tid_z;
    return on;
  }
  if (which <= PtxSpecial::ntid_z) return all(launch_.block[axis]);
  if (which <= PtxSpecial::ctaid_z) return all(warp.block[axis]);
  if (which <= PtxSpecial::nctaid_z) return all(launch_.grid[axis]);
  constexpr std::uint64_t warp_lanes = 0xffffffffu;
  switch (which) {
    case PtxSpecial::warpid: return all(warp.warp);
    case PtxSpecial::nwarpid: return all(launch_.warps_per_block());
    case PtxSpecial::dynamic_smem_size: return all(launch_.dynamic_shared_bytes);
    case PtxSpecial::laneid: return each([](std::size_t l) { return l; });
    case PtxSpecial::lanemask_eq: return each([](std::size_t l) { return std::uint64_t{1} << l; });
    case PtxSpecial::lanemask_lt: return each([](std::size_t l) { return (std::uint64_t{1} << l) - 1; });
    case PtxSpecial::lanemask_le: return each([](std::size_t l) { return (std::uint64_t{2} << l) - 1; });
    case PtxSpecial::lanemask_gt:
      return each([](std::size_t l) { return warp_lanes & ~((std::uint64_t{2} << l) - 1); });
    case PtxSpecial::lanemask_ge:
      return each([](std::size_t l) { return warp_lanes & ~((std::uint64_t{1} << l) - 1); });
    default: return 0;
  }
}

LaneMask PtxCode::fetch(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  switch (operand.kind) {
    case OperandKind::reg:
      out = warp.registers[static_cast<std::size_t>(operand.index)];
      if (operand.negated)
        for (auto& v : out) v ^= 1;
      return on & warp.known[static_cast<std::size_t>(operand.index)];
    case OperandKind::immediate: out.fill(static_cast<std::uint64_t>(operand.value)); return on;
    case OperandKind::symbol: out.fill(symbol_address(operand)); return on;
    case OperandKind::special: return special_value(warp, static_cast<PtxSpecial>(operand.index), on, out);
    default: return 0;
  }
}

LaneMask PtxCode::address(const WarpState& warp, const PtxOperand& operand, LaneMask on, Lanes& out) const {
  const LaneMask known = fetch(warp, operand, on, out);
  if (operand.kind == OperandKind::reg && operand.value != 0)
    for (auto& a : out) a += static_cast<std::uint64_t>(operand.value);
  return known;
}

void PtxCode::compare(const Step& s) const {
  const auto& in = s.in;
  const auto& d = in.operands[0];
  Lanes a, b;
  const LaneMask known_a = fetch(s.warp, in.operands[1], s.on, a);
  LaneMask known = ~s.unknown & known_a & fetch(s.warp, in.operands[2], s.on, b);
  const auto bound = compared_with(in);
  const bool wide = in.type.bytes == 8;
  if (bound && !in.type.is_half() &&
      (wide ? bounds_ordinary_doubles(*bound) : bounds_ordinary_floats(static_cast<std::uint32_t>(*bound)))) {
    for (const std::size_t lane : LanesOf{s.on & ~known_a}) a[lane] = wide ? ordinary_double : ordinary_float;
    known = s.on & ~s.unknown;
  }
  Lanes c{};
  const bool combined = in.operands.size() > 3;
  if (combined) known &= fetch(s.warp, in.operands[3], s.on, c);
  if (in.type.is_half()) known = 0;
  forget(s.warp, d, s.on);
  for (const std::size_t lane : LanesOf{known}) {
    const bool yes = ptx_compare(in, s.opcode, a[lane], b[lane]);
    const auto join = [&](bool r) {
      if (!combined) return r;
      const bool other = c[lane] & 1;
      if (s.opcode.find(".and.") != std::string::npos) return r && other;
      if (s.opcode.find(".or.") != std::string::npos) return r || other;
      return r != other;
    };
    if (d.index >= 0) s.warp.registers[static_cast<std::size_t>(d.index)][lane] = join(yes);
    if (d.second >= 0) s.warp.registers[static_cast<std::size_t>(d.second)][lane] = join(!yes);
  }
  if (d.index >= 0) s.warp.known[static_cast<std::size_t>(d.index)] |= known;
  if (d.second >= 0) s.warp.known[static_cast<std::size_t>(d.second)] |= known;
}

void PtxCode::convert_address(const Step& s) const {
  const auto d = static_cast<std::size_t>(s.in.operands[0].index);
  Lanes a;
  const LaneMask known = fetch(s.warp, s.in.operands[1], s.on, a) & ~s.unknown;
  const bool to = s.opcode.find(".to.") != std::string::npos;
  const std::uint64_t window = s.in.space == PtxSpace::shared     ? shared_window
                               : s.in.space == PtxSpace::local    ? local_window
                               : s.in.space == PtxSpace::constant ? constant_window
                                                                  : 0;
  auto& out = s.warp.registers[d];
  for (const std::size_t lane : LanesOf{known}) {
    out[lane] = to ? a[lane] - window : a[lane] + window;
  }
  s.warp.known[d] = (s.warp.known[d] & ~s.on) | known;
}

// mov.b64 {a, b}, c and mov.b64 c, {a, b}
void PtxCode::move_parts(const Step& s) const {
  const auto& d = s.in.operands[0];
  const auto& source = s.in.operands[1];
  const auto low_bits = [](std::size_t width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  };
  const auto width_of_one = [&](const PtxOperand& vector) {
    return 8u * s.in.type.bytes / std::max<std::size_t>(vector.elements.size(), 1);
  };
  Lanes value{};
  LaneMask known = s.on & ~s.unknown;
  if (source.kind == OperandKind::vector) {
    const auto width = width_of_one(source);
    for (std::size_t e = 0; e < source.elements.size(); ++e) {
      if (source.elements[e] < 0) {
        known = 0;
        continue;
      }
      const auto r = static_cast<std::size_t>(source.elements[e]);
      known &= s.warp.known[r];
      for (std::size_t lane = 0; lane < 32; ++lane)
        value[lane] |= (s.warp.registers[r][lane] & low_bits(width)) << (e * width % 64);
    }
  } else {
    known &= fetch(s.warp, source, s.on, value);
  }
  forget(s.warp, d, s.on);
  const auto put = [&](std::int32_t r, std::size_t shift, std::size_t width) {
    if (r < 0) return;
    for (const std::size_t lane : LanesOf{known}) {
      s.warp.registers[static_cast<std::size_t>(r)][lane] = (value[lane] >> shift) & low_bits(width);
    }
    s.warp.known[static_cast<std::size_t>(r)] |= known;
  };
  if (d.kind == OperandKind::vector) {
    const auto width = width_of_one(d);
    for (std::size_t e = 0; e < d.elements.size(); ++e) put(d.elements[e], e * width % 64, width);
  } else if (d.kind == OperandKind::reg) {
    put(d.index, 0, 64);
  }
}

void PtxCode::compute(const Step& s) const {
  const auto& in = s.in;
  const auto d = static_cast<std::size_t>(in.operands[0].index);
  std::array<Lanes, 4> source;
  LaneMask known = s.on & ~s.unknown;
  const std::size_t count = std::min<std::size_t>(in.operands.size() - 1, 4);
  for (std::size_t o = 0; o < count && known != 0; ++o) known &= fetch(s.warp, in.operands[o + 1], s.on, source[o]);
  auto& out = s.warp.registers[d];
  for (const std::size_t lane : LanesOf{known}) {
    out[lane] = ptx_compute(in, s.opcode, source[0][lane], count > 1 ? source[1][lane] : 0,
                            count > 2 ? source[2][lane] : 0, count > 3 ? source[3][lane] : 0);
  }
  s.warp.known[d] = (s.warp.known[d] & ~s.on) | known;
}

// vote.sync.ballot.b32 d, p, lanes; and any, all, uni, which give a predicate
void PtxCode::vote(const Step& s) const {
  const auto d = static_cast<std::size_t>(s.in.operands[0].index);
  Lanes p{};
  forget(s.warp, s.in.operands[0], s.on);
  if (s.in.operands.size() < 2 || s.unknown != 0 || (s.on & ~fetch(s.warp, s.in.operands[1], s.on, p)) != 0) return;
  LaneMask yes = 0;
  for (const std::size_t lane : LanesOf{s.on})
    yes |= static_cast<LaneMask>((p[lane] & 1) != (s.in.operands[1].negated ? 1u : 0u)) << lane;
  const auto is = [&](const char* kind) { return s.opcode.find(kind) != std::string::npos; };
  const std::uint64_t result = is(".ballot") ? yes
                               : is(".any")  ? yes != 0
                               : is(".uni")  ? yes == 0 || yes == s.on
                                             : yes == s.on;
  for (const std::size_t lane : LanesOf{s.on}) s.warp.registers[d][lane] = result;
  s.warp.known[d] |= s.on;
}

void PtxCode::put_result(const Step& s, LaneMask mask) const {
  const auto& in = s.in;
  if (in.operands.empty()) return;
  const auto& d = in.operands[0];
  const bool to_register = d.kind == OperandKind::reg;
  if (in.op == PtxOp::setp) return compare(s);
  if (in.op == PtxOp::cvta && to_register) return convert_address(s);
  if (in.op == PtxOp::mov &&
      (d.kind == OperandKind::vector || (in.operands.size() > 1 && in.operands[1].kind == OperandKind::vector)))
    return move_parts(s);
  if (to_register && d.second < 0 && !in.carry_out && ptx_computes(in)) return compute(s);
  if (in.op == PtxOp::vote && to_register) return vote(s);
  if (in.op == PtxOp::activemask && to_register) {
    s.warp.registers[static_cast<std::size_t>(d.index)].fill(mask);
    s.warp.known[static_cast<std::size_t>(d.index)] |= s.on;
    return;
  }
  forget(s.warp, d, s.on);  // carries, votes, shuffles, tensor products, …: computed by the device, not needed here
}

void PtxCode::execute(WarpState& warp, std::int32_t pc, LaneMask mask, StepOutcome& outcome) const {
  const auto& in = kernel_.body[static_cast<std::size_t>(pc)];
  const LaneMask on = guarded(warp, in, mask, outcome);
  outcome.lanes = on;
  const std::string& opcode = module_.opcodes[static_cast<std::size_t>(in.name)];
  const auto effect = ptx_operation(in.op).effect;
  switch (effect) {
    case PtxEffect::branch:
      outcome.kind = StepOutcome::Kind::branch;
      outcome.target = in.operands[0].index;
      return;
    case PtxEffect::exit: outcome.kind = StepOutcome::Kind::exit; return;
    case PtxEffect::barrier:
      if (opcode.find(".red") != std::string::npos && !in.operands.empty()) forget(warp, in.operands[0], on);
      if (opcode.find("arrive") == std::string::npos && opcode.find(".warp") == std::string::npos && on != 0)
        outcome.kind = StepOutcome::Kind::barrier;
      return;
    case PtxEffect::nothing: return;
    default: break;
  }
  if (on == 0) return;
  switch (effect) {
    case PtxEffect::load: return load(warp, in, on, outcome);
    case PtxEffect::store: return store(warp, in, on, outcome);
    case PtxEffect::atomic: return execute_memory(warp, in, on, outcome);
    case PtxEffect::refused:
      throw Error(ErrorCode::bad_input, fmt::format("the instruction '{}' is not supported", opcode),
                  source_place(module_, in),
                  in.op == PtxOp::call ? "compile with inlining: a function without a body in the text, by a register "
                                         "or of itself is not followed"
                                       : "");
    default: return put_result({warp, in, opcode, on, outcome.unknown}, mask);
  }
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
    each_register(operand, [&](std::int32_t r) { list.push_back(r); });
  }
}
}  // namespace sparsecast::gpu_code
