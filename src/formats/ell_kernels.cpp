// Kernel `ell`, and what its product counts, which is that of HYB's regular part as well.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/ell_product.hpp"
#include "formats/host_builders.hpp"
#include "formats/kernel_list.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  count_ell(s.row_max, context, w);
  const RowGroups groups = row_groups(s);
  w.partial = number(groups.longest - groups.shortest);
  w.empty = number(s.row_max * groups.groups - groups.longest);
  w.mispredictions = padding_mispredictions(groups, s.row_max, groups.turns);
  count_remembered(s, false, w);
}

}  // namespace

// Columns up to most_streams are read side by side. Where a column's bytes are a multiple of half a page, say, the
// streams alias at 4K, and caches tell lines apart by their places in a page first.
void count_ell(std::int64_t width, const WorkContext& context, Workload& w) {
  constexpr std::int64_t page = 4096, line = 64;
  const double columns = number(width), parts = std::max(1, context.threads);
  w.calls = width > most_streams ? parts * std::ceil(w.rows / parts / number(lane_block)) * columns : 0;
  const std::int64_t stride = static_cast<std::int64_t>(w.rows) * context.value_bytes;
  w.unaligned = w.rows * columns * (1 - number(std::gcd(stride, line)) / number(line));
  if (width < 2 || width > most_streams) return;
  const double places = std::min(columns, number(page / std::max(line, std::gcd(stride, page))));
  w.stream_bytes = w.rows * columns * (4 + context.value_bytes);
  w.aliased = w.rows * columns * (1 - places / columns);
}

double padding_mispredictions(const RowGroups& groups, std::int64_t width, std::int64_t turns) {
  return groups.mispredicted * number(width > most_streams ? turns : groups.groups);
}

KernelInfo ell_kernel() {
  return {.name = "ell",
          .format = "ell",
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "padded to the longest row, column-major",
          .source = "Bell & Garland 2009",
          .host = {ell_bytes, build_ell<float>, build_ell<double>},
          .transposes = true,
          .padding = Padding::longest_row,
          .index_bytes = {.of_slot = 4, .of_row = 0},
          .count = count,
          .gpu = {count_ell_on_gpu}};
}

}  // namespace sparsecast::formats
