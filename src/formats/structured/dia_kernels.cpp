// Kernel `dia`: a slot of a dense diagonal costs no index and no gather; what lies elsewhere costs as much as an
// overflow.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/dia.hpp"

namespace sparsecast::formats {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  constexpr std::int64_t lanes = Dia<double, std::int32_t>::slice_rows;
  const DenseDiagonals& dense = s.dense_diagonals;
  const std::int64_t slices = (s.rows + lanes - 1) / lanes, diagonals = std::max<std::int64_t>(0, dense.diagonals);
  w.slots = std::max(1.0, number(slices * lanes * diagonals));
  w.padding = std::max(0.0, w.slots - number(dense.nonzeros));
  w.overflow = number(s.nonzeros - dense.nonzeros);
  w.row_steps = number(slices);
  w.long_rows = number(dense.rest_rows);
  w.mispredictions = mispredicted_share(s) * number(dense.rest_rows);
  w.thread_parts = parts_in_order(s, by_rows, context.threads);
  // Eight reads of x beside each other are one.
  for (double& misses : w.misses) misses *= number(s.nonzeros - dense.nonzeros + dense.nonzeros / lanes) / w.nonzeros;
  count_remembered(s, false, w);
}

}  // namespace

KernelInfo dia_kernel() {
  return {.name = "dia",
          .format = "dia",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "dense diagonals, the rest by rows",
          .source = "Bell & Garland 2009",
          .host = {dia_bytes, build_dia<float>, build_dia<double>},
          .reads_once = true,
          .made_for = MadeFor::diagonals,
          .refusal = dia_refusal,
          .index_bytes = {.of_slot = 0, .of_row = 0},
          .count = count,
          .whole_only = true};
}

}  // namespace sparsecast::formats
