#include "hardware/description.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <sparsecast_constants.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/nearest.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/device.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"
#include "hardware/host/host.hpp"
#include "hardware/host/host_properties.hpp"

namespace sparsecast {
std::string_view to_string(DeviceKind kind) { return word_of(kind); }

nlohmann::ordered_json hardware::properties_to_json(const DeviceProperties& properties) {
  return fields::written(properties);
}

DeviceProperties hardware::properties_from_json(const nlohmann::ordered_json& json, const std::string& file) try {
  nlohmann::ordered_json told = json;
  if (told.is_object())  // people leave a member away with null, too
    for (const auto& [name, value] : json.items())
      if (value.is_null()) told.erase(name);
  auto properties = fields::read_struct<DeviceProperties>(told);
  std::ranges::sort(properties.caches, {}, &CacheLevel::level);
  return properties;
} catch (const Error& wrong) {
  throw Error(wrong.code(), wrong.reason(), {file}, "see docs/schemas/device-properties.schema.json");
}

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

DeviceProperties properties_in(const embedded::File& file) {
  return hardware::properties_from_json(nlohmann::ordered_json::parse(file.text), std::string(file.name));
}

// By name or alias; nullptr: none.
const embedded::File* description_of(const std::string& name) {
  const auto files = embedded::devices();
  const auto found = std::ranges::find_if(files, [&](const embedded::File& file) {
    return file.name == name + std::string(suffix) || (file.text.find('"' + name + '"') != std::string_view::npos &&
                                                       std::ranges::count(properties_in(file).aliases, name) > 0);
  });
  return found == files.end() ? nullptr : &*found;
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
  if (properties.kind != DeviceKind::host || threads <= 0) return properties;
  if (threads < properties.compute_units && properties.channel_bandwidth > 0)
    properties.memory_bandwidth =
        std::min(properties.memory_bandwidth, threads * constants::channels_of_core * properties.channel_bandwidth);
  properties.compute_units = threads;
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
  const embedded::File* found = description_of(name);
  if (found == nullptr)
    throw Error(ErrorCode::usage, fmt::format("there is no description of a device \"{}\"", name), {},
                wording::format("the nearest names are {}; {} lists all",
                                fmt::join(hardware::nearest_descriptions(name), ", "), wording::ask("catalogue")));
  DeviceProperties device = properties_in(*found);
  device.name = name;
  return device;
}

namespace hardware {
namespace {
using Json = nlohmann::ordered_json;

wording::Text example() { return wording::ask("describe", {{"device", "host"}, {"json", true}}) + " shows one"; }

// "cpu" and "gpu", as people write them, are the kinds that documents have.
void name_kind(Json& properties) {
  const auto kind = properties.find("kind");
  if (kind == properties.end() || !kind->is_string()) return;
  if (*kind == "cpu") *kind = "host";
  if (*kind == "gpu") *kind = properties.value("vendor", "") == "NVIDIA" ? "cuda" : "opencl";
}

[[noreturn]] void refuse_field(const std::string& field, const std::string& why, const std::string& file,
                               const wording::Text& remedy = example()) {
  throw Error(ErrorCode::bad_input, fmt::format("\"{}\" of the device description {}", field, why), {file}, remedy);
}

// A number whose name is nearly a known one was meant to be that, and would be passed over. Others may be an author's
// own, or of a later version.
void require_spelt(const Json& object, const std::vector<std::string>& known, const std::string& file) {
  for (const auto& [name, value] : object.items())
    if (!value.is_string() && std::ranges::find(known, name) == known.end())
      if (const std::string meant = base::did_you_mean(name, known); !meant.empty())
        refuse_field(name, "is not known", file, meant);
}

// Of the description's members and of its limits.
void require_spelt(const Json& properties, const std::string& file) {
  static const std::vector<std::string> limits{
      "compute_capability",     "registers_per_unit",   "registers_per_block", "shared_bytes_per_unit",
      "shared_bytes_per_block", "max_allocation_bytes", "threads_per_core",    "fma_cycles",
      "host_processor"};
  std::vector<std::string> known{"schema"};
  each_field<DeviceProperties>([&](const auto& one) { known.emplace_back(one.key); });
  for (const std::string& limit : limits)
    if (properties.contains(limit)) refuse_field(limit, "stands outside of \"limits\"", file);
  require_spelt(properties, known, file);
  if (const auto given = properties.find("limits"); given != properties.end() && given->is_object())
    require_spelt(*given, limits, file);
}

// What a reader takes for told although it is not: a processor where no kind stands, a cache of each core.
void require_told(const Json& properties, const std::string& file) {
  if (!properties.contains("kind") || properties["kind"].is_null())
    refuse_field("kind", "is missing: host, opencl or cuda", file);
  const auto caches = properties.find("caches");
  if (caches == properties.end() || !caches->is_array()) return;
  for (const Json& cache : *caches)
    for (const char* member : {"level", "shared_by"})
      if (cache.is_object() && !cache.contains(member))
        refuse_field(fmt::format("caches.{}", member), "is missing", file);
}

struct Plausible {
  std::string_view limit;
  double least, most;
  std::string_view as;
};
constexpr std::array plausible_limits{
    Plausible{"compute_capability", 1, 20, "as NVIDIA writes it, for example 9.0"},
    Plausible{"registers_per_unit", 1e3, 1e8, "as a number of registers, for example 65536"},
    Plausible{"shared_bytes_per_unit", 1e3, 1e9, "in bytes, for example 233472"},
    Plausible{"shared_bytes_per_block", 1e3, 1e9, "in bytes, for example 49152"},
    Plausible{"max_allocation_bytes", 1e6, 1e15, "in bytes, for example 8e10"},
    Plausible{"threads_per_core", 1, 128, "as a number of threads, for example 2"},
    Plausible{"fma_cycles", 1, 100, "in clock cycles, for example 4"},
};

// Caches in bytes and vectors in bits, not in megabytes and bytes.
void require_plausible_sizes(const DeviceProperties& p, const std::string& file) {
  // Chosen with the catalogue in view: its vectors have 128 bits and more, and a system cache half the size of the
  // level before it.
  constexpr int least_vector = 128, most_vector = 1 << 14;
  constexpr std::int64_t least_cache = 1 << 10, smaller = 4;
  if (p.vector_bits != 0 && (p.vector_bits < least_vector || p.vector_bits > most_vector ||
                             !std::has_single_bit(static_cast<unsigned>(p.vector_bits))))
    refuse_field("vector_bits", fmt::format("is {}; give it in bits, for example 256", p.vector_bits), file);
  for (std::size_t i = 0; i < p.caches.size(); ++i) {
    const CacheLevel& cache = p.caches[i];
    const std::int64_t least = i == 0 ? least_cache : std::max(least_cache, p.caches[i - 1].size_bytes / smaller);
    if (cache.size_bytes < least)
      refuse_field(
          "caches.size_bytes",
          fmt::format("is {} at level {}; give it in bytes, for example 33554432", cache.size_bytes, cache.level),
          file);
  }
  for (const auto& [limit, least, most, as] : plausible_limits)
    if (const auto told = p.limits.find(std::string(limit)); told != p.limits.end())
      if (const double value = told->second; value < least || value > most)
        refuse_field(fmt::format("limits.{}", limit), fmt::format("is {:g}; give it {}", value, as), file);
}

// Numbers that no machine has, most of them in another unit than the document's, and those that contradict others.
void require_plausible(const DeviceProperties& p, const std::string& file) {
  constexpr double least_clock = 1e7, most_clock = 2e10, least_bandwidth = 1e8, most_bandwidth = 1e15;
  if (p.clock_hz < least_clock || p.clock_hz > most_clock)
    refuse_field("clock_hz", fmt::format("is {:g}; give it in Hz, for example 2.4e9", p.clock_hz), file);
  if (p.base_clock_hz > 0 && p.base_clock_hz < least_clock)
    refuse_field("base_clock_hz", fmt::format("is {:g}; give it in Hz, for example 2.4e9", p.base_clock_hz), file);
  if (p.memory_bandwidth < least_bandwidth || p.memory_bandwidth > most_bandwidth)
    refuse_field("memory_bandwidth", fmt::format("is {:g}; give it in bytes/s, for example 2e11", p.memory_bandwidth),
                 file);
  if (p.launch_s > longest_launch_s)
    refuse_field("launch_s", fmt::format("is {:g}; give it in seconds, for example 5e-6", p.launch_s), file);
  // Physics: nothing comes faster than all channels bring it.
  if (const double most = p.memory_channels * p.channel_bandwidth; most > 0 && p.memory_bandwidth > 1.001 * most)
    refuse_field("memory_bandwidth",
                 fmt::format("is {:g}, more than the {:g} of its channels", p.memory_bandwidth, most), file);
  require_plausible_sizes(p, file);
  if (p.numa_domains > p.compute_units)
    refuse_field("numa_domains", fmt::format("is {}, more than the {} compute_units", p.numa_domains, p.compute_units),
                 file);
  for (std::size_t i = 1; i < p.caches.size(); ++i) {  // in the order of their levels
    const CacheLevel &near = p.caches[i - 1], &far = p.caches[i];
    if (near.level == far.level) refuse_field("caches.level", fmt::format("lists {} twice", far.level), file);
    if (far.shared_by < near.shared_by)
      refuse_field(
          "caches.shared_by",
          fmt::format("is {} at level {}, but {} at level {}", far.shared_by, far.level, near.shared_by, near.level),
          file);
  }
}
}  // namespace

void require_description(const DeviceProperties& p, const std::string& file) {
  const auto refuse = [&](const std::string& field, const std::string& why) { refuse_field(field, why, file); };
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
  require_told(properties, file);
  require_spelt(properties, file);
  if (device.name.empty() && document.is_object() && document.contains("name") && document["name"].is_string())
    device.name = document["name"].get<std::string>();
  if (device.name.empty()) device.name = std::filesystem::path(file).stem().string();
  if (device.kind == DeviceKind::host && device.rows_per_chunk == 0) device.rows_per_chunk = 1024;
  require_description(device, file);
  require_plausible(device, file);
  return device;
}

bool is_described(const std::string& name) { return description_of(name) != nullptr; }

std::vector<std::string> nearest_descriptions(const std::string& name) {
  std::vector<std::string> names = described_devices();
  for (const embedded::File& file : embedded::devices())
    for (std::string& alias : properties_in(file).aliases) names.push_back(std::move(alias));
  std::ranges::stable_sort(names, {}, [&](const std::string& known) { return base::edit_distance(name, known); });
  names.resize(std::min<std::size_t>(names.size(), 3));
  return names;
}
}  // namespace hardware

DeviceProperties read_device(const std::filesystem::path& file) {
  const std::string text = base::read_file(file, {.what = "device description"});
  return hardware::described_device(base::parse_json(text, {file.string(), hardware::example()}), file.string());
}
}  // namespace sparsecast

