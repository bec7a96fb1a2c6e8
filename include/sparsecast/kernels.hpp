#pragma once
// The kernels that Sparsecast forecasts, measures and runs. A kernel is a storage format plus an algorithm, under the
// name that `sparsecast predict`, Forecast::kernel and PlannedBlock::kernel use.

#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// One row of the table. The texts live as long as the program. Thread safety: immutable.
struct Kernel {
  std::string_view name;     ///< "csr", "csr-merge", "sell", …
  std::string_view format;   ///< what it stores: "csr", "ell", "coo", "hyb", "jad" or "sell"
  bool on_host = false;      ///< runs on the host's cores
  bool on_gpu = false;       ///< runs on OpenCL and CUDA devices
  bool vendor = false;       ///< a product of the GPU vendor's own library: CUDA only, where that library is installed
  std::string_view summary;  ///< what it does, in half a line
  std::string_view source;   ///< the paper or vendor that it comes from; "host default" for this library's own
};

/// All kernels, in the order in which tables list them. Thread safety: safe from several threads at once.
[[nodiscard]] std::span<const Kernel> kernel_table();

/// One of them by name; nullptr for an unknown one. Thread safety: safe from several threads at once.
[[nodiscard]] const Kernel* find_kernel(std::string_view name);

}  // namespace sparsecast
#pragma GCC visibility pop
