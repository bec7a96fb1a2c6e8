#pragma once
// What clang's AMDGPU back end says of a kernel: registers, LDS and scratch memory, and its instructions with the lines
// of the source that they come from.

#include <cstdint>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {
enum class AmdKind : std::uint8_t { vector, scalar, lds, global, scratch, wait, wait_for_loads };

/// Which part of a vector unit computes it.
enum class AmdUnit : std::uint8_t { plain, function, double_ };

struct AmdInstruction {
  AmdKind kind = AmdKind::scalar;
  std::int8_t dwords = 0;  ///< memory instructions: 32-bit words of a lane
  bool store = false;
  bool wide = false;  ///< LDS: words go in pairs, which asks for 8 bytes' alignment
  AmdUnit unit = AmdUnit::plain;
  std::int32_t line = 0, column = 0;        ///< of the user's source; 0 where not known
  std::int32_t loop = 0;                    ///< the innermost loop's number; 0: none
  std::vector<std::int32_t> writes, reads;  ///< registers, numbered whatever their kind
};

struct AmdKernel {
  std::string name;
  int vector_registers = 0;
  std::int64_t lds_bytes = 0, scratch_bytes = 0;
  std::vector<AmdInstruction> instructions;
};

/// The kernel of that name, mangled or not; the only one where `name` is empty. `source` is the name of the user's
/// file, whose lines count. Error bad_input.
[[nodiscard]] AmdKernel read_amd_assembly(const std::string& text, const std::string& name, const std::string& source);
}  // namespace sparsecast::gpu_code
