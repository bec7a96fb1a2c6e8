// Kernel `hyb`: ELL's product and then COO's. Rows of ELL are as long as each other, so parts are even.

#include <algorithm>

#include "formats/ell_product.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/host_builders.hpp"
#include "formats/hyb.hpp"
#include "formats/kernel_list.hpp"

namespace sparsecast::formats {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const HybSplit split = hyb_split(s);
  w.overflow = number(split.overflow);
  w.slots = std::max(1.0, w.slots - w.overflow);
  w.padding = std::max(0.0, w.slots - (w.nonzeros - w.overflow));
  count_ell(split.width, context, w);
  w.long_rows = number(s.rows_at_least(split.width + 1));
  const bool all_overflow = split.width == 0;
  if (all_overflow) w.row_steps = 0;
  w.mispredictions = all_overflow ? mispredicted_filled_share(s) * number(s.rows - s.empty_rows) : w.long_rows;
  const RowGroups groups = row_groups(s);
  w.partial = number(groups.cut_longest - groups.cut_shortest);
  w.empty = number(split.width * groups.groups - groups.cut_longest);
  w.small_mispredictions = padding_mispredictions(groups, split.width, groups.cut_turns);
  count_remembered(s, false, w);
  count_branches(w.overflow + w.slots / RowGroups::rows, w);  // eight slots, a branch
}

}  // namespace

KernelInfo hyb_kernel() {
  return {.name = "hyb",
          .format = "hyb",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::hyb,
          .summary = "ELL up to a width, the rest COO",
          .source = "Bell & Garland 2009",
          .host = {hyb_bytes, build_hyb<float>, build_hyb<double>},
          .transposes = true,
          .padding = Padding::hyb_split,
          .index_bytes = {.of_slot = 4, .of_row = 0},
          .count = count,
          .gpu = {count_hyb_on_gpu, 40, gpu_tile_items + gpu_group_threads},
          .regular = "ell",
          .overflow = "coo"};
}

}  // namespace sparsecast::formats
