#pragma once
// Reads PTX. An instruction that the analyser does not know is kept by name and refused only when it is executed.

#include <string>
#include <string_view>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// Error bad_input with line and column.
[[nodiscard]] PtxModule parse_ptx(std::string_view text, const std::string& file);
/// The kernel of that name, or the only one where `name` is empty; Error usage listing the names otherwise.
[[nodiscard]] const PtxKernel& find_kernel(const PtxModule& module, const std::string& name);
}  // namespace sparsecast::gpu_code
