// What can be tested of CUDA without a GPU: the compiled kernels, the declarations, the table of architectures.

#include <gtest/gtest.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <string_view>

#include "hardware/gpu/cuda/api.hpp"
#include "hardware/gpu/cuda/cusparse.hpp"
#include "hardware/gpu/cuda/kernel_binary.hpp"
#include "hardware/gpu/cuda/nvml.hpp"
#include "hardware/gpu/cuda/runtime.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "support/parts.hpp"
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
#endif

namespace sparsecast {
namespace {

TEST(CudaBinary, HoldsEveryVersionOfEveryFunction) {
  const auto bytes = hardware::cuda_kernel_binary();
  if (bytes.empty()) SKIP_OR_FAIL(test::parts::nvcc);
  const std::string_view binary(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const hardware::GpuFunction& function : hardware::gpu_functions()) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      for (const int offset_bits : {32, 64}) {
        const std::string symbol = hardware::cuda_symbol(function, precision, offset_bits);
        EXPECT_NE(binary.find(".text." + symbol), std::string_view::npos) << symbol;
      }
    }
  }
}

TEST(CudaSymbol, NamesValueAndOffsetWidth) {
  EXPECT_EQ(hardware::cuda_symbol(hardware::gpu_function("csr_vector"), Precision::double_, 32), "csr_vector_f64_o32");
  EXPECT_EQ(hardware::cuda_symbol(hardware::gpu_function("ell"), Precision::single_, 64), "ell_f32");
  EXPECT_EQ(hardware::cuda_symbol(hardware::gpu_function("chase"), Precision::double_, 32), "chase_f32")
      << "one version for all";
}

TEST(GpuSource, CarriesItsSizesAsMacros) {
  const hardware::GpuSource source =
      hardware::gpu_source(hardware::gpu_function("csr_half"), "opencl.h", Precision::single_, 64, 32);
  for (const char* macro : {"VALUE=float", "OFFSET=long", "LANES=16", "WARP=32", "CSR_LANES=csr_half"})
    EXPECT_NE(std::ranges::find(source.macros, macro), source.macros.end()) << macro;
  EXPECT_NE(source.text.find("KERNEL(CSR_LANES)"), std::string::npos);
}

// A library with NVML's names that knows one device, which runs at 1,410 MHz.
TEST(NvmlClock, IsThatOfTheDeviceAtItsPlaceOnTheBus) {
  EXPECT_EQ(hardware::NvmlClock("0000:17:00.0", SPARSECAST_FAKE_NVML).hz(), 1.41e9);
  EXPECT_EQ(hardware::NvmlClock("0000:65:00.0", SPARSECAST_FAKE_NVML).hz(), 0) << "unknown there";
  EXPECT_EQ(hardware::NvmlClock("0000:17:00.0", "libthere-is-none.so.1").hz(), 0);
}

TEST(CudaDevices, AbsentOnesAreUnavailableWithARemedy) {
  std::string why;
  if (!hardware::cuda_devices(&why).empty()) GTEST_SKIP() << "a CUDA device is here";
  EXPECT_FALSE(why.empty());
  try {
    (void)hardware::open_cuda(0);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_FALSE(error.remedy().empty());
  }
}

