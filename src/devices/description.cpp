#include "devices/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "devices/properties_json.hpp"

namespace sparsecast {
namespace devices {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* remedy = "`sparsecast devices --describe NAME --json` shows what a description looks like";

// Edits that make one name of the other (Levenshtein).
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

// "cpu" and "gpu", as people write them, are the kinds that documents have.
void name_kind(Json& properties) {
  const auto kind = properties.find("kind");
  if (kind == properties.end() || !kind->is_string()) return;
  if (*kind == "cpu") *kind = "host";
  if (*kind == "gpu") *kind = properties.value("vendor", "") == "NVIDIA" ? "cuda" : "opencl";
}

}  // namespace

void require_description(const DeviceProperties& p, const std::string& file) {
  const auto refuse = [&](const std::string& field, const std::string& why) {
    throw Error(ErrorCode::bad_input, fmt::format("\"{}\" of the device description {}", field, why), {file}, remedy);
  };
  const auto need = [&](const char* field, double value) {
    if (!(value > 0)) refuse(field, "is missing or 0");
  };
  need("compute_units", p.compute_units);
  need("clock_hz", p.clock_hz);
  need("memory_bandwidth", p.memory_bandwidth);
  if (p.caches.empty()) refuse("caches", "is missing or empty");
  for (const CacheLevel& cache : p.caches) {
    need("caches.size_bytes", static_cast<double>(cache.size_bytes));
    need("caches.shared_by", cache.shared_by);
    if (cache.shared_by > p.compute_units)
      refuse("caches.shared_by",
             fmt::format("is {}, more than the {} compute_units", cache.shared_by, p.compute_units));
    if (p.memory_bytes > 0 && cache.size_bytes > p.memory_bytes)
      refuse("caches.size_bytes", "is more than memory_bytes");
  }
  if (p.base_clock_hz > p.clock_hz)
    refuse("base_clock_hz", fmt::format("is {:.3g}, more than clock_hz, {:.3g}", p.base_clock_hz, p.clock_hz));
  if (p.sockets > p.compute_units) refuse("sockets", "is more than compute_units");
  if (p.kind != DeviceKind::host && p.warps_per_unit > 0 && p.threads_per_unit > 0 &&
      p.threads_per_unit != p.warps_per_unit * p.warp_size)
    refuse("threads_per_unit", fmt::format("is {}, but {} warps of {} are {}", p.threads_per_unit, p.warps_per_unit,
                                           p.warp_size, p.warps_per_unit * p.warp_size));
}

DeviceProperties described_device(const Json& document, const std::string& file) {
  Json properties = document.is_object() && document.contains("properties") ? document["properties"] : document;
  if (properties.is_object()) name_kind(properties);
  DeviceProperties device = properties_from_json(properties, file);
  if (device.name.empty() && document.is_object() && document.contains("name") && document["name"].is_string())
    device.name = document["name"].get<std::string>();
  if (device.name.empty()) device.name = std::filesystem::path(file).stem().string();
  if (device.kind == DeviceKind::host && device.rows_per_chunk == 0) device.rows_per_chunk = 1024;
  require_description(device, file);
  return device;
}

std::vector<std::string> nearest_descriptions(const std::string& name) {
  std::vector<std::string> names = described_devices();
  std::ranges::stable_sort(names, {}, [&](const std::string& known) { return edits(name, known); });
  names.resize(std::min<std::size_t>(names.size(), 3));
  return names;
}

}  // namespace devices

DeviceProperties read_device(const std::filesystem::path& file) {
  const std::string text = base::read_file(file, {.what = "device description"});
  return devices::described_device(base::parse_json(text, {file.string(), devices::remedy}), file.string());
}

}  // namespace sparsecast
