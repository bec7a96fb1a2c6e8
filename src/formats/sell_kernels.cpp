// Kernels on SELL-C-σ: `sell`, its variants in other shapes, and the vendor's on GPUs.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/sell.hpp"

namespace sparsecast::formats {
namespace {

// Slices of rows in a grid's order read x beside each other (read_in_runs); sorting keeps the order of equal rows.
void count_runs(const Structure& s, Workload& w) { w.in_runs = s.row_groups.in_runs * static_cast<double>(s.nonzeros); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const SliceWork* slices = s.slice(host_sell.slice_rows, host_sell.sort_rows);
  count_row_ends(s, w);
  count_runs(s, w);
  w.thread_parts = parts_of_slices(s, host_sell.slice_rows, slices == nullptr ? 0 : slices->slots, context.threads);
}

template <SellShape shape>
std::int64_t bytes_of(const Structure& s, int value_bytes) {
  return sell_bytes(s, shape.slice_rows, shape.sort_rows, value_bytes);
}

// A variant: slots of its own shape, and a row end for each of its slices where `sell` has one for every eight rows.
template <SellShape shape>
void count_variant(const Structure& s, const WorkContext& context, Workload& w) {
  const SliceWork* slices = s.slice(shape.slice_rows, shape.sort_rows);
  if (slices != nullptr) w.slots = std::max(1.0, static_cast<double>(slices->slots));
  count_row_ends(s, w);
  w.mispredictions *= static_cast<double>(host_sell.slice_rows) / shape.slice_rows;
  count_remembered(s, false, w);
  count_runs(s, w);
  w.thread_parts = parts_of_slices(s, shape.slice_rows, slices == nullptr ? 0 : slices->slots, context.threads);
}

// Structures from before a shape was counted do not tell.
template <SellShape shape>
std::string refuse_uncounted(const Structure& s) {
  return s.slice(shape.slice_rows, shape.sort_rows) == nullptr ? "its structure does not tell the slots of such slices"
                                                               : "";
}

template <SellShape shape>
KernelInfo variant(std::string_view name, std::string_view summary) {
  return {.name = name,
          .format = "sell",
          .unit = WorkUnit::row_per_thread,
          .form = PaperForm::csr,
          .summary = summary,
          .source = "Kreutzer et al. 2014",
          .host = {bytes_of<shape>, build_sell<float, shape>, build_sell<double, shape>},
          .reads_once = true,
          .transposes = true,
          .refusal = refuse_uncounted<shape>,
          .padding = Padding::slices,
          .index_bytes = {.of_slot = 4, .of_row = shape.sort_rows > 1 ? 5 : 1},
          .count = count_variant<shape>,
          .variant_of = "sell",
          .converts_like = "sell",
          .whole_only = true};
}

}  // namespace

KernelInfo sell_8_1_kernel() { return variant<unsorted_sell>("sell-8-1", "sell with the rows in their own order"); }
KernelInfo sell_16_kernel() { return variant<tall_sell>("sell-16-1024", "sell in slices of 16 rows"); }
KernelInfo sell_32_kernel() { return variant<taller_sell>("sell-32-1024", "sell in slices of 32 rows"); }

KernelInfo sell_kernel() {
  return {.name = "sell",
          .format = "sell",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "SELL-C-sigma: slices sorted in windows",
          .source = "Kreutzer et al. 2014",
          .host = {bytes_of<host_sell>, build_sell<float, host_sell>, build_sell<double, host_sell>},
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
