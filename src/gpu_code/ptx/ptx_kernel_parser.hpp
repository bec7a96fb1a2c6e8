#pragma once
// Reads one kernel or function of a PTX text: its parameters, then statement by statement its registers, variables,
// labels and instructions. Names are looked up as they are met; labels, which may come later, at the end.

#include <optional>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_calls.hpp"
#include "gpu_code/ptx/ptx_declarations.hpp"
#include "gpu_code/ptx/ptx_opcodes.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
/// One kernel, from behind .entry to behind the closing brace; none for a prototype.
[[nodiscard]] std::optional<PtxRoutine> read_kernel(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                                    PtxModule& module,
                                                    const std::vector<PtxVariable>& module_variables);
/// One function, from behind .func.
[[nodiscard]] std::optional<PtxRoutine> read_function(PtxStream& in, PtxDeclarations& declarations, PtxOpcodes& opcodes,
                                                      PtxModule& module,
                                                      const std::vector<PtxVariable>& module_variables);
}  // namespace sparsecast::gpu_code
