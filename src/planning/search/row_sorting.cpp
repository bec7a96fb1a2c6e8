#include "planning/search/row_sorting.hpp"

#include <algorithm>
#include <cmath>

#include "formats/kernels.hpp"
#include "matrix/generate/portable_math.hpp"
#include "planning/rows/row_range.hpp"
#include "planning/search/doubt.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
// Sorting pays where row ends that were guessed wrongly cost more than putting every sum in its place. Only long rows
// have such ends: eight short ones are taken at once. The save is forecast, the cost is a wait for the first cache
// a row, and a tenth of the block must remain, or as much as the forecast is usually off by.

// Sorted within windows, a row ends otherwise than the one before where another length begins: as often, by row, as a
// window has lengths.
double share_of_new_lengths(const Structure& rows) {
  double lengths = 0;
  for (const RowLengthCount& entry : rows.row_histogram)
    lengths += 1 - std::pow(1 - number(entry.rows) / number(rows.rows), number(sorted_window_rows));
  return lengths / number(sorted_window_rows);
}
}  // namespace

void sort_rows(PlannedBlock& block, const Structure& rows, const Forecast& forecast, const forecast::ModelSet& models,
               double row_s, Reorder reorder) {
  const std::string sorted_like(formats::kernel_or_plain(block.kernel).sorted_like);
  if (reorder == Reorder::never || sorted_like.empty() || rows.rows == 0) return;
  const double count = number(block.last_row - block.first_row + 1), mispredicted = formats::mispredicted_share(rows);
  const double spared = mispredicted - std::min(mispredicted, share_of_new_lengths(rows));
  double saved = -row_s * count;
  if (spared > 0 && rows.rows_at_least(RowGroups::short_nonzeros / RowGroups::rows + 1) > 0) {
    Structure sorted = rows;
    sorted.mispredicted_rows = mispredicted - spared;
    for (const Forecast& of_sorted : models.best(sorted, {block.kernel}))
      saved += block.seconds * (1 - of_sorted.seconds / forecast.seconds);
  }
  const double least = std::max(constants::worthwhile, matrix::normal_quantile(3. / 4) * deviation_of(forecast));
  if (reorder == Reorder::where_it_pays && saved < least * block.seconds) return;
  block.reordered = true;
  block.seconds -= std::max(0.0, saved);
  // It moves what that kernel's conversion moves.
  for (const Forecast& like : models.best(rows, {sorted_like}))
    block.conversion_s = like.preprocess_s.value_or(0) * count / number(rows.rows);
}
}  // namespace sparsecast::planning
