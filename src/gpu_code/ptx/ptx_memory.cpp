// What PTX's memory instructions do: loads, stores and atomic operations, and the addresses they touch.

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
using OperandKind = PtxOperand::Kind;

// The space that an instruction works in. A generic address lies in the window of its space: taken off here.
PtxSpace space_of(const PtxInstruction& in, LaneMask known, Lanes& where) {
  if (in.space != PtxSpace::generic) return in.space;
  PtxSpace space = PtxSpace::global;
  for (const std::size_t lane : LanesOf{known}) {
    auto& a = where[lane];
    if (a >= local_window)
      space = PtxSpace::local, a -= local_window;
    else if (a >= shared_window)
      space = PtxSpace::shared, a -= shared_window;
    else if (a >= constant_window)
      space = PtxSpace::constant, a -= constant_window;
  }
  return space;
}

MemorySpace traced_space(PtxSpace space) {
  return space == PtxSpace::shared     ? MemorySpace::shared
         : space == PtxSpace::constant ? MemorySpace::constant
         : space == PtxSpace::local    ? MemorySpace::local
                                       : MemorySpace::global;
}

/// Compilers join what a warp's lanes do to one word by an instruction of the warp, where whole numbers are added or
/// compared; never in shared memory, and no floats.
bool joined_by_compiler(const PtxInstruction& in, const std::string& opcode, MemorySpace space) {
  constexpr std::string_view joined[] = {".add.", ".min.", ".max.", ".and.", ".or.", ".xor."};
  return space == MemorySpace::global && in.type.kind != PtxType::Kind::floating &&
         std::ranges::any_of(joined, [&](auto part) { return opcode.find(part) != std::string::npos; });
}

/// One lane where all name the same address, else all of them.
LaneMask one_of_equals(LaneMask on, LaneMask known, const Lanes& where) {
  if (on == 0 || (on & ~known) != 0) return on;
  const auto first = static_cast<std::size_t>(std::countr_zero(on));
  for (const std::size_t lane : LanesOf{on})
    if (where[lane] != where[first]) return on;
  return LaneMask{1} << first;
}

/// What a load or store touches.
void describe(const WarpState& warp, const PtxInstruction& in, PtxSpace space, const Lanes& where, LaneMask on,
              LaneMask known, StepOutcome& outcome) {
  outcome.has_access = true;
  outcome.access = {traced_space(space),
                    false,
                    false,
                    false,
                    static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1) * static_cast<int>(in.vector)),
                    on,
                    known,
                    space == PtxSpace::local ? local_addresses(warp, where) : where};
}

/// The registers that a load fills.
std::size_t targets_of(const PtxOperand& d, std::array<std::int32_t, 8>& targets) {
  targets.fill(-1);
  if (d.kind == OperandKind::vector) {
    const auto count = std::min<std::size_t>(d.elements.size(), 8);
    std::copy_n(d.elements.begin(), count, targets.begin());
    return count;
  }
  if (d.kind == OperandKind::reg) targets[0] = d.index;
  return 1;
}

/// The operands that a store takes its elements from.
std::vector<PtxOperand> sources_of(const PtxOperand& operand) {
  if (operand.kind != OperandKind::vector) return {operand};
  std::vector<PtxOperand> sources;
  for (const auto e : operand.elements)
    sources.push_back({.kind = e >= 0 ? OperandKind::reg : OperandKind::none, .index = e});
  return sources;
}
}  // namespace

/// Up to 8 bytes; false where one of them is not known.
bool PtxCode::read(const WarpState& warp, PtxSpace space, std::size_t lane, std::uint64_t address, int bytes,
                   std::uint64_t& value) const {
  const int most = std::min(bytes, 8);
  switch (space) {
    case PtxSpace::param: return parameters_.read(address, most, value);
    case PtxSpace::shared: return warp.shared->read(address, most, value);
    case PtxSpace::local: return warp.local[lane].read(address, most, value);
    case PtxSpace::constant: return memory_.read(constant_window + address, most, value);
    default: return memory_.read(address, most, value);
  }
}

