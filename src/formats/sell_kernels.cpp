// Kernels on SELL-C-σ: `sell`, and the vendor's on GPUs.

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/sell.hpp"

namespace sparsecast::formats {
namespace {

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const SliceWork* slices = s.slice(host_sell.slice_rows, host_sell.sort_rows);
  count_row_ends(s, w);
  w.thread_parts = parts_of_slices(s, host_sell.slice_rows, slices == nullptr ? 0 : slices->slots, context.threads);
}

}  // namespace

KernelInfo sell_kernel() {
  return {.name = "sell",
          .format = "sell",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "SELL-C-sigma: slices sorted in windows",
          .source = "Kreutzer et al. 2014",
          .host = {host_sell_bytes, build_sell<float>, build_sell<double>},
          .reads_once = true,
          .transposes = true,
          .padding = Padding::slices,
          .index_bytes = {.of_slot = 4, .of_row = 5},  // its place, and an eighth of the slice's pointer
          .count = count,
          .gpu = {count_sell_on_gpu}};
}

KernelInfo vendor_sell_kernel() {
  return {.name = "vendor-sell",
          .format = "sell",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "cuSPARSE sliced ELL",
          .source = "NVIDIA",
          .vendor = true};
}

}  // namespace sparsecast::formats
