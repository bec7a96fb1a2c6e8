#pragma once
// The table of kernels: a kernel is a storage format plus an algorithm, under the name that users type. A row says all
// that the rest of the program asks of a kernel: how it is built, what a forecast counts, how the planner takes it.
// Rows stand beside their format's host product (csr.cpp, …), kernel_list.hpp names them;
// sparsecast/kernels.hpp publishes what of them concerns users.

#include "formats/gpu/gpu_counts.hpp"
#include "formats/host_product.hpp"

namespace sparsecast::formats {
/// What one unit of parallel work handles; the strip follows from it (Guo et al. 2014, section 3.1).
enum class WorkUnit { row_per_thread, row_per_warp, row_per_half_warp, nonzero_per_thread, balanced };

/// The papers' form of model that a kernel takes (forecast/papers/paper_model.hpp).
enum class PaperForm { csr, ell, coo, hyb };

/// The structure that a kernel's form is made for; the others take any matrix.
enum class MadeFor { any, diagonals, blocks, symmetry, compact };

/// Formats by the names that users, tables and device code call them.
inline constexpr std::string_view csr_format = "csr", coo_format = "coo", ell_format = "ell", hyb_format = "hyb",
                                  jad_format = "jad", sell_format = "sell";

struct KernelInfo {
  std::string_view name;
  std::string_view format;
  WorkUnit unit = WorkUnit::balanced;
  bool on_host = false;  ///< true where there is a `host`; the table sees to that
  bool on_gpu = false;
  PaperForm form = PaperForm::csr;
  std::string_view summary;
  std::string_view source;
  bool vendor = false;  ///< a product of the GPU vendor's own library, there only where that is installed

  HostKernel host = {};  ///< size and conversion on the host
  // What the host's product does beside y = A·x itself and does not leave to the defaults of host_product.cpp.
  bool reads_once = false;  ///< the matrix is read once for several vectors
  bool transposes = false;  ///< it has a transposed product of its own
  /// Where y = A·x takes dot products with it: rows of y are whole at multiples of so many; 0: in a pass of their own.
  int dots_step = 0;
  MadeFor made_for = MadeFor::any;
  /// Of a form made for a structure: why it is not built for such a matrix, empty where it is. nullptr: for any.
  std::string (*refusal)(const Structure& structure) = nullptr;

  // Forecasts.
  Padding padding = Padding::none;
  int index_bytes = 4;        ///< of a slot's own indices, 32-bit ones
  bool keeps_values = false;  ///< its values are the Matrix's own in the precision of matrix files
  /// What a product on the host does beside the general part of `workload`, which is there already, misses of x and
  /// bytes of the format included.
  void (*count)(const Structure& structure, const WorkContext& context, Workload& workload) = count_rows;
  /// The same of a product on a GPU; none where its code is not ours.
  GpuText gpu = {};
  /// The two kernels that one of PaperForm::hyb is made of: of the rows up to hyb_split()'s width, and of the rest.
  std::string_view regular = {}, overflow = {};

  /// Of a variant: the kernel that it is one of. Calibrations leave variants out; that kernel's fits forecast them, at
  /// their own counts.
  std::string_view variant_of = {};
  /// The kernel whose loops these are but for what they decode or mirror: its fitted costs are the prior of this one's.
  std::string_view costs_like = {};
  /// Of a variant: the kernel whose conversions tell what its own take.
  std::string_view converts_like = {};

  // Plans.
  bool whole_only = false;  ///< on one thread it is another kernel, so that on the host no block of a cut takes it
  /// Only of the kernel whose blocks planning/run multiplies by simd/row_sums itself, where they lie in the Matrix or
  /// with the rows sorted by length: the kernel whose conversion moves what sorting moves.
  std::string_view sorted_like = {};

  /// Where no kernel is named (traffic of a MATLAB program), the first choice is 1; 0: none.
  int choice = 0;
};

/// All kernels, in the order in which tables list them.
std::span<const KernelInfo> kernel_table();
/// nullptr for an unknown name.
const KernelInfo* find_kernel(std::string_view name);
/// The row of that name. Imported tables may tell of kernels that this program does not have: those are taken to go
/// through the non-zeros row by row, without padding.
const KernelInfo& kernel_or_plain(std::string_view name);
/// The kernel whose measured times speak for this one: itself, or the one that it is a variant of.
std::string_view measured_as(std::string_view name);
/// The host's default, which multiplies the Matrix's own arrays and needs no conversion: the first of the table.
const KernelInfo& default_kernel();
/// Whether the host's kernel of that name has a product of complex values.
bool multiplies_complex(std::string_view name);
/// KernelInfo::refusal of the kernel of that name; empty for an unknown one.
std::string refusal_of(std::string_view name, const Structure& structure);
/// Names separated by commas, for messages.
std::string kernel_names(bool on_host);
/// What to say of a name that is none of them: which was meant, and all of them.
std::string unknown_kernel_remedy(std::string_view kernel, bool on_host);
}  // namespace sparsecast::formats
