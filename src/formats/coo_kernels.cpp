// Kernels on COO: `coo`, and the vendor's on GPUs.

#include "formats/coo.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"

namespace sparsecast::formats {
namespace {

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const double filled = static_cast<double>(s.rows - s.empty_rows);
  w.row_steps = filled;
  w.mispredictions = mispredicted_filled_share(s) * filled;
  w.thread_parts = parts_in_order(s, by_entries, context.threads);
  count_remembered(s, true, w);
  count_branches(w.nonzeros, w);  // an entry, a branch
}

}  // namespace

KernelInfo coo_kernel() {
  return {.name = "coo",
          .format = coo_format,
          .unit = WorkUnit::nonzero_per_thread,
          .on_gpu = true,
          .form = PaperForm::coo,
          .summary = "segmented reduction over non-zeros",
          .source = "Bell & Garland 2009",
          .host = {coo_bytes, build_coo<float>, build_coo<double>},
          .transposes = true,
          .index_bytes = {.of_slot = 8, .of_row = 0},
          .count = count,
          .gpu = {count_coo_on_gpu, 40, gpu_tile_items + gpu_group_threads}};
}

KernelInfo vendor_coo_kernel() {
  return {.name = "vendor-coo",
          .format = coo_format,
          .unit = WorkUnit::nonzero_per_thread,
          .on_gpu = true,
          .form = PaperForm::coo,
          .summary = "cuSPARSE COO",
          .source = "NVIDIA",
          .vendor = true};
}

}  // namespace sparsecast::formats
