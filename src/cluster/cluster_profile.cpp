// Writes a cluster profile; read_cluster_profile.cpp reads it.

#include "cluster/cluster_profile.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"

namespace sparsecast::cluster {
namespace {

using nlohmann::ordered_json;

// A block's features as one row of numbers: rows, columns, nonzeros, listed_rows, length_changes, length_bits,
// chained_nonzeros, misses of the three levels.
ordered_json to_json(const BlockFeatures& f) {
  return {f.rows,        f.columns,          f.nonzeros,  f.listed_rows, f.length_changes,
          f.length_bits, f.chained_nonzeros, f.misses[0], f.misses[1],   f.misses[2]};
}

ordered_json to_json(const RankFeatures& rank) {
  return {{"own", to_json(rank.own)},
          {"remote", to_json(rank.remote)},
          {"received", rank.received},
          {"sent", rank.sent},
          {"sources", rank.sources}};
}

ordered_json to_json(const TrainingRun& run) {
  const SchemeFeatures& f = run.features;
  ordered_json out{
      {"matrix", run.matrix},
      {"random", run.random},
      {"way", to_string(f.scheme)},
      {"format", to_string(run.format)},
      {"processes", f.processes},
      {"nodes", run.nodes},
      {"rows", f.rows},
      {"nonzeros", f.nonzeros},
      {"row_std", f.row_std},
      {"seconds", run.seconds},
      {"core_s", run.core_s},
      {"attributes", f.attributes},
      {"load", {f.load.messages, f.load.near_bytes, f.load.far_bytes, f.load.node_bytes, f.load.gathered_bytes}}};
  if (const double node_s = f.node_s[static_cast<std::size_t>(run.format)]; node_s > 0) out["node_s"] = node_s;
  out["ranks"] = ordered_json::array();
  for (const RankFeatures& rank : f.ranks) out["ranks"].push_back(to_json(rank));
  return out;
}

ordered_json to_json(const ClusterProfile& p) {
  ordered_json out{{"schema", cluster_profile_schema},
                   {"name", p.name},
                   {"source", p.source},
                   {"launcher", p.launcher},
                   {"software", p.software},
                   {"taken", p.taken},
                   {"complete", p.complete},
                   {"cores_per_node", p.cores_per_node},
                   {"cache_share_bytes", p.caches.bytes}};
  if (p.threads > 1) out["rank_threads"] = p.threads;
  ordered_json bandwidth = ordered_json::array();
  for (const BandwidthCurve& curve : p.node.bandwidth)
    bandwidth.push_back(
        {{"value_bytes", curve.value_bytes}, {"busy", curve.busy}, {"bytes", curve.bytes}, {"rate", curve.rate}});
  out["node"] = {{"bandwidth", bandwidth},
                 {"latency", {{"bytes", p.node.latency_bytes}, {"seconds", p.node.latency_s}}},
                 {"fma_s", p.node.fma_s}};
  out["messages"] = ordered_json::array();
  for (const MessageTime& m : p.messages)
    out["messages"].push_back({{"pattern", m.pattern},
                               {"processes", m.processes},
                               {"nodes", m.nodes},
                               {"bytes", m.bytes},
                               {"neighbours", m.neighbours},
                               {"seconds", m.seconds}});
  out["blocks"] = ordered_json::array();
  for (const TimedBlock& block : p.blocks) {
    out["blocks"].push_back(
        {{"format", to_string(block.format)}, {"features", to_json(block.features)}, {"seconds", block.seconds}});
    if (!block.matrix.empty()) out["blocks"].back()["matrix"] = block.matrix;
  }
  out["runs"] = ordered_json::array();
  for (const TrainingRun& run : p.runs) out["runs"].push_back(to_json(run));
  for (const RegressionChoice& r : p.regressions)
    out["regressions"].push_back({{"way", to_string(r.scheme)},
                                  {"format", to_string(r.format)},
                                  {"processes", r.processes},
                                  {"c", r.c},
                                  {"gamma", r.gamma},
                                  {"epsilon", r.epsilon}});
  return out;
}

}  // namespace

void write_cluster_profile(const ClusterProfile& profile, const std::filesystem::path& file) {
  base::write_file_atomically(file, base::json_text(to_json(profile), 1) + '\n', {.what = "cluster profile"});
}

}  // namespace sparsecast::cluster
