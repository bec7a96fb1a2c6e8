// What PTX's memory instructions do: loads, stores and atomic operations, and the addresses they touch.

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"

namespace sparsecast::gpu_code {
namespace {

using OperandKind = PtxOperand::Kind;

// The space that an instruction works in. A generic address lies in the window of its space: taken off here.
PtxSpace space_of(const PtxInstruction& in, LaneMask known, Lanes& where) {
  if (in.space != PtxSpace::generic) return in.space;
  PtxSpace space = PtxSpace::global;
  for (LaneMask left = known; left != 0; left &= left - 1) {
    auto& a = where[static_cast<std::size_t>(std::countr_zero(left))];
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

/// What a load or store touches.
void describe(const WarpState& warp, const PtxInstruction& in, PtxSpace space, const Lanes& where, LaneMask on,
              LaneMask known, StepOutcome& outcome) {
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = traced_space(space);
  access.store = access.atomic = access.bypass_l1 = false;
  access.bytes = static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1) * static_cast<int>(in.vector));
  access.lanes = on;
  access.known = known;
  access.address = where;
  if (access.space == MemorySpace::local)  // interleaved by thread, so that a warp's access to one variable is one line
    for (std::size_t lane = 0; lane < 32; ++lane)
      access.address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                             (where[lane] / 4) * 128 + lane * 4 + where[lane] % 4;
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
  for (const auto e : operand.elements) {
    PtxOperand o;
    o.kind = e >= 0 ? OperandKind::reg : OperandKind::none;
    o.index = e;
    sources.push_back(o);
  }
  return sources;
}

void keep_local(std::map<std::uint64_t, std::uint8_t>& memory, std::uint64_t address, int bytes, bool known,
                std::uint64_t value) {
  for (int b = 0; b < bytes && b < 8; ++b) {
    const std::uint64_t at = address + static_cast<std::size_t>(b);
    if (known)
      memory[at] = static_cast<std::uint8_t>(value >> (8 * b));
    else
      memory.erase(at);
  }
}

}  // namespace

/// Little-endian value of up to 8 bytes; false where one of them is not known.
bool PtxCode::read(const WarpState& warp, PtxSpace space, std::size_t lane, std::uint64_t address, int bytes,
                   std::uint64_t& value) const {
  const int most = std::min(bytes, 8);
  bool found = true;
  switch (space) {
    case PtxSpace::param:
      found = address < parameter_bytes_.size() && static_cast<std::size_t>(bytes) <= parameter_bytes_.size() - address;
      for (int b = 0; found && b < most; ++b) {
        found = parameter_known_[address + static_cast<std::size_t>(b)];
        value |= static_cast<std::uint64_t>(parameter_bytes_[address + static_cast<std::size_t>(b)]) << (8 * b);
      }
      return found;
    case PtxSpace::shared:
      return warp.shared->read(address, most, value);
    case PtxSpace::local:
      for (int b = 0; found && b < most; ++b) {
        const auto byte = warp.local[lane].find(address + static_cast<std::size_t>(b));
        found = byte != warp.local[lane].end();
        if (found) value |= static_cast<std::uint64_t>(byte->second) << (8 * b);
      }
      return found;
    case PtxSpace::constant:
      return memory_.read(constant_window + address, most, value);
    default:
      return memory_.read(address, most, value);
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
    const int shift = 64 - 8 * bytes;
    const auto wide = static_cast<std::int64_t>(value << shift) >> shift;
    const int register_bytes = kernel_.register_types[r].bytes;
    value = static_cast<std::uint64_t>(wide) &
            (register_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * register_bytes)) - 1);
  }
  warp.registers[r][lane] = value;
  warp.known[r] |= bit;
}

void PtxCode::load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  std::array<std::int32_t, 8> targets;
  const auto count = targets_of(in.operands[0], targets);
  Lanes where;
  const LaneMask known = address(warp, in.operands[1], on, where);
  const PtxSpace space = space_of(in, known, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  for (LaneMask left = on; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
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
      for (LaneMask left = on & known; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
        const bool is_known = (value_known >> lane) & 1;
        if (space == PtxSpace::shared)
          warp.shared->write(a, std::min(bytes, 8), value[lane], is_known);
        else
          keep_local(warp.local[lane], a, bytes, is_known, value[lane]);
      }
    }
  }
  if (space == PtxSpace::constant) space = PtxSpace::global;
  describe(warp, in, space, where, on, known, outcome);
  outcome.access.store = true;
}

void PtxCode::execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  // atom d, [a], b … and red [a], b …
  const std::size_t at = in.op == PtxOp::red ? 0 : 1;
  if (in.op == PtxOp::atom) forget(warp, in.operands[0], on);
  if (in.operands.size() <= at) return;
  auto& access = outcome.access;
  outcome.has_access = true;
  access.known = address(warp, in.operands[at], on, access.address);
  access.space = in.space == PtxSpace::shared ? MemorySpace::shared : MemorySpace::global;
  if (in.space == PtxSpace::generic)
    for (LaneMask left = access.known; left != 0; left &= left - 1) {
      auto& a = access.address[static_cast<std::size_t>(std::countr_zero(left))];
      if (a >= shared_window) access.space = MemorySpace::shared, a -= shared_window;
    }
  access.store = in.op == PtxOp::red;
  access.atomic = true;
  access.bypass_l1 = true;
  access.bytes = static_cast<std::uint8_t>(std::max<int>(in.type.bytes, 1));
  access.lanes = on;
}

}  // namespace sparsecast::gpu_code
