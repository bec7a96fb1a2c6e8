#pragma once
// A PTX text read into its syntax tree.

#include <string>
#include <string_view>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// Error bad_input with line and column.
[[nodiscard]] PtxModule parse_ptx(std::string_view text, const std::string& file);
}  // namespace sparsecast::gpu_code
