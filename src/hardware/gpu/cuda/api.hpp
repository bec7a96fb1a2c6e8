#pragma once
// The functions of the CUDA driver in use, declared here from its reference (CUDA Driver API, "Modules"), so that the
// product builds without the CUDA toolkit and finds the driver's library at run time. The binary interface of these
// names is stable since CUDA 4; tests/hardware/cuda_test.cpp compares the numbers with cuda.h where that
// is.

#include "hardware/gpu/gpu_kernels.hpp"
#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
using CuStatus = int;                  // CUresult
using CuDeviceNumber = int;            // CUdevice
using CuAddress = unsigned long long;  // CUdeviceptr
using CuContext = struct CUctx_st*;
using CuModule = struct CUmod_st*;
using CuFunction = struct CUfunc_st*;
using CuStream = struct CUstream_st*;
using CuEvent = struct CUevent_st*;

#define CUDA_ATTRIBUTE(name, number) name = (number),
#define CUDA_RESULT(name, number) name = (number),
// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define CUDA_FUNCTION(name, arguments) CuStatus(*name) arguments = nullptr;
/// CUdevice_attribute
enum class CuAttribute : int {
#include "hardware/gpu/cuda/cuda_attributes.def"
};
/// CUresult values that are told apart; the others are told by the driver's own name.
enum class CuResult : int {
#include "hardware/gpu/cuda/cuda_results.def"
};
struct CudaApi {
#include "hardware/gpu/cuda/cuda_functions.def"
};
#undef CUDA_ATTRIBUTE
#undef CUDA_RESULT
#undef CUDA_FUNCTION

/// nullptr where no driver is here; `why` then says so. Loaded and initialised once.
const CudaApi* cuda_api(std::string* why = nullptr);

/// Opens the first of a library's names that is found, also in the toolkit's usual folders; nullptr for none.
void* open_cuda_library(const char* const* names, std::size_t count);
}  // namespace sparsecast::hardware