#ifdef CUDA_VERSION
TEST(CudaDeclarations, AgreeWithTheHeader) {
  EXPECT_EQ(int(hardware::CuAttribute::max_threads_per_block), CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(int(hardware::CuAttribute::max_grid_x), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_EQ(int(hardware::CuAttribute::warp_size), CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  EXPECT_EQ(int(hardware::CuAttribute::clock_khz), CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  EXPECT_EQ(int(hardware::CuAttribute::multiprocessors), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(int(hardware::CuAttribute::memory_clock_khz), CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  EXPECT_EQ(int(hardware::CuAttribute::memory_bus_bits), CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  EXPECT_EQ(int(hardware::CuAttribute::l2_bytes), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int(hardware::CuAttribute::max_threads_per_multiprocessor),
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  EXPECT_EQ(int(hardware::CuAttribute::capability_major), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int(hardware::CuAttribute::capability_minor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int(hardware::CuAttribute::shared_bytes_per_multiprocessor),
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  EXPECT_EQ(int(hardware::CuAttribute::registers_per_multiprocessor),
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  EXPECT_EQ(int(hardware::CuResult::out_of_memory), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(int(hardware::CuResult::no_device), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(int(hardware::CuResult::invalid_image), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(int(hardware::CuResult::no_binary_for_gpu), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(int(hardware::CuResult::ecc_uncorrectable), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(int(hardware::CuResult::unsupported_ptx_version), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(int(hardware::CuResult::illegal_address), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(int(hardware::CuResult::launch_timeout), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(int(hardware::CuResult::hardware_stack_error), CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_EQ(int(hardware::CuResult::launch_failed), CUDA_ERROR_LAUNCH_FAILED);
  static_assert(sizeof(hardware::CuStatus) == sizeof(CUresult) &&
                sizeof(hardware::CuDeviceNumber) == sizeof(CUdevice) &&
                sizeof(hardware::CuAddress) == sizeof(CUdeviceptr));
}
#endif

#ifdef CUSPARSE_VERSION
TEST(CuSparseDeclarations, AgreeWithTheHeader) {
  EXPECT_EQ(hardware::cusparse_numbers::allocation_failed, CUSPARSE_STATUS_ALLOC_FAILED);
  EXPECT_EQ(hardware::cusparse_numbers::not_supported, CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(hardware::cusparse_numbers::index_32, CUSPARSE_INDEX_32I);
  EXPECT_EQ(hardware::cusparse_numbers::index_64, CUSPARSE_INDEX_64I);
  EXPECT_EQ(hardware::cusparse_numbers::base_zero, CUSPARSE_INDEX_BASE_ZERO);
  EXPECT_EQ(hardware::cusparse_numbers::real_32, CUDA_R_32F);
  EXPECT_EQ(hardware::cusparse_numbers::real_64, CUDA_R_64F);
  EXPECT_EQ(hardware::cusparse_numbers::csr_1, CUSPARSE_SPMV_CSR_ALG1);
  EXPECT_EQ(hardware::cusparse_numbers::csr_2, CUSPARSE_SPMV_CSR_ALG2);
  EXPECT_EQ(hardware::cusparse_numbers::coo_1, CUSPARSE_SPMV_COO_ALG1);
  EXPECT_EQ(hardware::cusparse_numbers::coo_2, CUSPARSE_SPMV_COO_ALG2);
  EXPECT_EQ(hardware::cusparse_numbers::sell_1, CUSPARSE_SPMV_SELL_ALG1);
#if CUDA_VERSION >= 13000
  EXPECT_EQ(hardware::cusparse_numbers::bsr_1, CUSPARSE_SPMV_BSR_ALG1);
#endif
  EXPECT_EQ(hardware::cusparse_numbers::order_row, CUSPARSE_ORDER_ROW);
  EXPECT_EQ(CUSPARSE_OPERATION_NON_TRANSPOSE, 0);
}
#endif

TEST(ResidentThreads, OfKnownArchitectures) {
  EXPECT_EQ(hardware::nvidia_threads_per_unit(2, 0), 1536);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(3, 7), 2048);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(7, 0), 2048);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(7, 5), 1024);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(8, 6), 1536);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(8, 9), 1536);
  EXPECT_EQ(hardware::nvidia_threads_per_unit(9, 0), 2048);
  EXPECT_EQ(hardware::amd_wavefronts_per_unit("gfx90a:sramecc+:xnack-"), 32);
  EXPECT_EQ(hardware::amd_wavefronts_per_unit("gfx906"), 40);
  EXPECT_EQ(hardware::amd_wavefronts_per_unit("gfx1030"), 32);
}

}  // namespace
}  // namespace sparsecast
