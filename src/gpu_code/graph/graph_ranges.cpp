#include "gpu_code/graph/graph_ranges.hpp"

namespace sparsecast::gpu_code {

std::span<const base::NumberRange> graph_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"nodes[].time", 0, most_seconds, or_text}, {"nodes[].line", 1, 1e9, whole},
      {"arcs[].time", 0, most_seconds, or_text},  {"times{}", 0, most_seconds},
      {"instances", 1, most_counted, whole},      {"executors", 1, most_counted, whole},
  };
  return table;
}

}  // namespace sparsecast::gpu_code
