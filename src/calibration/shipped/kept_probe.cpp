#include "calibration/shipped/kept_probe.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/generate.hpp>
#include <sparsecast_constants.hpp>

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
constexpr int probe_version = 2;  // to be raised where the same host would be probed otherwise

// Empty where there is no folder to keep anything in.
std::filesystem::path file_of_probe(const std::string& stamp) {
  const std::filesystem::path home = base::home_folder_if_any();
  return home.empty() ? home : home / "probes" / fmt::format("first-{:016x}.json", base::fnv1a(stamp));
}

bool same_points(const HostProbe& one, const HostProbe& other) {
  return std::ranges::equal(one.curves, other.curves, [](const Curve& a, const Curve& b) {
    return a.name == b.name && a.threads == b.threads && a.x == b.x;
  });
}

std::vector<HostProbe> read_looks(const std::filesystem::path& file, const std::string& stamp) try {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  const auto json = nlohmann::ordered_json::parse(base::read_file(file, {.most_bytes = 1 << 16}));
  if (json.at("version").get<int>() != probe_version || json.at("stamp").get<std::string>() != stamp) return {};
  std::vector<HostProbe> looks;
  for (const auto& kept : json.at("looks")) {
    HostProbe& look = looks.emplace_back();
    look.taken = kept.at("taken").get<std::string>();
    for (const auto& curve : kept.at("curves")) {
      look.curves.push_back(curve_from_json(curve));
      if (!base::usable(look.curves.back())) return {};
    }
    if (!same_points(looks.front(), look)) return {};
  }
  return looks;
} catch (const std::exception&) {
  return {};  // a damaged file is as good as none
}

void keep_looks(const std::filesystem::path& file, const std::string& stamp, std::span<const HostProbe> looks) noexcept
    try {
  if (file.empty()) return;
  nlohmann::ordered_json json{{"version", probe_version}, {"stamp", stamp}};
  json["looks"] = nlohmann::ordered_json::array();
  for (const HostProbe& look : looks) {
    nlohmann::ordered_json& kept = json["looks"].emplace_back(nlohmann::ordered_json::object());
    kept["taken"] = look.taken;
    kept["curves"] = nlohmann::ordered_json::array();
    for (const Curve& curve : look.curves) kept["curves"].push_back(curve_to_json(curve));
  }
  std::filesystem::create_directories(file.parent_path());
  base::write_file_atomically(file, json.dump());
} catch (const std::exception&) {
  // A folder that cannot be written, a disk that is full: the next process looks again.
}

bool tells_seconds(std::string_view name) { return name == "latency" || name == "launch" || name == "csr_product"; }

// How much slower than the joined probe a look is, in the mean of its points but those of launches, which depend on
// where the threads happened to be.
double slower_by(const HostProbe& look, const HostProbe& best) {
  double sum = 0, points = 0;
  for (std::size_t c = 0; c < best.curves.size(); ++c) {
    if (best.curves[c].name == "launch") continue;
    for (std::size_t i = 0; i < best.curves[c].y.size(); ++i, ++points)
      sum += std::abs(std::log(look.curves[c].y[i] / best.curves[c].y[i]));
  }
  return points > 0 ? sum / points : 0;
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

// Where others had the cores, the next process looks again.
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
  std::vector<HostProbe> looks = read_looks(file, stamp);
  const std::size_t kept = looks.size();
  HostProbe probe = joined(looks);
  // A child of fork() sees one of the threads, which is no look for others.
  if (kept == 0 || (!child && probe.doubt > 0 && kept < constants::count<std::size_t>(constants::most_looks))) {
    std::vector<int> threads{1};
    if (const int all = available_cores(); all > 1 && !child) threads.push_back(all);
    looks.push_back(take_probe(properties, threads));
    const bool whole = is_whole(looks.back(), threads);
    if (whole && !same_points(looks.front(), looks.back())) looks.erase(looks.begin(), looks.end() - 1);
    if (whole || kept == 0) probe = joined(looks);
    if (whole && !child) keep_looks(file, stamp, looks);
  }
  return taken[key] = std::move(probe);
}

HostProbe joined(std::span<const HostProbe> looks) {
  if (looks.empty()) return {};
  HostProbe best = looks.front();
  for (const HostProbe& look : looks.subspan(1))
    for (std::size_t c = 0; c < best.curves.size(); ++c)
      for (std::size_t i = 0; i < best.curves[c].y.size(); ++i) {
        double& y = best.curves[c].y[i];
        y = tells_seconds(best.curves[c].name) ? std::min(y, look.curves[c].y[i]) : std::max(y, look.curves[c].y[i]);
      }
  std::vector<double> slower;
  for (const HostProbe& look : looks) slower.push_back(slower_by(look, best));
  std::ranges::sort(slower);
  const bool confirmed = slower.size() > 1 && slower[1] <= constants::look_agreement;
  best.doubt = confirmed ? 0 : std::max(constants::lone_look_doubt, slower.size() > 1 ? slower[1] : 0.0);
  return best;
}
}  // namespace sparsecast::calibration
