#include "cluster/cluster_profile.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/files.hpp"

namespace sparsecast::cluster {
ProfileField ProfileField::at(const char* key) const {
  if (!json_.is_object()) refuse("is no object");
  const auto found = json_.find(key);
  if (found == json_.end()) refuse(fmt::format("lacks \"{}\"", key));
  return {*found, *this, key, 0};
}

bool ProfileField::has(const char* key) const { return json_.is_object() && json_.contains(key); }

ProfileField ProfileField::at(std::size_t index) const {
  if (index >= size()) refuse(fmt::format("has {} elements", size()));
  return {json_[index], *this, nullptr, index};
}

std::size_t ProfileField::size(std::size_t least, std::size_t most) const {
  if (!json_.is_array()) refuse("is no array");
  if (json_.size() < least || json_.size() > most)
    refuse(least == most          ? fmt::format("has {} elements, {} are needed", json_.size(), least)
           : json_.size() < least ? fmt::format("has {} elements, at least {} are needed", json_.size(), least)
                                  : fmt::format("has {} elements, at most {} are possible", json_.size(), most));
  return json_.size();
}

std::string ProfileField::text() const {
  if (!json_.is_string()) refuse("is no text");
  return json_.get<std::string>();
}

bool ProfileField::flag() const {
  if (!json_.is_boolean()) refuse("is neither true nor false");
  return json_.get<bool>();
}

double ProfileField::number(Believable range) const {
  if (!json_.is_number()) refuse("is no number");
  const double value = json_.get<double>();
  if (!(value >= range.least && value <= range.most))
    refuse(fmt::format("is {}, not between {} and {}", json_.dump(), range.least, range.most));
  return value;
}

std::int64_t ProfileField::whole(std::int64_t least, std::int64_t most) const {
  if (!json_.is_number_integer()) refuse("is no whole number");
  // Beyond the 63 bits of a signed number nothing is in range, whatever it would wrap to.
  const bool fits = !json_.is_number_unsigned() || json_.get<std::uint64_t>() <= INT64_MAX;
  if (!fits || json_.get<std::int64_t>() < least || json_.get<std::int64_t>() > most)
    refuse(fmt::format("is {}, not between {} and {}", json_.dump(), least, most));
  return json_.get<std::int64_t>();
}

std::vector<double> ProfileField::numbers(std::size_t length, Believable range) const {
  std::vector<double> values(size(length, length));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = at(k).number(range);
  return values;
}

std::vector<double> ProfileField::ascending(Believable range) const {
  std::vector<double> values = numbers(size(1), range);
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] <= values[k - 1]) at(k).refuse("is not larger than the number before it");
  return values;
}

std::string ProfileField::path() const {
  if (parent_ == nullptr) return {};
  const std::string above = parent_->path();
  if (key_ == nullptr) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? key_ : fmt::format("{}.{}", above, key_);
}

void ProfileField::refuse(std::string_view reason) const {
  const std::string where = path();
  throw Error(ErrorCode::bad_input, fmt::format("{} {}", where.empty() ? "the document" : where, reason));
}

// Writes a cluster profile; read_cluster_profile.cpp reads it.

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

// Reads a cluster profile. Nothing in the file is trusted: lengths of arrays that belong together, and ranges within
// which the arithmetic of every model stays finite and its counts fit an int. The models check nothing again.

