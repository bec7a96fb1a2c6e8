#pragma once
// The numbers that make sense in the description of a device, as docs/schemas/device-properties.schema.json has them
// too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::devices {

[[nodiscard]] std::span<const base::NumberRange> properties_ranges();

}  // namespace sparsecast::devices
