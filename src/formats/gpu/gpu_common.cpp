#include "formats/gpu/gpu_common.hpp"

#include <algorithm>
#include <cmath>

#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::formats {

void gpu::count_rows_ends(const Structure& s, double mispredicted, const GpuContext& context, Workload& w) {
  if (!context.processor) return;
  w.mispredictions = mispredicted;
  count_remembered(s, false, w);
}

double gpu::walked_slots(double length, double rows) {
  constexpr double lines = 512, arrays = 2;  // 32 KiB of 64 bytes
  return length > 0 ? length * rows / (1 + std::pow(lines / (arrays * length), 4)) : 0;
}

double gpu::walked_slots(const Structure& s) {
  double slots = 0;
  for (const RowLengthCount& entry : s.row_histogram) slots += walked_slots(real(entry.length), real(entry.rows));
  return slots;
}

double resident_warps(const GpuText& text, const GpuContext& context) {
  const double warps_per_group = static_cast<double>(gpu_group_threads) / std::max(1, context.warp_size);
  double groups = std::max(1.0, context.warps_per_unit / warps_per_group);
  if (context.registers_per_unit > 0)
    groups = std::min(groups, std::floor(context.registers_per_unit / (text.registers * gpu_group_threads)));
  if (context.shared_bytes_per_unit > 0 && text.shared_entries > 0)
    groups = std::min(groups,
                      std::floor(context.shared_bytes_per_unit / (text.shared_entries * (context.value_bytes + 4.0))));
  return std::max(1.0, groups) * warps_per_group * std::max(1, context.compute_units);
}

}  // namespace sparsecast::formats
