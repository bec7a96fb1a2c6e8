#pragma once
// The numbers that make sense in a saved plan, as docs/schemas/plan.schema.json has them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::planning {

[[nodiscard]] std::span<const base::NumberRange> plan_ranges();

}  // namespace sparsecast::planning
