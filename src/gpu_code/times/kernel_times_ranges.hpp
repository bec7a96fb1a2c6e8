#pragma once
// The numbers that make sense in a table of kernel times, as docs/schemas/kernel-times.schema.json has them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::gpu_code {

[[nodiscard]] std::span<const base::NumberRange> kernel_times_ranges();

}  // namespace sparsecast::gpu_code
