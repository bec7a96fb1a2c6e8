#pragma once
// The OpenCL functions in use, from a loader library that is opened at run time: one executable runs with and without.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
struct OpenClApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define OPENCL_FUNCTION(name) decltype(&::name) name = nullptr;
#include "hardware/gpu/opencl/opencl_functions.def"
#undef OPENCL_FUNCTION
  /// OpenCL 2.1; nullptr where the loader is older.
  cl_int (*clGetKernelSubGroupInfo)(cl_kernel, cl_device_id, cl_uint, std::size_t, const void*, std::size_t, void*,
                                    std::size_t*) = nullptr;
};

/// nullptr where no loader library is here; `why` then says so. Loaded once.
const OpenClApi* opencl_api(std::string* why = nullptr);
}  // namespace sparsecast::hardware
