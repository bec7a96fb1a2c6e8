#include "cluster/cluster_profile.hpp"

#include "base/files.hpp"
#include "base/guard/number_ranges.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"

// What stands in the file. Which numbers are believed there is said by docs/schemas/cluster-profile.schema.json: ranges
// within which the arithmetic of every model stays finite and its counts fit an int.
namespace sparsecast {
template <>
struct Fields<cluster::BandwidthCurve> {
  using C = cluster::BandwidthCurve;
  static constexpr auto table =
      std::tuple(field<&C::value_bytes>(""), field<&C::busy>(""), field<&C::bytes>(""), field<&C::rate>(""));
};
template <>
struct Fields<cluster::LatencyCurve> {
  static constexpr auto table =
      std::tuple(field<&cluster::LatencyCurve::bytes>(""), field<&cluster::LatencyCurve::seconds>(""));
};
template <>
struct Fields<cluster::NodeCurves> {
  using N = cluster::NodeCurves;
  static constexpr auto table = std::tuple(field<&N::bandwidth>(""), field<&N::latency>(""), field<&N::fma_s>(""));
};
template <>
struct Fields<cluster::CacheShare> {
  static constexpr bool as_list = true;
  static constexpr auto table = std::tuple(field<&cluster::CacheShare::bytes>(""));
};
template <>
struct Fields<cluster::MessageTime> {
  using M = cluster::MessageTime;
  static constexpr auto table =
      std::tuple(field<&M::pattern>(""), field<&M::processes>(""), field<&M::nodes>(""), field<&M::bytes>(""),
                 field<&M::neighbours>(""), field<&M::seconds>(""), field<&M::handover_s>("").where_known());
};
template <>
struct Fields<cluster::BlockFeatures> {
  using B = cluster::BlockFeatures;
  static constexpr bool as_list = true;
  static constexpr auto table =
      std::tuple(field<&B::rows>(""), field<&B::columns>(""), field<&B::nonzeros>(""), field<&B::listed_rows>(""),
                 field<&B::length_changes>(""), field<&B::length_bits>(""), field<&B::chained_nonzeros>(""),
                 field<&B::misses>(""));
};
template <>
struct Fields<cluster::TimedBlock> {
  using B = cluster::TimedBlock;
  static constexpr auto table = std::tuple(field<&B::format>(""), field<&B::features>(""), field<&B::seconds>(""),
                                           field<&B::matrix>("").where_known());
};
template <>
struct Fields<cluster::RankFeatures> {
  using R = cluster::RankFeatures;
  static constexpr auto table = std::tuple(field<&R::own>(""), field<&R::remote>(""), field<&R::received>(""),
                                           field<&R::sent>(""), field<&R::sources>(""));
};
template <>
struct Fields<cluster::MessageLoad> {
  using L = cluster::MessageLoad;
  static constexpr bool as_list = true;
  static constexpr auto table = std::tuple(field<&L::messages>(""), field<&L::near_bytes>(""), field<&L::far_bytes>(""),
                                           field<&L::node_bytes>(""), field<&L::gathered_bytes>(""));
};
template <>
struct Fields<cluster::SchemeFeatures> {
  using F = cluster::SchemeFeatures;
  static constexpr auto table =
      std::tuple(field<&F::scheme>("").as("way"), field<&F::processes>(""), field<&F::rows>(""),
                 field<&F::nonzeros>(""), field<&F::row_std>(""), field<&F::attributes>(""), field<&F::load>(""),
                 field<&F::ranks>(""), field<&F::handover_s>("").where_known());
};
template <>
struct Fields<cluster::TrainingRun> {
  using R = cluster::TrainingRun;
  static constexpr auto table =
      std::tuple(field<&R::matrix>(""), field<&R::random>(""), field<&R::format>(""), field<&R::nodes>(""),
                 field<&R::seconds>(""), field<&R::core_s>(""), field<&R::features>("").in_its_place());
};
template <>
struct Fields<cluster::Placed> {
  using P = cluster::Placed;
  static constexpr auto table = std::tuple(field<&P::processes>(""), field<&P::nodes>(""));
};
template <>
struct Fields<cluster::RegressionChoice> {
  using R = cluster::RegressionChoice;
  static constexpr auto table =
      std::tuple(field<&R::scheme>("").as("way"), field<&R::format>(""), field<&R::processes>(""), field<&R::c>(""),
                 field<&R::gamma>(""), field<&R::epsilon>(""));
};
template <>
struct Fields<cluster::ClusterProfile> {
  using P = cluster::ClusterProfile;
  static constexpr auto table =
      std::tuple(field<&P::name>(""), field<&P::source>(""), field<&P::launcher>(""), field<&P::software>(""),
                 field<&P::taken>(""), field<&P::complete>("").or_default(), field<&P::cores_per_node>(""),
                 field<&P::caches>("").as("cache_share_bytes"), field<&P::threads>("").as("rank_threads").where_known(),
                 field<&P::node>(""), field<&P::messages>(""), field<&P::blocks>(""), field<&P::runs>(""),
                 field<&P::placed>("").where_known(), field<&P::cut_messages>("").where_known(),
                 field<&P::regressions>("").where_known());
};
}  // namespace sparsecast

