#pragma once
// The middle of some values.

#include <vector>

namespace sparsecast::base {

/// Median; of an even number the mean of the two in the middle. 0 of none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace sparsecast::base
