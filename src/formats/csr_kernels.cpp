// Kernels on CSR. `csr` and `csr-merge` go through their rows by simd/row_sums, `csr-scalar` by a plain loop.

#include <algorithm>
#include <cmath>

#include "formats/csr.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/csr_delta.hpp"

namespace sparsecast::formats {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

// Groups of short rows are added eight rows at a time, other rows one by one.
void count_row_sums(const Structure& s, Workload& w) {
  const RowGroups groups = row_groups(s);
  const double mispredicted = mispredicted_share(s);
  const double short_rows = number(groups.short_groups) * RowGroups::rows;
  w.more_vectors = number(groups.more_vectors);
  w.long_rows = number(s.rows) - short_rows;
  w.rest = number(groups.rest_nonzeros);
  w.mispredictions = mispredicted * w.long_rows;
  // A branch for every row of a group that has a further vector.
  const double rows = number(groups.more_rows), branches = w.more_vectors * RowGroups::rows;
  w.small_mispredictions = mispredicted * (std::min(rows, branches - rows) + std::min(w.more_vectors, rows));
  count_remembered(s, false, w);
}

void count_csr(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_sums(s, w);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
}

void count_csr_merge(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_sums(s, w);
  w.thread_parts = parts_in_order(s, by_merge_path, context.threads);
}

// In a plain loop each addition to a row's sum waits for the one before. A processor looks some hundred entries ahead:
// so many rows' sums overlap as fit there, and of a row as long as that every entry waits.
double chained_entries(const Structure& s) {
  constexpr double free = Workload::chain_free, ahead = 96;
  double chained = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const double length = number(entry.length);
    chained += std::max(0.0, std::min(length, ahead) - free) / (ahead - free) * length * number(entry.rows);
  }
  return chained;
}

// csr-scalar asks for nothing ahead. The processor does, until misses of x stand between those of the stream: already
// with some per cent of them an entry from memory takes twice as long, with many no longer than that.
double unprefetched_entries(const WorkContext& context, const Workload& w) {
  constexpr double enough_misses = 0.05;
  const double misses = w.misses[0] / w.nonzeros;
  // Half of the cache, as for x.
  const double beyond = 1 / (1 + std::pow(context.last_cache_bytes / 2 / std::max(w.format_bytes, 1.0), 4));
  return w.nonzeros * beyond * misses / (misses + enough_misses);
}

void count_csr_scalar(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_ends(s, w);
  w.chained = chained_entries(s);
  w.unprefetched = unprefetched_entries(context, w);
  w.thread_parts = parts_in_order(s, by_rows, context.threads);
  count_branches(w.nonzeros, w);  // an entry, a branch
}

}  // namespace

KernelInfo csr_kernel() {
  return {.name = "csr",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "rows split evenly by non-zeros, vectorised",
          .source = "host default",
          .host = {csr_bytes, build_csr<float>, build_csr<double>},
          .reads_once = true,
          .transposes = true,
          .count = count_csr,
          .sorted_like = "sell",
          .choice = 1};
}

KernelInfo csr_scalar_kernel() {
  return {.name = "csr-scalar",
          .format = csr_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "one thread per row",
          .source = "Bell & Garland 2009",
          .host = {csr_bytes, build_csr_scalar<float>, build_csr_scalar<double>},
          .reads_once = true,
          .transposes = true,
          .count = count_csr_scalar,
          .gpu = {count_csr_scalar_on_gpu},
          .whole_only = true,  // csr without its vector loops
          .choice = 3};
}

KernelInfo csr_vector_kernel() {
  return {.name = "csr-vector",
          .format = csr_format,
          .unit = WorkUnit::row_per_warp,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "one warp per row",
          .source = "Bell & Garland 2009",
          .gpu = {count_csr_vector_on_gpu},
          .choice = 2};
}

KernelInfo csr_half_kernel() {
  return {.name = "csr-half",
          .format = csr_format,
          .unit = WorkUnit::row_per_half_warp,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "half a warp per row",
          .source = "Li & Saad 2013",
          .gpu = {count_csr_half_on_gpu}};
}

KernelInfo csr_merge_kernel() {
  return {.name = "csr-merge",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "equal work over rows + non-zeros",
          .source = "Merrill & Garland 2016",
          .host = {csr_bytes, build_csr_merge<float>, build_csr_merge<double>},
          .reads_once = true,
          .transposes = true,
          .count = count_csr_merge,
          .gpu = {count_csr_merge_on_gpu, 40, gpu_tile_items + gpu_group_threads},
          .whole_only = true};  // with one part it is csr
}

// The loops of `csr`, with fewer bytes to read; the values stay where they are.
KernelInfo csr_delta_kernel() {
  return {.name = "csr-delta",
          .format = "csr-delta",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "csr near the diagonal, columns of one or two bytes",
          .source = "Willcock & Lumsdaine 2006",
          .host = {csr_delta_bytes, build_csr_delta<float>, build_csr_delta<double>},
          .reads_once = true,
          .transposes = true,
          .refusal = csr_delta_refusal,
          .index_bytes = {.of_slot = 2, .of_row = 4},
          .keeps_values = true,
          .count = count_csr,
          .variant_of = "csr",
          .converts_like = "sell",
          .beyond_last_cache = true,
          .whole_only = true};
}

KernelInfo vendor_csr_kernel() {
  return {.name = "vendor-csr",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "cuSPARSE CSR",
          .source = "NVIDIA",
          .vendor = true};
}

}  // namespace sparsecast::formats
