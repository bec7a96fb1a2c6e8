// Stands in for src/matrix until that has these two; weak, so that the real ones win. To be removed then.
#include <algorithm>
#include <sparsecast/structure.hpp>

namespace sparsecast {

__attribute__((weak)) const SliceWork* Structure::slice(int slice_rows, int sort_rows) const {
  for (const SliceWork& work : slices)
    if (work.slice_rows == slice_rows && work.sort_rows == sort_rows) return &work;
  return nullptr;
}

__attribute__((weak)) HybSplit hyb_split(const Structure& structure) {
  const std::int64_t enough = std::max<std::int64_t>(4096, (structure.rows + 2) / 3);
  HybSplit split;
  std::int64_t reaching = 0;
  for (auto it = structure.row_histogram.rbegin(); it != structure.row_histogram.rend(); ++it) {
    reaching += it->rows;
    if (reaching >= enough) {
      split.width = it->length;
      break;
    }
  }
  for (const RowLengthCount& count : structure.row_histogram)
    split.overflow += std::max<std::int64_t>(0, count.length - split.width) * count.rows;
  return split;
}

}  // namespace sparsecast
