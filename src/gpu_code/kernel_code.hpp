#pragma once
// A kernel's code as it is read: PTX from a file, or compiled from CUDA, HIP or OpenCL C for a device.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// Code that has been read: from .ptx, or compiled from .cu and .cl for an architecture.
struct KernelCode {
  std::string ptx, file;                     ///< PTX text, and the name used in messages
  std::string assembly;                      ///< AMD devices: what their back end makes of the same source
  std::string source;                        ///< what was compiled; empty where that was PTX
  std::vector<std::string> parameter_names;  ///< of the kernel, from the source
  std::string kernel;
  std::vector<std::string> notes;  ///< what was assumed of the source
};
/// For a device: of an AMD one with its assembly.
[[nodiscard]] KernelCode load_code(const std::filesystem::path& file, const std::string& kernel,
                                   const std::vector<std::string>& defines, const KernelTimes& times, bool line_info);
}  // namespace sparsecast::gpu_code
