#pragma once
// Where the rows of a matrix change character: borders between strips that part it into stretches that are like
// themselves and unlike each other. A form that is made for one stretch (diagonals, blocks) cannot be seen in sums over
// strips; the borders of such stretches can.

#include <cstdint>
#include <vector>

#include "plan/search/strip_sums.hpp"

namespace sparsecast::planning {

/// The last strip of every stretch but the last, ascending; none where the rows are alike from first to last. Every
/// stretch holds at least a tenth of the non-zeros. At most `most_stretches` ≥ 1 stretches.
[[nodiscard]] std::vector<std::int64_t> changes_of_rows(const StripSums& strips, int most_stretches);

/// Whether a stretch between those borders may have what a form is made for: rows of one length, as on diagonals, or
/// runs of columns, as in blocks. False where there are no borders.
[[nodiscard]] bool some_stretch_is_regular(const StripSums& strips, const std::vector<std::int64_t>& borders);

}  // namespace sparsecast::planning
