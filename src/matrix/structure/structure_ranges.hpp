#pragma once
// The numbers that make sense in the structure of a matrix, as docs/schemas/info.schema.json, under "structure", has
// them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::matrix {

[[nodiscard]] std::span<const base::NumberRange> structure_ranges();

}  // namespace sparsecast::matrix
