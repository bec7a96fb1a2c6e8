#include "plan/search/row_order.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "plan/run/sorted_rows.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// Sorting pays where row ends that were guessed wrongly cost more than putting every sum in its place. Only long rows
// have such ends: eight short ones are taken at once. The save is forecast, the cost is not calibrated: a nanosecond a
// row, and a tenth of the block must remain, or as much as the forecast is usually off by.
constexpr double place_s = 1e-9, worthwhile_reorder = 0.1;

}  // namespace

void reorder_rows(std::vector<PlannedBlock>& blocks, const StripSums& strips, const Gathering& gathering,
                  const QuickForecast& quick, int threads, Reorder reorder) {
  if (reorder == Reorder::never) return;
  for (PlannedBlock& block : blocks) {
    const int kernel = quick.find(block.kernel);
    if (kernel < 0 || quick.info(kernel).sorted_like.empty()) continue;
    const double least = std::max(worthwhile_reorder, quick.error(kernel));
    StripContent content, sorted;
    double runs = 0;  // of rows of one length within windows
    double long_rows = 0;
    for (std::int64_t strip = block.first_strip; strip <= block.last_strip; ++strip) {
      content.add(strips[strip]);
      for (const RowLengthCount& entry : strips.lengths(strip))
        if (entry.length > RowGroups::short_nonzeros / RowGroups::rows) long_rows += number(entry.rows);
      runs += static_cast<double>(strips.lengths(strip).size()) *
              std::ceil(strips[strip].rows / number(sorted_window_rows));
    }
    sorted = content;
    sorted.mispredictions -=
        long_rows / std::max(1.0, content.rows) * (content.mispredictions - std::min(runs, content.mispredictions));
    const double before = quick.seconds(kernel, content, 1, gathering, content.nonzeros);
    const double saved = block.seconds * (1 - quick.seconds(kernel, sorted, 1, gathering, content.nonzeros) / before) -
                         place_s * content.rows / std::max(1, threads);
    if (reorder == Reorder::where_it_pays && saved < least * block.seconds) continue;
    block.reordered = true;
    block.seconds -= std::max(0.0, saved);
    // It moves what that kernel's conversion moves, without padding.
    if (const int like = quick.find(std::string(quick.info(kernel).sorted_like)); like >= 0)
      block.conversion_s = quick.conversion_seconds(like, content, content.nonzeros);
  }
}

}  // namespace sparsecast::planning
