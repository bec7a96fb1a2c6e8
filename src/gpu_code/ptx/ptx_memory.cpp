// What PTX's memory instructions do: loads, stores and atomic operations, and the addresses they touch.

#include <algorithm>
#include <bit>

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

}  // namespace

void PtxCode::load(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  std::array<std::int32_t, 8> targets;
  targets.fill(-1);
  const auto& d = in.operands[0];
  std::size_t count = 1;
  if (d.kind == OperandKind::vector) {
    count = std::min<std::size_t>(d.elements.size(), 8);
    std::copy_n(d.elements.begin(), count, targets.begin());
  } else if (d.kind == OperandKind::reg) {
    targets[0] = d.index;
  }
  if (in.operands.size() < 2) return;
  Lanes where;
  LaneMask known = address(warp, in.operands[1], on, where);
  const PtxSpace space = space_of(in, known, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  const auto set = [&](std::size_t element, std::size_t lane, bool is_known, std::uint64_t value) {
    const auto r = targets[element];
    if (r < 0) return;
    const LaneMask bit = LaneMask{1} << lane;
    if (!is_known) {
      warp.known[static_cast<std::size_t>(r)] &= ~bit;
      return;
    }
    if (in.type.kind == PtxType::Kind::signed_ && bytes < 8) {
      const int shift = 64 - 8 * bytes;
      const auto wide = static_cast<std::int64_t>(value << shift) >> shift;
      const int register_bytes = kernel_.register_types[static_cast<std::size_t>(r)].bytes;
      value = static_cast<std::uint64_t>(wide) &
              (register_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * register_bytes)) - 1);
    }
    warp.registers[static_cast<std::size_t>(r)][lane] = value;
    warp.known[static_cast<std::size_t>(r)] |= bit;
  };
  for (LaneMask left = on; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    for (std::size_t e = 0; e < count; ++e) {
      const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
      bool found = (known >> lane) & 1;
      std::uint64_t value = 0;
      if (found) {
        switch (space) {
          case PtxSpace::param:
            found = a < parameter_bytes_.size() && static_cast<std::size_t>(bytes) <= parameter_bytes_.size() - a;
            for (int b = 0; found && b < bytes && b < 8; ++b) {
              found = parameter_known_[a + static_cast<std::size_t>(b)];
              value |= static_cast<std::uint64_t>(parameter_bytes_[a + static_cast<std::size_t>(b)]) << (8 * b);
            }
            break;
          case PtxSpace::shared:
            found = warp.shared->read(a, std::min(bytes, 8), value);
            break;
          case PtxSpace::local:
            for (int b = 0; found && b < bytes && b < 8; ++b) {
              const auto byte = warp.local[lane].find(a + static_cast<std::size_t>(b));
              found = byte != warp.local[lane].end();
              if (found) value |= static_cast<std::uint64_t>(byte->second) << (8 * b);
            }
            break;
          case PtxSpace::constant:
            found = memory_.read(constant_window + a, std::min(bytes, 8), value);
            break;
          default:
            found = memory_.read(a, std::min(bytes, 8), value);
        }
      }
      set(e, lane, found, value);
    }
  }
  if (space == PtxSpace::param) return;
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = space == PtxSpace::shared     ? MemorySpace::shared
                 : space == PtxSpace::constant ? MemorySpace::constant
                 : space == PtxSpace::local    ? MemorySpace::local
                                               : MemorySpace::global;
  access.store = access.atomic = false;
  access.bypass_l1 = in.cache_global;
  access.bytes = static_cast<std::uint8_t>(bytes * static_cast<int>(in.vector));
  access.lanes = on;
  access.known = known;
  access.address = where;
  if (access.space == MemorySpace::local)  // interleaved by thread, so that a warp's access to one variable is one line
    for (std::size_t lane = 0; lane < 32; ++lane)
      access.address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                             (where[lane] / 4) * 128 + lane * 4 + where[lane] % 4;
}

void PtxCode::store(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  if (in.operands.size() < 2) return;
  Lanes where;
  const LaneMask known = address(warp, in.operands[0], on, where);
  const int bytes = std::max<int>(in.type.bytes, 1);
  const PtxSpace space = space_of(in, known, where);
  if (space == PtxSpace::shared || space == PtxSpace::local) {
    std::vector<PtxOperand> sources;
    if (in.operands[1].kind == OperandKind::vector) {
      for (const auto e : in.operands[1].elements) {
        PtxOperand o;
        o.kind = e >= 0 ? OperandKind::reg : OperandKind::none;
        o.index = e;
        sources.push_back(o);
      }
    } else {
      sources.push_back(in.operands[1]);
    }
    for (std::size_t e = 0; e < sources.size(); ++e) {
      Lanes value;
      const LaneMask value_known = fetch(warp, sources[e], on, value);
      for (LaneMask left = on; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (!((known >> lane) & 1)) continue;
        const std::uint64_t a = where[lane] + e * static_cast<std::size_t>(bytes);
        const bool is_known = (value_known >> lane) & 1;
        if (space == PtxSpace::shared) {
          warp.shared->write(a, std::min(bytes, 8), value[lane], is_known);
          continue;
        }
        for (int b = 0; b < bytes && b < 8; ++b) {
          const std::uint64_t at = a + static_cast<std::size_t>(b);
          if (is_known)
            warp.local[lane][at] = static_cast<std::uint8_t>(value[lane] >> (8 * b));
          else
            warp.local[lane].erase(at);
        }
      }
    }
  }
  outcome.has_access = true;
  auto& access = outcome.access;
  access.space = space == PtxSpace::shared  ? MemorySpace::shared
                 : space == PtxSpace::local ? MemorySpace::local
                                            : MemorySpace::global;
  access.store = true;
  access.atomic = access.bypass_l1 = false;
  access.bytes = static_cast<std::uint8_t>(bytes * static_cast<int>(in.vector));
  access.lanes = on;
  access.known = known;
  access.address = where;
  if (access.space == MemorySpace::local)
    for (std::size_t lane = 0; lane < 32; ++lane)
      access.address[lane] = (local_buffer << 40) + static_cast<std::uint64_t>(warp.warp) * 0x1000000 +
                             (where[lane] / 4) * 128 + lane * 4 + where[lane] % 4;
}

void PtxCode::execute_memory(WarpState& warp, const PtxInstruction& in, LaneMask on, StepOutcome& outcome) const {
  const auto forget = [&](const PtxOperand& o) {
    if (o.kind == OperandKind::reg) warp.known[static_cast<std::size_t>(o.index)] &= ~on;
    for (const auto e : o.elements)
      if (e >= 0) warp.known[static_cast<std::size_t>(e)] &= ~on;
  };
  // atom d, [a], b … and red [a], b …
  const std::size_t at = in.op == PtxOp::red ? 0 : 1;
  if (in.op == PtxOp::atom) forget(in.operands[0]);
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