/// A loaded element goes to its register, widened with its sign where the type has one.
void PtxCode::put_loaded(WarpState& warp, const PtxInstruction& in, std::int32_t reg, std::size_t lane, bool known,
                         std::uint64_t value) const {
  if (reg < 0) return;
  const auto r = static_cast<std::size_t>(reg);
  const LaneMask bit = LaneMask{1} << lane;
  if (!known) {
    warp.known[r] &= ~bit;
    return;
  }
  const int bytes = std::max<int>(in.type.bytes, 1);
  if (in.type.kind == PtxType::Kind::signed_ && bytes < 8) {
    const int register_bytes = kernel_.register_types[r].bytes;
    value = static_cast<std::uint64_t>(sign_extend(value, 8 * bytes)) &
            (register_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * register_bytes)) - 1);
  }
  warp.registers[r][lane] = value;
  warp.known[r] |= bit;
}

void PtxCode::place(MemoryAccess& access, const PtxOperand& operand) const {
  if (operand.kind != OperandKind::reg || access.space != MemorySpace::global) return;
  const std::int32_t variable = variables_[static_cast<std::size_t>(operand.index)];
  if (variable < 0) return;
  const auto& v = kernel_.variables[static_cast<std::size_t>(variable)];
  if (v.space != PtxSpace::global || v.external) return;
  access.region = symbol_address({.kind = OperandKind::symbol, .index = variable});
  access.region_bytes = static_cast<std::uint64_t>(v.bytes);
}

void PtxCode::load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  std::array<std::int32_t, 8> targets;
  const auto count = targets_of(in.operands[0], targets);
  Lanes where;
  const LaneMask known = address(warp, in.operands[1], on, where);
  const PtxSpace space = space_of(in, known, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  for (const std::size_t lane : LanesOf{on}) {
    for (std::size_t e = 0; e < count; ++e) {
      std::uint64_t value = 0;
      const bool found = ((known >> lane) & 1) &&
                         read(warp, space, lane, where[lane] + e * static_cast<std::size_t>(bytes), bytes, value);
      put_loaded(warp, in, targets[e], lane, found, value);
    }
  }
  if (space == PtxSpace::param) return;
  describe(warp, in, space, where, on, known, outcome);
  outcome.access.bypass_l1 = in.cache_global;
  place(outcome.access, in.operands[1]);
}

void PtxCode::store(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[0], on, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  PtxSpace space = space_of(in, known, where);
  if (space == PtxSpace::shared || space == PtxSpace::local) {
    const auto sources = sources_of(in.operands[1]);
    for (std::size_t e = 0; e < sources.size(); ++e) {
      Lanes value;
      const LaneMask value_known = fetch(warp, sources[e], on, value);
      for (const std::size_t lane : LanesOf{on & known}) {
        const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
        const bool is_known = (value_known >> lane) & 1;
        if (space == PtxSpace::shared)
          warp.shared->write(a, std::min(bytes, 8), value[lane], is_known);
        else
          warp.local[lane].write(a, std::min(bytes, 8), value[lane], is_known);
      }
    }
  }
  if (space == PtxSpace::constant) space = PtxSpace::global;
  describe(warp, in, space, where, on, known, outcome);
  outcome.access.store = true;
  place(outcome.access, in.operands[0]);
}

void PtxCode::execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  // atom d, [a], b … and red [a], b …
  const std::size_t at = in.op == PtxOp::red ? 0 : 1;
  if (in.op == PtxOp::atom) forget(warp, in.operands[0], on);
  if (in.operands.size() <= at) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[at], on, where);
  const auto space = traced_space(space_of(in, known, where));
  const LaneMask lanes = joined_by_compiler(in, module_.opcodes[static_cast<std::size_t>(in.name)], space)
                             ? one_of_equals(on, known, where)
                             : on;
  outcome.has_access = true;
  outcome.access = {
      space, in.op == PtxOp::red, true, true, static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1)), lanes, known,
      where};
  place(outcome.access, in.operands[at]);
}
}  // namespace sparsecast::gpu_code
