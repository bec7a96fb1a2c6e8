#pragma once
// What clang's AMDGPU back end says of a kernel: registers, LDS and scratch memory, size, and its instructions by kind.
// Read from the assembly's text; AMD's "CDNA2 Instruction Set Architecture" names the instructions.

#include <cstdint>
#include <string>

namespace sparsecast::gpu_code {

struct AmdKernel {
  std::string name;
  int vector_registers = 0, scalar_registers = 0;
  std::int64_t lds_bytes = 0, scratch_bytes = 0, code_bytes = 0;
  /// Instructions as written, not as executed.
  std::int64_t vector = 0, scalar = 0, lds = 0, global = 0, scratch = 0, scalar_loads = 0, branches = 0, waits = 0;
};

/// The kernel of that name, mangled or not; the only one where `name` is empty. Error bad_input.
[[nodiscard]] AmdKernel read_amd_assembly(const std::string& text, const std::string& name);

}  // namespace sparsecast::gpu_code
