// Kernel `bsr`: a block costs one index and one read of x whatever it holds, and its slots are gone through as vectors.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast::formats {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const DenseBlocks& blocks = s.dense_blocks;
  const int height = std::max(1, blocks.rows), width = std::max(1, blocks.cols);
  w.slots = std::max(1.0, number(blocks.blocks * height * width));
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  w.calls = number(blocks.blocks);
  w.row_steps = w.rows / height;
  w.mispredictions = mispredicted_share(s) * w.row_steps;
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
  // The rows of a block, and its columns, read x once.
  for (double& misses : w.misses) misses *= std::min(1.0, number(blocks.blocks) / w.nonzeros);
  count_remembered(s, false, w);
}

}  // namespace

KernelInfo bsr_kernel() {
  return {.name = "bsr",
          .format = "bsr",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "blocks of 2 to 8 rows and columns",
          .source = "Im & Yelick 2001",
          .host = {bsr_bytes, build_bsr<float>, build_bsr<double>},
          .reads_once = true,
          .made_for = MadeFor::blocks,
          .refusal = bsr_refusal,
          .index_bytes = {.of_slot = 0, .of_row = 0},
          .count = count,
          .whole_only = true};
}

}  // namespace sparsecast::formats
