#pragma once
// The numbers that make sense in a kernel graph, as docs/schemas/kernel-graph.schema.json has them too.

#include <span>

#include "base/guard/ranges.hpp"

namespace sparsecast::gpu_code {

[[nodiscard]] std::span<const base::NumberRange> graph_ranges();

}  // namespace sparsecast::gpu_code