namespace sparsecast::cluster {
namespace {
using nlohmann::ordered_json;

constexpr auto schema_key = "schema", node_key = "node_s";
wording::Text remedy() {
  return "create one with " + wording::ask("cluster_calibrate", {{"output", wording::placeholder("FILE")}});
}

template <class... T>
void require(bool sound, fmt::format_string<T...> reason, T&&... values) {
  if (!sound) throw Error(ErrorCode::bad_input, fmt::format(reason, std::forward<T>(values)...));
}

void require_length(const std::string& path, std::size_t length, std::size_t needed) {
  require(length == needed, "{} has {} elements, {} are needed", path, length, needed);
}

void require_ascending(const std::string& path, const std::vector<double>& values) {
  require(!values.empty(), "{} has 0 elements, at least 1 are needed", path);
  const auto wrong = std::ranges::adjacent_find(values, std::ranges::greater_equal());
  require(wrong == values.end(), "{}[{}] is not larger than the number before it", path, wrong - values.begin() + 1);
}

void check(const NodeCurves& node) {
  for (std::size_t k = 0; k < node.bandwidth.size(); ++k) {
    const BandwidthCurve& curve = node.bandwidth[k];
    const std::string path = fmt::format("node.bandwidth[{}]", k);
    require(curve.value_bytes == 4 || curve.value_bytes == 8, "{}.value_bytes is neither 4 nor 8", path);
    require_ascending(path + ".bytes", curve.bytes);
    require_length(path + ".rate", curve.rate.size(), curve.bytes.size());
  }
  // A profile that was only begun has neither curve; with one of them a model asks for the other.
  if (!node.bandwidth.empty() || !node.latency.bytes.empty()) {
    require_ascending("node.latency.bytes", node.latency.bytes);
    require(!node.bandwidth.empty(), "node.bandwidth is empty and latency is not");
  }
  require_length("node.latency.seconds", node.latency.seconds.size(), node.latency.bytes.size());
}

void check(const TrainingRun& run, const std::string& path) {
  const SchemeFeatures& f = run.features;
  require(admissible(f.scheme, f.processes), "{}.processes has no grid, which 2du needs", path);
  require(run.nodes <= f.processes, "{}.nodes is {}, more than the processes", path, run.nodes);
  require_length(path + ".attributes", f.attributes.size(), attribute_count(f.scheme));
  require(!f.ranks.empty() && f.ranks.size() <= static_cast<std::size_t>(f.processes),
          "{}.ranks has {} elements for {} processes", path, f.ranks.size(), f.processes);
}

// Lengths of arrays that belong together and numbers that go with others: the models check nothing again.
void check(const ClusterProfile& p) {
  // Both are printed; the second tells what may be compared with what.
  for (const auto& [key, text] : {std::pair("name", p.name), std::pair("source", p.source)})
    require(std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 127; }),
            "{} contains control characters", key);
  const std::string simulated = simulated_origin("");
  require(is_measured(p.source) || (p.source.starts_with(simulated) && p.source.size() > simulated.size()),
          "source is neither measured nor simulated:PLATFORM");
  check(p.node);
  for (std::size_t k = 0; k < p.messages.size(); ++k) {
    const MessageTime& m = p.messages[k];
    require(m.nodes <= m.processes && m.neighbours <= m.processes,
            "messages[{}] has {} nodes and {} neighbours for {} processes", k, m.nodes, m.neighbours, m.processes);
  }
  for (const Placed& one : p.placed)
    require(one.nodes <= one.processes, "placed has {} nodes for {} processes", one.nodes, one.processes);
  for (std::size_t k = 0; k < p.runs.size(); ++k) check(p.runs[k], fmt::format("runs[{}]", k));
}

ClusterProfile profile_of(const ordered_json& document) {
  require(document.is_object() && document.contains(schema_key), "the document lacks \"schema\"");
  require(document[schema_key] == cluster_profile_schema, "schema is not {}", cluster_profile_schema);
  base::check_ranges(document, base::schema_ranges("cluster-profile"));
  auto profile = fields::read_struct<ClusterProfile>(document);
  for (std::size_t k = 0; k < profile.runs.size(); ++k) {
    const auto told = document["runs"][k].find(node_key);
    if (told == document["runs"][k].end()) continue;
    require(told->is_number(), "runs[{}].node_s is not a number", k);
    TrainingRun& run = profile.runs[k];
    run.features.node_s[static_cast<std::size_t>(run.format)] = *told;
  }
  check(profile);
  return profile;
}
}  // namespace

std::string remark_on_places(const ClusterProfile& profile, int processes) {
  const auto placed = std::ranges::find(profile.placed, processes, &Placed::processes);
  if (placed == profile.placed.end()) return {};
  const int taken = profile.nodes(processes);
  const auto nodes = [](int count) { return count == 1 ? "one node" : fmt::format("{} nodes", count); };
  return fmt::format("{} processes ran on {} and are taken for {} with room for {}{}: {}", processes,
                     nodes(placed->nodes), nodes(taken), profile.cores_per_node, taken == 1 ? "" : " each",
                     placed->nodes < taken
                         ? "no network carried their messages, and where there are fewer cores they took "
                           "turns on them"
                         : "a network carried messages that are taken for those within a node");
}

void write_cluster_profile(const ClusterProfile& profile, const std::filesystem::path& file) {
  ordered_json document{{schema_key, cluster_profile_schema}};
  document.update(fields::written(profile));
  for (std::size_t k = 0; k < profile.runs.size(); ++k)
    if (const double seconds = profile.runs[k].node_seconds(); seconds > 0) document["runs"][k][node_key] = seconds;
  base::write_file_atomically(file, base::json_text(document, 1) + '\n', {.what = "cluster profile"});
}

ClusterProfile cluster_profile_from_text(std::string_view text, const std::string& file) {
  const ordered_json document = base::parse_json(text, {file, remedy()});
  try {
    return profile_of(document);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a cluster profile: " + error.reason(), {file}, remedy());
  }
}

ClusterProfile read_cluster_profile(const std::filesystem::path& file) {
  return cluster_profile_from_text(base::read_file(file, {.what = "cluster profile", .remedy = remedy()}),
                                   file.string());
}
}  // namespace sparsecast::cluster
