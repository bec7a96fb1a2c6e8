#include "devices/properties_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "devices/properties_ranges.hpp"

namespace sparsecast {
namespace {

using Json = nlohmann::ordered_json;

struct KindName {
  DeviceKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 3> kind_names{
    {{DeviceKind::host, "host"}, {DeviceKind::opencl, "opencl"}, {DeviceKind::cuda, "cuda"}}};

// Far above any device, and low enough that no product of two counts overflows 64 bits.
constexpr double most_count = 1e9;
constexpr double most_bytes = 1e18;
constexpr std::size_t most_entries = 1000;

// Members that only descriptions have, 0 where they are not told.
constexpr std::pair<const char*, double DeviceProperties::*> described_numbers[] = {
    {"base_clock_hz", &DeviceProperties::base_clock_hz},
    {"launch_s", &DeviceProperties::launch_s},
    {"power_w", &DeviceProperties::power_w}};
constexpr std::pair<const char*, int DeviceProperties::*> described_counts[] = {
    {"sockets", &DeviceProperties::sockets},
    {"numa_domains", &DeviceProperties::numa_domains},
    {"memory_channels", &DeviceProperties::memory_channels},
    {"vector_bits", &DeviceProperties::vector_bits}};

// Reads members of one JSON object, each checked; `place` names it in messages.
class Members {
 public:
  Members(const Json& json, const std::string& file, std::string place)
      : json_(json), file_(file), place_(std::move(place)) {
    if (!json.is_object()) refuse(place_.empty() ? "the document" : place_, "an object");
  }

  [[noreturn]] void refuse(const std::string& member, const std::string& wanted) const {
    throw Error(ErrorCode::bad_input, fmt::format("\"{}\" of a device description is not {}", member, wanted), {file_},
                "see docs/schemas/device-properties.schema.json");
  }
  [[nodiscard]] const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  void text(const char* name, std::string& value) const {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_string()) refuse(place_ + name, "a string");
    value = member->get<std::string>();
  }
  void number(const char* name, double& value, double most) const {
    if (const Json* member = find(name)) value = checked(*member, place_ + name, most);
  }
  template <class Integer>
  void count(const char* name, Integer& value, double most) const {
    const Json* member = find(name);
    if (member == nullptr) return;
    const double number = checked(*member, place_ + name, most);
    if (number != std::floor(number)) refuse(place_ + name, "a whole number");
    value = static_cast<Integer>(number);
  }
  [[nodiscard]] double checked(const Json& member, const std::string& name, double most) const {
    if (!member.is_number()) refuse(name, "a number");
    const auto number = member.get<double>();
    if (!(number >= 0 && number <= most)) refuse(name, fmt::format("between 0 and {:g}", most));
    return number;
  }

 private:
  const Json& json_;
  const std::string& file_;
  std::string place_;
};

}  // namespace

std::string_view to_string(DeviceKind kind) { return std::ranges::find(kind_names, kind, &KindName::kind)->name; }

Json devices::properties_to_json(const DeviceProperties& p) {
  Json caches = Json::array();
  for (const CacheLevel& cache : p.caches)
    caches.push_back({{"level", cache.level},
                      {"size_bytes", cache.size_bytes},
                      {"line_bytes", cache.line_bytes},
                      {"shared_by", cache.shared_by}});
  Json limits = Json::object();
  for (const auto& [name, value] : p.limits) limits[name] = value;
  Json json{{"name", p.name},
            {"model", p.model},
            {"vendor", p.vendor},
            {"kind", to_string(p.kind)},
            {"compute_units", p.compute_units},
            {"warp_size", p.warp_size},
            {"warps_per_unit", p.warps_per_unit},
            {"threads_per_unit", p.threads_per_unit},
            {"max_threads_per_block", p.max_threads_per_block},
            {"rows_per_chunk", p.rows_per_chunk},
            {"memory_bytes", p.memory_bytes},
            {"memory_bandwidth", p.memory_bandwidth},
            {"clock_hz", p.clock_hz},
            {"caches", caches},
            {"driver", p.driver},
            {"microcode", p.microcode},
            {"limits", limits},
            {"source", p.source}};
  for (const auto& [name, member] : described_numbers)
    if (p.*member > 0) json[name] = p.*member;
  for (const auto& [name, member] : described_counts)
    if (p.*member > 0) json[name] = p.*member;
  if (!p.sources.empty()) json["sources"] = Json(p.sources);
  return json;
}

DeviceProperties devices::properties_from_json(const Json& json, const std::string& file) {
  const Members members(json, file, "");
  try {
    base::check_ranges(json, properties_ranges());
  } catch (const Error& wrong) {
    throw Error(wrong.code(), wrong.reason(), {file}, "see docs/schemas/device-properties.schema.json");
  }
  DeviceProperties p;
  members.text("name", p.name);
  members.text("model", p.model);
  members.text("vendor", p.vendor);
  std::string kind{to_string(p.kind)};
  members.text("kind", kind);
  const auto* known = std::ranges::find(kind_names, kind, &KindName::name);
  if (known == kind_names.end()) members.refuse("kind", "one of host, opencl, cuda");
  p.kind = known->kind;
  members.count("compute_units", p.compute_units, most_count);
  members.count("warp_size", p.warp_size, most_count);
  members.count("warps_per_unit", p.warps_per_unit, most_count);
  members.count("threads_per_unit", p.threads_per_unit, most_count);
  members.count("max_threads_per_block", p.max_threads_per_block, most_count);
  members.count("rows_per_chunk", p.rows_per_chunk, most_count);
  members.count("memory_bytes", p.memory_bytes, most_bytes);
  members.number("memory_bandwidth", p.memory_bandwidth, most_bytes);
  members.number("clock_hz", p.clock_hz, most_bytes);
  for (const auto& [name, member] : described_numbers) members.number(name, p.*member, most_bytes);
  for (const auto& [name, member] : described_counts) members.count(name, p.*member, most_count);
  members.text("driver", p.driver);
  members.text("microcode", p.microcode);
  members.text("source", p.source);
  if (p.warp_size < 1) members.refuse("warp_size", "at least 1");
  if (p.max_threads_per_block < 1) members.refuse("max_threads_per_block", "at least 1");

  if (const Json* caches = members.find("caches")) {
    if (!caches->is_array() || caches->size() > most_entries) members.refuse("caches", "a list of caches");
    for (const Json& entry : *caches) {
      const Members cache(entry, file, "caches.");
      CacheLevel level;
      cache.count("level", level.level, most_count);
      cache.count("size_bytes", level.size_bytes, most_bytes);
      cache.count("line_bytes", level.line_bytes, most_count);
      cache.count("shared_by", level.shared_by, most_count);
      p.caches.push_back(level);
    }
    std::ranges::sort(p.caches, {}, &CacheLevel::level);
  }
  if (const Json* limits = members.find("limits")) {
    if (!limits->is_object() || limits->size() > most_entries) members.refuse("limits", "an object of numbers");
    for (const auto& [name, value] : limits->items())
      p.limits[name] = members.checked(value, "limits." + name, most_bytes);
  }
  if (const Json* sources = members.find("sources")) {
    if (!sources->is_object() || sources->size() > most_entries) members.refuse("sources", "an object of texts");
    for (const auto& [name, value] : sources->items()) {
      if (!value.is_string()) members.refuse("sources." + name, "a string");
      p.sources[name] = value.get<std::string>();
    }
  }
  return p;
}

}  // namespace sparsecast
