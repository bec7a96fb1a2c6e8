// Kernel `jad`.

#include "formats/host_builders.hpp"
#include "formats/jad.hpp"
#include "formats/kernel_list.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
namespace {

// Sorted rows in blocks: each block begins a loop per diagonal, as many as its longest row has entries.
double loops_begun(const Structure& s) {
  double calls = 0;
  std::int64_t before = 0;  // rows that are longer
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    // Blocks whose first row has this length.
    const std::int64_t first = (before + lane_block - 1) / lane_block,
                       last = (before + entry->rows + lane_block - 1) / lane_block;
    calls += static_cast<double>(last - first) * static_cast<double>(entry->length);
    before += entry->rows;
  }
  return calls;
}

// Lengths fall from row to row, so that no end of one is a surprise.
void count(const Structure& s, const WorkContext& context, Workload& w) {
  w.calls = loops_begun(s);
  w.thread_parts = parts_longest_first(s, lane_block, context.threads);
  w.shared_lines = lines_shared_longest_first(s, context.threads);
}

}  // namespace

KernelInfo jad_kernel() {
  return {.name = "jad",
          .format = "jad",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "jagged diagonals of rows sorted by length",
          .source = "Li & Saad 2013",
          .host = {jad_bytes, build_jad<float>, build_jad<double>},
          .transposes = true,
          .count = count,
          .gpu = {.count = count_jad_on_gpu, .longest_first = true}};
}

}  // namespace sparsecast::formats