namespace sparsecast::hardware {

void Product::enqueue(const void* /*x*/, void* /*y*/, std::int64_t /*first_row*/, int /*queue*/,
                      std::int64_t /*vectors*/) {
  throw Error(ErrorCode::unavailable, "this product has no device memory to work in");
}

// Which devices there are and how their names lead to them.

namespace {
constexpr const char* no_gpus = "GPUs: this program is built without the library that drives them, sparsecast-gpu";

constinit std::span<const GpuKind> gpu_kinds;  // set before main(), or never

// N of "<prefix>N"; below 0 for another name.
int number_of(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? base::number_in<int>(name.substr(prefix.size())).value_or(-1) : -1;
}
}  // namespace

void set_gpu_kinds(std::span<const GpuKind> kinds) { gpu_kinds = kinds; }

std::unique_ptr<Device> open_device(const std::string& name, int threads) {
  if (name == "host") return open_host(threads);
  for (const GpuKind& kind : gpu_kinds)
    if (const int number = number_of(name, kind.prefix); number >= 0) return kind.open(number);
  if (gpu_kinds.empty() && (number_of(name, "opencl:") >= 0 || number_of(name, "cuda:") >= 0))
    throw Error(ErrorCode::unavailable, name + " is not present: " + no_gpus);
  const std::string meant = base::did_you_mean(name, std::vector<std::string>{"host", "opencl:0", "cuda:0"});
  throw Error(ErrorCode::usage, "there is no device '" + name + "'", {},
              (meant.empty() ? meant : meant + " ") +
                  wording::format("devices are host, opencl:N and cuda:N; {} lists those that are present",
                                  wording::ask("devices")));
}

std::vector<std::string> built_in_devices() {
  std::vector<std::string> kinds{"host"};
  for (const GpuKind& kind : gpu_kinds)
    if (!kind.built_in.empty()) kinds.emplace_back(kind.built_in);
  return kinds;
}

PresentDevices present_devices() {
  PresentDevices present{{host_properties()}, {}};
  for (const GpuKind& kind : gpu_kinds) {
    std::string why;
    const std::vector<DeviceProperties> found = kind.list(&why);
    present.devices.insert(present.devices.end(), found.begin(), found.end());
    if (found.empty())
      present.missing.push_back(std::string(kind.prefix.substr(0, kind.prefix.size() - 1)) + ": " + why);
  }
  if (gpu_kinds.empty()) present.missing.emplace_back(no_gpus);
  return present;
}
}  // namespace sparsecast::hardware
