#include "devices/properties_json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/fields/json.hpp"
#include "devices/description.hpp"
#include "formats/kernels.hpp"

namespace sparsecast {
std::string_view to_string(DeviceKind kind) { return word_of(kind); }

nlohmann::ordered_json hardware::properties_to_json(const DeviceProperties& properties) {
  return base::written(properties);
}

DeviceProperties hardware::properties_from_json(const nlohmann::ordered_json& json, const std::string& file) try {
  nlohmann::ordered_json told = json;
  if (told.is_object())  // people leave a member away with null, too
    for (const auto& [name, value] : json.items())
      if (value.is_null()) told.erase(name);
  auto properties = base::read_struct<DeviceProperties>(told);
  std::ranges::sort(properties.caches, {}, &CacheLevel::level);
  return properties;
} catch (const Error& wrong) {
  throw Error(wrong.code(), wrong.reason(), {file}, "see docs/schemas/device-properties.schema.json");
}
}  // namespace sparsecast

namespace sparsecast {
// Strips (how many rows a device handles at once) and the descriptions of devices that ship with the product.

namespace {
constexpr std::string_view suffix = ".json";

// Rows (coo: non-zeros) in flight under full load: every resident thread, warp or half-warp has one.
std::int64_t units_in_flight(const DeviceProperties& device, formats::WorkUnit unit) {
  const std::int64_t compute_units = device.compute_units;
  if (device.kind == DeviceKind::host)
    return compute_units * std::max(1, device.threads_per_unit) * device.rows_per_chunk;
  switch (unit) {
    case formats::WorkUnit::row_per_warp: return compute_units * device.warps_per_unit;
    case formats::WorkUnit::row_per_half_warp: return compute_units * device.warps_per_unit * 2;
    case formats::WorkUnit::row_per_thread:
    case formats::WorkUnit::nonzero_per_thread:
    case formats::WorkUnit::balanced: break;
  }
  return compute_units * device.threads_per_unit;
}
}  // namespace

std::int64_t DeviceProperties::strip(const std::string& kernel) const {
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  if (info == nullptr || !(kind == DeviceKind::host ? info->on_host : info->on_gpu)) return 0;
  if (info->vendor && kind != DeviceKind::cuda) return 0;
  return units_in_flight(*this, info->unit);
}

std::map<std::string, std::int64_t> DeviceProperties::strips() const {
  std::map<std::string, std::int64_t> strips;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    const std::string name(kernel.name);
    if (const std::int64_t rows = strip(name); rows > 0) strips[name] = rows;
  }
  return strips;
}

DeviceProperties with_threads(DeviceProperties properties, int threads) {
  if (properties.kind == DeviceKind::host && threads > 0) properties.compute_units = threads;
  return properties;
}

std::vector<std::string> described_devices() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::devices())
    names.emplace_back(file.name.substr(0, file.name.size() - suffix.size()));
  std::ranges::sort(names);
  return names;
}

DeviceProperties describe_device(const std::string& name) {
  const auto files = embedded::devices();
  const auto found = std::ranges::find(files, name + std::string(suffix), &embedded::File::name);
  if (found == files.end())
    throw Error(ErrorCode::usage, fmt::format("no description of a device \"{}\"", name), {},
                fmt::format("the nearest names are {}; `sparsecast devices --catalogue` lists all",
                            fmt::join(hardware::nearest_descriptions(name), ", ")));
  return hardware::properties_from_json(nlohmann::ordered_json::parse(found->text), name + std::string(suffix));
}
}  // namespace sparsecast
