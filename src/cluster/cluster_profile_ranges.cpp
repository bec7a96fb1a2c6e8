#include "cluster/cluster_profile_ranges.hpp"

namespace sparsecast::cluster {

std::span<const base::NumberRange> cluster_profile_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"cores_per_node", 1, 65536, whole},
      {"rank_threads", 1, 65536, whole},
      {"cache_share_bytes[]", 1, 1099511627776, whole},
      {"node.bandwidth[].busy", 1, 65536, whole},
      {"node.bandwidth[].bytes[]", 1, 1e15},
      {"node.bandwidth[].rate[]", 1, 1e18},
      {"node.latency.bytes[]", 1, 1e15},
      {"node.latency.seconds[]", 1e-15, most_seconds},
      {"node.fma_s", 0, most_seconds},
      {"messages[].processes", 1, 65536, whole},
      {"messages[].nodes", 1, 65536, whole},
      {"messages[].bytes", 1, 1e15},
      {"messages[].neighbours", 0, 65536, whole},
      {"messages[].seconds", 1e-15, most_seconds},
      {"blocks[].features[]", 0, 1e15},
      {"blocks[].seconds", 1e-15, most_seconds},
      {"runs[].processes", 1, 65536, whole},
      {"runs[].nodes", 1, 65536, whole},
      {"runs[].rows", 0, 1e15, whole},
      {"runs[].nonzeros", 0, 1e15, whole},
      {"runs[].row_std", 0, 1e15},
      {"runs[].seconds", 1e-15, most_seconds},
      {"runs[].core_s", 0, most_seconds},
      {"runs[].node_s", 1e-15, most_seconds},
      {"runs[].attributes[]", 0, 1e15},
      {"runs[].load[]", 0, 1e15},
      {"runs[].ranks[].own[]", 0, 1e15},
      {"runs[].ranks[].remote[]", 0, 1e15},
      {"runs[].ranks[].received", 0, 1e15},
      {"runs[].ranks[].sent", 0, 1e15},
      {"runs[].ranks[].sources", 0, 65536, whole},
      {"regressions[].processes", 1, 65536, whole},
      {"regressions[].c", 1e-6, 1e6},
      {"regressions[].gamma", 1e-6, 1e6},
      {"regressions[].epsilon", 1e-6, 1e6},
  };
  return table;
}

}  // namespace sparsecast::cluster
