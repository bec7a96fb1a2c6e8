#pragma once
// The numbers that make sense in a profile and in the records of the store, as docs/schemas/profile.schema.json has
// them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::calibration {

[[nodiscard]] std::span<const base::NumberRange> profile_ranges();

}  // namespace sparsecast::calibration
