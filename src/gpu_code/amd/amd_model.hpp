#pragma once
// The time of a launch on an AMD device: its own assembly's instructions, executed as often as the trace of the same
// source says, against the resources of a compute unit. Static: no schedule is simulated. What of it is published and
// what was found on a measured table stands in docs/results-kernel.md.

#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
// What clang's AMDGPU back end says of a kernel: registers, LDS and scratch memory, and its instructions with the line
// and the loop that each stands in. Read from the assembly's text; AMD's "CDNA2 Instruction Set Architecture" names the
// instructions, the back end's remarks name the loops.

enum class AmdKind : std::uint8_t { vector, scalar, lds, global, scratch, wait, wait_for_loads };

struct AmdInstruction {
  AmdKind kind = AmdKind::scalar;
  std::int8_t dwords = 0;  ///< memory instructions: 32-bit words of a lane
  bool store = false;
  bool wide = false;      ///< LDS: words go in pairs, which asks for 8 bytes' alignment
  std::int32_t line = 0;  ///< of the user's source; 0 where not known
  std::int32_t loop = 0;  ///< the innermost loop's number; 0: none
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

/// `traced` is of the PTX of the same source.
[[nodiscard]] Overlap amd_time(const AmdKernel& kernel, const PtxCode& ptx, const TracedLaunch& traced,
                               const KernelTimes& times, const Occupancy& fits);
}  // namespace sparsecast::gpu_code
