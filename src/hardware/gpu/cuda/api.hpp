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

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

class NvmlClock {
 public:
  /// `bus`: the device's place on the bus ("0000:17:00.0"), by which CUDA's numbers and NVML's are told apart.
  explicit NvmlClock(const std::string& bus, const char* library = nvml_library);
  /// 0 where the library is not here or does not tell.
  [[nodiscard]] double hz() const;

 private:
  int (*clock_)(void* device, int type, unsigned* mhz) = nullptr;
  void* device_ = nullptr;
};

/// The kernels as nvcc compiled them: code for several architectures and PTX for later ones, in one binary. Empty where
/// nvcc was not found when the product was built.
std::span<const unsigned char> cuda_kernel_binary();

// CUDA's run-time compiler, where it is installed: for GPUs that the built-in binary has no code for (older than
// compute capability 7.5, or a driver older than the toolkit of the build), and for builds without nvcc.

/// Machine code of one function's version for a compute capability (10 × major + minor), under its cuda_symbol.
/// Error unavailable where the compiler is not installed, failed where it refuses the text.
std::string compile_with_nvrtc(const GpuFunction& function, Precision precision, int offset_bits, int capability);

// CUDA devices: which there are, what they are, and opening one for products.

/// "cuda:0", "cuda:1", … as the driver numbers them. Where there are none, `why` says what is missing and how to get
/// it.
std::vector<DeviceProperties> cuda_devices(std::string* why = nullptr);

/// Opens the N-th. Error unavailable with a remedy where it is not here.
std::unique_ptr<GpuRuntime> open_cuda(int number);

// cuSPARSE's products as a yardstick (kernels vendor-…); its library is opened at run time.

/// Values of cuSPARSE's enumerations.
namespace cusparse_numbers {
inline constexpr int allocation_failed = 2, not_supported = 10;
inline constexpr int index_32 = 2, index_64 = 3, base_zero = 0, order_row = 2;
inline constexpr int real_32 = 0, real_64 = 1;
inline constexpr int csr_1 = 2, csr_2 = 3, coo_1 = 1, coo_2 = 4, sell_1 = 5, bsr_1 = 6;
}  // namespace cusparse_numbers

/// nullptr where cuSPARSE is not installed. The context of `stream` must be current.
std::unique_ptr<VendorLibrary> open_cusparse(CuStream stream);
}  // namespace sparsecast::hardware
