#include "calibration/shipped/kept_probe.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/generate.hpp>

#include "base/clock.hpp"
#include "base/curve.hpp"
#include "base/files.hpp"
#include "base/home.hpp"
#include "base/number.hpp"
#include "base/team.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "calibration/observations.hpp"
#include "calibration/profile_json.hpp"
#include "formats/host_product.hpp"
#include "formats/kernels.hpp"
#include "hardware/device.hpp"
#include "hardware/host/host_probe.hpp"

namespace sparsecast::calibration {
namespace {
constexpr int probe_version = 1;  // to be raised where the same host would be probed otherwise

// Empty where there is no folder to keep anything in.
std::filesystem::path file_of_probe(const std::string& stamp) {
  const std::filesystem::path home = base::home_folder_if_any();
  return home.empty() ? home : home / "probes" / fmt::format("first-{:016x}.json", base::fnv1a(stamp));
}

std::optional<HostProbe> read_probe(const std::filesystem::path& file, const std::string& stamp) try {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(base::read_file(file, {.most_bytes = 1 << 16}));
  if (json.at("version").get<int>() != probe_version || json.at("stamp").get<std::string>() != stamp)
    return std::nullopt;
  HostProbe probe{.curves = {}, .taken = json.at("taken").get<std::string>()};
  for (const auto& curve : json.at("curves")) {
    probe.curves.push_back(curve_from_json(curve));
    if (!base::usable(probe.curves.back())) return std::nullopt;
  }
  return probe;
} catch (const std::exception&) {
  return std::nullopt;  // a damaged file is as good as none
}

void keep_probe(const std::filesystem::path& file, const std::string& stamp, const HostProbe& probe) noexcept try {
  if (file.empty()) return;
  nlohmann::ordered_json json{{"version", probe_version}, {"stamp", stamp}, {"taken", probe.taken}};
  for (const Curve& curve : probe.curves) json["curves"].push_back(curve_to_json(curve));
  std::filesystem::create_directories(file.parent_path());
  base::write_file_atomically(file, json.dump());
} catch (const std::exception&) {
  // A folder that cannot be written, a disk that is full: the next process probes again.
}

// By csr: the least of some repeats, after one that warms up.
double product_seconds(const Matrix& matrix, int threads) {
  constexpr int repeats = 5, times = 3;
  const auto product = formats::find_host_kernel(formats::default_kernel().name)->build<double>(matrix, threads);
  const Array<double> x = hardware::timing_vector<double>(matrix.cols());
  Array<double> y(static_cast<std::size_t>(matrix.rows()));
  product->apply(x, y);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const double start = base::now_s();
    for (int k = 0; k < times; ++k) product->apply(x, y);
    least = std::min(least, (base::now_s() - start) / times);
  }
  return least;
}

// Where others had the cores, the next process tries again.
bool is_whole(const HostProbe& probe, const std::vector<int>& threads) {
  const auto has = [&](std::string_view name, int count) {
    return std::ranges::any_of(probe.curves,
                               [&](const Curve& curve) { return curve.name == name && curve.threads == count; });
  };
  return std::ranges::all_of(threads,
                             [&](int count) { return has("read_bandwidth", count) && has("gather_rate", count); });
}

HostProbe take_probe(const DeviceProperties& properties, const std::vector<int>& threads) {
  HostProbe probe{.curves = hardware::probe_host_curves(properties, threads), .taken = base::utc_now()};
  const Matrix matrix = generate(probed_matrix(), 1);
  for (const int count : threads)
    if (is_whole(probe, {count}))
      probe.curves.push_back({.name = "csr_product",
                              .threads = count,
                              .x = {static_cast<double>(matrix.nonzeros())},
                              .y = {product_seconds(matrix, count)}});
  std::erase_if(probe.curves, [](const Curve& curve) { return !base::usable(curve); });
  return probe;
}
}  // namespace

MatrixSpec probed_matrix() { return {.kind = "poisson2d", .parameters = {.size = 120}}; }

HostProbe probe_of_host(const DeviceProperties& properties) {
  static std::mutex mutex;
  static std::map<std::string, HostProbe> taken;  // by file and machine
  const std::string stamp = machine_stamp(properties);
  const std::filesystem::path file = file_of_probe(stamp);
  const bool child = base::is_forked_child();
  const std::string key = fmt::format("{} {} {}", file.string(), stamp, child);
  const std::lock_guard lock(mutex);
  if (const auto known = taken.find(key); known != taken.end()) return known->second;
  std::optional<HostProbe> probe = read_probe(file, stamp);
  if (!probe) {
    std::vector<int> threads{1};
    if (const int all = available_cores(); all > 1 && !child) threads.push_back(all);
    probe = take_probe(properties, threads);
    if (!child && is_whole(*probe, threads)) keep_probe(file, stamp, *probe);
  }
  return taken[key] = std::move(*probe);
}
}  // namespace sparsecast::calibration
