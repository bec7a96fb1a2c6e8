#pragma once
// Names of a kernel's parameters, which PTX does not keep.

#include <string>
#include <vector>

namespace sparsecast::gpu_code {

/// Names of a kernel's parameters from CUDA C++ or OpenCL C source; empty where it is not found.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel);

}  // namespace sparsecast::gpu_code
