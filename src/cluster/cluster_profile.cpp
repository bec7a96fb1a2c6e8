#include "cluster/cluster_profile.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sstream>

namespace sparsecast::cluster {
namespace {

using nlohmann::ordered_json;

constexpr const char* schema = "sparsecast/cluster-profile/1";

// A block's features as one row of numbers: rows, columns, nonzeros, listed_rows, length_changes, length_bits,
// chained_nonzeros, misses of the three levels.
ordered_json to_json(const BlockFeatures& f) {
  return {f.rows,        f.columns,          f.nonzeros,  f.listed_rows, f.length_changes,
          f.length_bits, f.chained_nonzeros, f.misses[0], f.misses[1],   f.misses[2]};
}

BlockFeatures block_from(const ordered_json& row) {
  return {row.at(0), row.at(1), row.at(2), row.at(3),
          row.at(4), row.at(5), row.at(6), {row.at(7), row.at(8), row.at(9)}};
}

ordered_json to_json(const RankFeatures& rank) {
  return {{"own", to_json(rank.own)},
          {"remote", to_json(rank.remote)},
          {"received", rank.received},
          {"sent", rank.sent},
          {"sources", rank.sources}};
}

RankFeatures rank_from(const ordered_json& json) {
  return {block_from(json.at("own")), block_from(json.at("remote")), json.at("received"), json.at("sent"),
          json.at("sources")};
}

ordered_json to_json(const TrainingRun& run) {
  const WayFeatures& f = run.features;
  ordered_json out{
      {"matrix", run.matrix},
      {"random", run.random},
      {"way", to_string(f.way)},
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
  out["ranks"] = ordered_json::array();
  for (const RankFeatures& rank : f.ranks) out["ranks"].push_back(to_json(rank));
  return out;
}

double positive(const ordered_json& value) {
  const double number = value;
  if (!std::isfinite(number) || number <= 0)
    throw Error(ErrorCode::bad_input, "a time or rate is not positive: " + value.dump());
  return number;
}

TrainingRun run_from(const ordered_json& json) {
  TrainingRun run;
  run.matrix = json.at("matrix");
  run.random = json.at("random");
  run.format = parse_format(json.at("format").get<std::string>());
  run.nodes = json.at("nodes");
  run.seconds = positive(json.at("seconds"));
  run.core_s = json.at("core_s");
  run.features.way = parse_way(json.at("way").get<std::string>());
  run.features.processes = json.at("processes");
  run.features.rows = json.at("rows");
  run.features.nonzeros = json.at("nonzeros");
  run.features.row_std = json.at("row_std");
  run.features.attributes = json.at("attributes").get<std::vector<double>>();
  const auto& load = json.at("load");
  run.features.load = {load.at(0), load.at(1), load.at(2), load.at(3), load.at(4)};
  for (const auto& rank : json.at("ranks")) run.features.ranks.push_back(rank_from(rank));
  return run;
}

ordered_json to_json(const ClusterProfile& p) {
  ordered_json out{{"schema", schema},
                   {"name", p.name},
                   {"source", p.source},
                   {"launcher", p.launcher},
                   {"software", p.software},
                   {"taken", p.taken},
                   {"cores_per_node", p.cores_per_node},
                   {"cache_share_bytes", p.caches.bytes}};
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
  for (const TimedBlock& block : p.blocks)
    out["blocks"].push_back(
        {{"format", to_string(block.format)}, {"features", to_json(block.features)}, {"seconds", block.seconds}});
  out["runs"] = ordered_json::array();
  for (const TrainingRun& run : p.runs) out["runs"].push_back(to_json(run));
  return out;
}

ClusterProfile profile_from(const ordered_json& json) {
  if (json.value("schema", "") != schema) throw Error(ErrorCode::bad_input, std::string("its schema is not ") + schema);
  ClusterProfile p;
  p.name = json.at("name");
  p.source = json.at("source");
  p.launcher = json.at("launcher");
  p.software = json.at("software");
  p.taken = json.at("taken");
  p.cores_per_node = json.at("cores_per_node");
  if (p.cores_per_node < 1) throw Error(ErrorCode::bad_input, "a node has no cores");
  p.caches.bytes = json.at("cache_share_bytes").get<std::array<std::int64_t, 3>>();
  for (const auto& curve : json.at("node").at("bandwidth"))
    p.node.bandwidth.push_back({curve.at("value_bytes"), curve.at("busy"), curve.at("bytes"), curve.at("rate")});
  p.node.latency_bytes = json.at("node").at("latency").at("bytes").get<std::vector<double>>();
  p.node.latency_s = json.at("node").at("latency").at("seconds").get<std::vector<double>>();
  p.node.fma_s = json.at("node").at("fma_s");
  for (const auto& m : json.at("messages"))
    p.messages.push_back({m.at("pattern"), m.at("processes"), m.at("nodes"), positive(m.at("bytes")),
                          m.at("neighbours"), positive(m.at("seconds"))});
  for (const auto& b : json.at("blocks"))
    p.blocks.push_back(
        {parse_format(b.at("format").get<std::string>()), block_from(b.at("features")), positive(b.at("seconds"))});
  for (const auto& run : json.at("runs")) p.runs.push_back(run_from(run));
  return p;
}

}  // namespace

ClusterProfile read_cluster_profile(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream)
    throw Error(ErrorCode::bad_input, "the cluster profile cannot be read", {file.string()},
                "make one with `sparsecast cluster calibrate -o FILE`");
  try {
    return profile_from(ordered_json::parse(text.str()));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, std::string("not a cluster profile: ") + error.what(), {file.string()});
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a cluster profile: " + error.reason(), {file.string()});
  }
}

void write_cluster_profile(const ClusterProfile& profile, const std::filesystem::path& file) {
  const std::filesystem::path beside = file.string() + ".new";
  std::ofstream stream(beside);
  stream << to_json(profile).dump(1) << '\n';
  stream.close();
  std::error_code failure;
  if (stream) std::filesystem::rename(beside, file, failure);
  if (!stream || failure)
    throw Error(ErrorCode::failed, "cannot be written", {file.string()}, "does the folder exist and is there room?");
}

}  // namespace sparsecast::cluster
