#pragma once
// The table of kernels: a kernel is a storage format plus an algorithm, under the name that users type. One row each.
// sparsecast/kernels.hpp publishes what of it concerns users.

#include <span>
#include <string>
#include <string_view>

namespace sparsecast::formats {

/// What one unit of parallel work handles; the strip follows from it (Guo et al. 2014, section 3.1).
enum class WorkUnit { row_per_thread, row_per_warp, row_per_half_warp, nonzero_per_thread, balanced };

/// The papers' form of model that a kernel takes (forecast/papers/paper_forms.hpp).
enum class PaperForm { csr, ell, coo, hyb };

struct KernelInfo {
  std::string_view name;
  std::string_view format;
  WorkUnit unit;
  bool on_host;
  bool on_gpu;
  PaperForm form;
  std::string_view summary;
  std::string_view source;
  bool vendor = false;  ///< a product of the GPU vendor's own library, there only where that is installed
};

/// All kernels, in the order in which tables list them.
std::span<const KernelInfo> kernel_table();
/// nullptr for an unknown name.
const KernelInfo* find_kernel(std::string_view name);
/// Names separated by commas, for messages.
std::string kernel_names(bool on_host);

}  // namespace sparsecast::formats
