#pragma once
// What is not counted and is said not to be: bytes of textures, surfaces and asynchronous copies, and the long way of
// large angles.

#include <optional>
#include <string>

#include "gpu_code/ptx/ptx.hpp"

namespace sparsecast::gpu_code {
/// Assumed: by so much the time may be longer than it is without their bytes.
inline constexpr double uncounted_factor = 8;
/// Names those that stand in the kernel, as its PTX writes them, and says what is missing; nothing where there is none.
[[nodiscard]] std::optional<std::string> uncounted_note(const PtxModule& module, const PtxKernel& kernel);
/// Where the kernel holds a function of angles whose path for large ones is not followed; nothing where it holds none.
[[nodiscard]] std::optional<std::string> large_angles_note(const PtxKernel& kernel);
}  // namespace sparsecast::gpu_code
