#pragma once
// Which registers point into a variable of the text, whatever the subscript: an address that depends on unknown data
// still lies within the table that it is of.

#include <cstdint>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// By register, the variable that it points into, of PtxKernel::variables; negative where it points into none, or may
/// point somewhere else as well.
[[nodiscard]] std::vector<std::int32_t> variables_of_registers(const PtxKernel& kernel);
}  // namespace sparsecast::gpu_code