namespace {
using nlohmann::ordered_json;

// From a femtosecond to twelve days; up to more bytes, entries and bytes/s than any machine has.
constexpr Believable times{1e-15, 1e6}, times_or_none{0, 1e6}, amounts{0, 1e15}, sizes{1, 1e15}, rates{1, 1e18};
constexpr std::int64_t most_entries = 1'000'000'000'000'000, most_cache_bytes = std::int64_t{1} << 40;

constexpr auto remedy = "make one with `sparsecast cluster calibrate -o FILE`";

LocalFormat format_of(const ProfileField& field) {
  const std::string name = field.text();
  for (const LocalFormat format : all_formats())
    if (to_string(format) == name) return format;
  field.refuse("is neither csr nor coo");
}

Scheme scheme_of(const ProfileField& field) {
  const std::string name = field.text();
  for (const Scheme scheme : all_schemes())
    if (to_string(scheme) == name) return scheme;
  field.refuse("is none of 2du, g1dr and l1dr");
}

BandwidthCurve curve_of(const ProfileField& field) {
  BandwidthCurve curve;
  curve.value_bytes = field.at("value_bytes").count(4, 8);
  if (curve.value_bytes != 4 && curve.value_bytes != 8) field.at("value_bytes").refuse("is neither 4 nor 8");
  curve.busy = field.at("busy").count(1, most_processes);
  curve.bytes = field.at("bytes").ascending(sizes);
  curve.rate = field.at("rate").numbers(curve.bytes.size(), rates);
  return curve;
}

NodeCurves node_of(const ProfileField& field) {
  NodeCurves node;
  const ProfileField bandwidth = field.at("bandwidth"), latency = field.at("latency");
  for (std::size_t k = 0; k < bandwidth.size(); ++k) node.bandwidth.push_back(curve_of(bandwidth.at(k)));
  // A profile that was only begun has neither curve; with one of them a model asks for the other.
  if (bandwidth.size() > 0 || latency.at("bytes").size() > 0) {
    node.latency_bytes = latency.at("bytes").ascending(sizes);
    if (bandwidth.size() == 0) bandwidth.refuse("is empty and latency is not");
  }
  node.latency_s = latency.at("seconds").numbers(node.latency_bytes.size(), times);
  node.fma_s = field.at("fma_s").number(times_or_none);
  return node;
}

MessageTime message_of(const ProfileField& field) {
  MessageTime m;
  m.pattern = field.at("pattern").text();
  m.processes = field.at("processes").count(1, most_processes);
  m.nodes = field.at("nodes").count(1, m.processes);
  m.bytes = field.at("bytes").number(sizes);
  m.neighbours = field.at("neighbours").count(0, m.processes);
  m.seconds = field.at("seconds").number(times);
  return m;
}

BlockFeatures block_of(const ProfileField& field) {
  const std::vector<double> row = field.numbers(10, amounts);
  return {row[0], row[1], row[2], row[3], row[4], row[5], row[6], {row[7], row[8], row[9]}};
}

RankFeatures rank_of(const ProfileField& field) {
  return {block_of(field.at("own")), block_of(field.at("remote")), field.at("received").number(amounts),
          field.at("sent").number(amounts), field.at("sources").count(0, most_processes)};
}

TrainingRun run_of(const ProfileField& field) {
  TrainingRun run;
  run.matrix = field.at("matrix").text();
  run.random = field.at("random").flag();
  run.format = format_of(field.at("format"));
  run.seconds = field.at("seconds").number(times);
  run.core_s = field.at("core_s").number(times_or_none);
  SchemeFeatures& f = run.features;
  f.scheme = scheme_of(field.at("way"));
  f.processes = field.at("processes").count(1, most_processes);
  if (!admissible(f.scheme, f.processes)) field.at("processes").refuse("has no grid, which 2du needs");
  run.nodes = field.at("nodes").count(1, f.processes);
  f.rows = field.at("rows").whole(0, most_entries);
  f.nonzeros = field.at("nonzeros").whole(0, most_entries);
  f.row_std = field.at("row_std").number(amounts);
  f.attributes = field.at("attributes").numbers(attribute_count(f.scheme), amounts);
  const std::vector<double> load = field.at("load").numbers(5, amounts);
  f.load = {load[0], load[1], load[2], load[3], load[4]};
  if (field.has("node_s")) f.node_s[static_cast<std::size_t>(run.format)] = field.at("node_s").number(times);
  const ProfileField ranks = field.at("ranks");
  const std::size_t kept = ranks.size(1, static_cast<std::size_t>(f.processes));
  for (std::size_t k = 0; k < kept; ++k) f.ranks.push_back(rank_of(ranks.at(k)));
  return run;
}

RegressionChoice regression_choice_of(const ProfileField& field) {
  constexpr Believable parameters{1e-6, 1e6};
  return {scheme_of(field.at("way")),
          format_of(field.at("format")),
          field.at("processes").count(1, most_processes),
          field.at("c").number(parameters),
          field.at("gamma").number(parameters),
          field.at("epsilon").number(parameters)};
}

ClusterProfile profile_of(const ProfileField& field) {
  if (field.at("schema").text() != cluster_profile_schema)
    field.at("schema").refuse(fmt::format("is not {}", cluster_profile_schema));
  ClusterProfile p;
  p.name = field.at("name").text();
  p.source = field.at("source").text();
  p.launcher = field.at("launcher").text();
  p.software = field.at("software").text();
  p.taken = field.at("taken").text();
  if (field.has("complete")) p.complete = field.at("complete").flag();
  p.cores_per_node = field.at("cores_per_node").count(1, most_processes);
  if (field.has("rank_threads")) p.threads = field.at("rank_threads").count(1, most_processes);
  const ProfileField caches = field.at("cache_share_bytes");
  (void)caches.size(p.caches.bytes.size(), p.caches.bytes.size());
  for (std::size_t k = 0; k < p.caches.bytes.size(); ++k) p.caches.bytes[k] = caches.at(k).whole(1, most_cache_bytes);
  p.node = node_of(field.at("node"));
  const ProfileField messages = field.at("messages"), blocks = field.at("blocks"), runs = field.at("runs");
  for (std::size_t k = 0; k < messages.size(); ++k) p.messages.push_back(message_of(messages.at(k)));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const ProfileField block = blocks.at(k);
    p.blocks.push_back(
        {format_of(block.at("format")), block_of(block.at("features")), block.at("seconds").number(times), {}});
    if (block.has("matrix")) p.blocks.back().matrix = block.at("matrix").text();
  }
  for (std::size_t k = 0; k < runs.size(); ++k) p.runs.push_back(run_of(runs.at(k)));
  if (field.has("regressions")) {
    const ProfileField regressions = field.at("regressions");
    for (std::size_t k = 0; k < regressions.size(); ++k)
      p.regressions.push_back(regression_choice_of(regressions.at(k)));
  }
  return p;
}
}  // namespace

ClusterProfile cluster_profile_from_text(std::string_view text, const std::string& file) {
  const ordered_json document = base::parse_json(text, {file, remedy});
  try {
    base::check_ranges(document, base::schema_ranges("cluster-profile"));
    return profile_of(ProfileField(document));
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a cluster profile: " + error.reason(), {file}, remedy);
  }
}

ClusterProfile read_cluster_profile(const std::filesystem::path& file) {
  return cluster_profile_from_text(base::read_file(file, {.what = "cluster profile", .remedy = remedy}), file.string());
}
}  // namespace sparsecast::cluster
