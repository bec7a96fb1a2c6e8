#pragma once
// The words of PTX: opcodes and their parts, types, special registers (PTX ISA 9.0). Not here: the syntax around them.

#include <optional>
#include <string_view>

#include "kernel/ptx.hpp"

namespace sparsecast::kernel {

/// What the parts of an opcode say; PtxOp::unknown for a name that is not known.
[[nodiscard]] PtxInstruction ptx_shape(const std::string& opcode);
/// Operands that an instruction has at least; 0 where the count differs between forms or nothing relies on it.
[[nodiscard]] std::size_t fewest_operands(PtxOp op);
[[nodiscard]] std::optional<PtxType> ptx_type(std::string_view name);
[[nodiscard]] PtxSpecial ptx_special(std::string_view name);

}  // namespace sparsecast::kernel
