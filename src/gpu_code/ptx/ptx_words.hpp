#pragma once
// The words of PTX: the parts of an opcode, types, special registers (PTX ISA 9.0). Not here: the operations
// (ptx_operations.hpp) and the syntax around them.

#include <optional>
#include <string>
#include <string_view>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// What the parts of an opcode say; PtxOp::unknown for a name that is not known.
[[nodiscard]] PtxInstruction ptx_shape(const std::string& opcode);
[[nodiscard]] std::optional<PtxType> ptx_type(std::string_view name);
[[nodiscard]] PtxSpecial ptx_special(std::string_view name);
}  // namespace sparsecast::gpu_code
