#pragma once
// Operations that reach memory and whose bytes are not counted: textures, surfaces and asynchronous copies.

#include <optional>
#include <string>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// Assumed: by so much the time may be longer than it is without their bytes.
inline constexpr double uncounted_factor = 8;
/// Names those that stand in the kernel, as its PTX writes them, and says what is missing; nothing where there is none.
[[nodiscard]] std::optional<std::string> uncounted_note(const PtxModule& module, const PtxKernel& kernel);
}  // namespace sparsecast::gpu_code
