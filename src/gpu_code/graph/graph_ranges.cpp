#include "gpu_code/graph/graph_ranges.hpp"

namespace sparsecast::gpu_code {

std::span<const base::NumberRange> graph_ranges() {
  using namespace base;
  static constexpr NumberRange table[] = {
      {"nodes[].time", 0, most_seconds, .or_text = true},
      {"nodes[].line", 1, 1e9, .whole = true},
      {"arcs[].time", 0, most_seconds, .or_text = true},
      {"times{}", 0, most_seconds},
      {"instances", 1, most_counted, .whole = true},
      {"executors", 1, most_counted, .whole = true},
  };
  return table;
}

}  // namespace sparsecast::gpu_code
