#pragma once
// A matrix made of the same rows over and over, as models see it.

#include <sparsecast/structure.hpp>

namespace sparsecast::planning {
/// Rows like these, so many times as many; what is counted is multiplied, shares stay.
[[nodiscard]] Structure repeated(const Structure& rows, double times);
}  // namespace sparsecast::planning
