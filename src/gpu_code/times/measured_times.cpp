#include "gpu_code/times/measured_times.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/error.hpp>
#include <vector>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "calibration/store.hpp"

namespace sparsecast::gpu_code {
namespace {
constexpr double warp_size = 32;

/// What the difference of a reading's two runs says.
class Readings {
 public:
  Readings(const std::vector<MicroBenchmark>& list, const DeviceProperties& properties)
      : list_(list), multiprocessors_(std::max(1, properties.compute_units)) {}

  /// Clock of the multiprocessors while they were busy: the median over all readings by many warps.
  [[nodiscard]] double clock_hz() const {
    std::vector<double> clocks;
    for (const MicroBenchmark& b : list_) {
      const double seconds = b.longer.seconds - b.shorter.seconds, cycles = b.longer.cycles - b.shorter.cycles;
      if (b.throughput && seconds > 0 && cycles > 0) clocks.push_back(cycles / seconds);
    }
    if (clocks.empty()) return 0;
    std::sort(clocks.begin(), clocks.end());
    return clocks[clocks.size() / 2];
  }
  /// Cycles from an operation to the next one that depends on it.
  [[nodiscard]] std::optional<double> latency(const std::string& name) const {
    const auto* b = find(name, false);
    return b != nullptr ? cycles_per_step(*b) : std::nullopt;
  }
  /// Warps on every multiprocessor times operations a cycle.
  [[nodiscard]] std::optional<double> warp_operations_per_cycle(const std::string& name) const {
    const auto* b = find(name, true);
    const auto cycles = b != nullptr ? cycles_per_step(*b) : std::nullopt;
    if (!cycles) return std::nullopt;
    return static_cast<double>(b->groups * b->threads) / warp_size / multiprocessors_ / *cycles;
  }
  /// Of `names` those that were measured: their mean.
  template <class Value>
  [[nodiscard]] static std::optional<double> mean(std::initializer_list<const char*> names, Value&& value) {
    double sum = 0;
    int count = 0;
    for (const char* name : names)
      if (const std::optional<double> v = value(std::string(name))) {
        sum += *v;
        ++count;
      }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

 private:
  [[nodiscard]] const MicroBenchmark* find(const std::string& name, bool throughput) const {
    const auto found = std::find_if(list_.begin(), list_.end(), [&](const MicroBenchmark& b) {
      return b.name == name && b.throughput == throughput;
    });
    return found != list_.end() ? &*found : nullptr;
  }
  [[nodiscard]] static std::optional<double> cycles_per_step(const MicroBenchmark& b) {
    const double cycles = b.longer.cycles - b.shorter.cycles;
    const auto steps = static_cast<double>(b.longer.steps - b.shorter.steps);
    return cycles > 0 && steps > 0 ? std::optional(cycles / steps) : std::nullopt;
  }

  const std::vector<MicroBenchmark>& list_;
  double multiprocessors_;
};

int compute_capability(const DeviceProperties& properties) {
  const auto found = properties.limits.find("compute_capability");
  return found != properties.limits.end() ? static_cast<int>(std::lround(10 * found->second)) : 0;
}

/// The board's own table, else the newest family that is not newer than the device.
KernelTimes table_of(const Profile& profile) {
  const DeviceProperties& p = profile.properties;
  const int capability = compute_capability(p);
  static const std::vector<KernelTimes> boards = [] {
    std::vector<KernelTimes> tables;
    for (const std::string& name : kernel_time_devices()) tables.push_back(kernel_times(name));
    return tables;
  }();
  for (const KernelTimes& times : boards)
    if (times.architecture == capability && times.model == p.model) return times;
  const auto family = family_times(capability);
  if (!family)
    throw Error(
        ErrorCode::unavailable,
        fmt::format("there is no table for {} (compute capability {}.{})", p.name, capability / 10, capability % 10),
        {}, "forecasts are made for compute capability 7.0 and later");
  KernelTimes times = *family;
  times.model = p.model;
  times.multiprocessors = p.compute_units;
  times.clock_hz = p.clock_hz;
  times.memory_bandwidth = p.memory_bandwidth;
  for (const CacheLevel& cache : p.caches) times.l2_bytes = cache.size_bytes;
  if (p.warps_per_unit > 0) times.max_warps = p.warps_per_unit;
  times.sources.emplace_back("device", "limits as the driver tells them");
  if (times.architecture != capability)
    times.sources.emplace_back("family", fmt::format("nearest older: compute capability {}.{}", times.architecture / 10,
                                                     times.architecture % 10));
  times.architecture = capability;
  return times;
}
}  // namespace

KernelTimes laid_over(KernelTimes times, const DeviceProperties& properties, const std::vector<MicroBenchmark>& list) {
  const Readings readings(list, properties);
  const auto take = [&](const char* what, double& value, std::optional<double> measured) {
    if (!measured) return;
    value = *measured;
    times.sources.emplace_back(what, fmt::format("measured: {:.5g}", *measured));
  };
  const auto latency = [&](const std::string& name) { return readings.latency(name); };
  // A partition issues every so many cycles; the multiprocessor's rate is that of all its partitions.
  const auto pipe_cycles = [&](const std::string& name) -> std::optional<double> {
    const auto rate = readings.warp_operations_per_cycle(name);
    return rate ? std::optional(times.partitions / *rate) : std::nullopt;
  };
  const auto scaled = [](std::optional<double> value, double factor) {
    return value ? std::optional(*value * factor) : std::nullopt;
  };

  if (const double clock = readings.clock_hz(); clock > 0) take("clock_hz", times.clock_hz, clock);
  take("pipe_cycles.fma", times.pipe.fma,
       scaled(Readings::mean({"add-f32", "multiply-f32", "fma-f32"}, pipe_cycles), times.pipe.fma_pipes));
  take("pipe_cycles.alu", times.pipe.alu, pipe_cycles("integer"));
  take("pipe_cycles.half", times.pipe.half, pipe_cycles("fma-f16x2"));
  take("pipe_cycles.double", times.pipe.double_, Readings::mean({"add-f64", "multiply-f64", "fma-f64"}, pipe_cycles));
  take("pipe_cycles.xu", times.pipe.xu, Readings::mean({"reciprocal-root", "exponential", "conversion"}, pipe_cycles));
  take("latency_cycles.fma", times.latency.fma, Readings::mean({"add-f32", "multiply-f32", "fma-f32"}, latency));
  take("latency_cycles.alu", times.latency.alu, latency("integer"));
  take("latency_cycles.double", times.latency.double_, Readings::mean({"add-f64", "multiply-f64", "fma-f64"}, latency));
  // The model adds the time in the pipe (put_times in timed_code.cpp).
  if (const auto xu = Readings::mean({"reciprocal-root", "exponential", "conversion"}, latency))
    take("latency_cycles.xu", times.latency.xu, std::max(1.0, *xu - times.pipe.xu));
  take("latency_cycles.shuffle", times.latency.shuffle, latency("shuffle"));
  take("latency_cycles.barrier", times.latency.barrier, latency("barrier"));
  take("latency_cycles.shared", times.latency.shared, latency("load-shared"));
  take("latency_cycles.l1", times.latency.l1, latency("load-l1"));
  take("latency_cycles.l2", times.latency.l2, latency("load-l2"));
  take("latency_cycles.memory", times.latency.memory, latency("load-memory"));

  // Bytes that the warps of a multiprocessor read a cycle: 4 a lane from shared memory, 8 through the caches.
  const auto bytes_per_cycle = [&](const char* name, double lane_bytes) {
    return scaled(readings.warp_operations_per_cycle(name), warp_size * lane_bytes);
  };
  take("shared_bytes_per_cycle", times.shared_bytes_per_cycle, bytes_per_cycle("load-shared", 4));
  take("l1_bytes_per_cycle", times.l1_bytes_per_cycle, bytes_per_cycle("load-l1", 8));
  const double all = std::max(1, properties.compute_units);
  if (const auto l2 = scaled(bytes_per_cycle("load-l2", 8), all)) {
    take("l2_bytes_per_cycle", times.l2_bytes_per_cycle, l2);
    times.l2_efficiency = 1;  // a rate that was reached
  }
  if (const auto memory = scaled(bytes_per_cycle("load-memory", 8), all * times.clock_hz)) {
    times.memory_bandwidth = std::max(times.memory_bandwidth, *memory);
    take("memory_efficiency", times.memory_efficiency, *memory / times.memory_bandwidth);
  }
  return times;
}

KernelTimes measured_times(const Profile& profile) {
  if (profile.properties.kind != DeviceKind::cuda)
    throw Error(ErrorCode::unavailable,
                fmt::format("the profile of {} tells nothing of a GPU's instructions", profile.name), {},
                "give a CUDA device that was calibrated, or a table by name");
  if (profile.micro_benchmarks.empty())
    throw Error(ErrorCode::unavailable, fmt::format("the profile of {} has no micro-benchmarks", profile.name), {},
                fmt::format("sparsecast calibrate --device {} --instructions", profile.name));
  KernelTimes times = laid_over(table_of(profile), profile.properties, profile.micro_benchmarks);
  times.name = profile.name;
  if (const Curve* launch = profile.curve("launch", 0); launch != nullptr && !launch->y.empty()) {
    times.launch_s = launch->y.front();
    times.sources.emplace_back("launch_s", fmt::format("measured: {:.3g}", times.launch_s));
  }
  require_complete(times, profile.name);
  return times;
}

KernelTimes times_of_device(const std::string& name) {
  const bool is_file = name.ends_with(".json") || name.find('/') != std::string::npos;
  if (is_file) {
    const auto document =
        base::parse_sorted_json(base::read_file(name, {.what = "table of kernel times", .code = ErrorCode::usage}),
                                {name, "see docs/schemas/kernel-times.schema.json"});
    if (document.is_object() && document.value("schema", nlohmann::json()) == "sparsecast/profile/1")
      return measured_times(read_profile(name));
    return kernel_times(name);
  }
  if (name.starts_with("cuda:") || name.starts_with("opencl:") || name == "host") {
    const auto profile = calibration::Store().profile(name);
    if (!profile)
      throw Error(ErrorCode::unavailable, fmt::format("{} was never calibrated", name), {},
                  fmt::format("sparsecast calibrate --device {} --instructions", name));
    return measured_times(*profile);
  }
  return kernel_times(name);
}

namespace {
/// Measured over forecast time: 90 % of a normal law of logarithms whose spread is that of boards (0.16) and that of
/// configurations around their board (0.18), both from measured tables of four boards. Of a board that was left out of
/// that 75 to 100 % of a table's rows lay within, 90 % of all (docs/results-kernel.md has them board by board).
struct Ratios {
  double low, high;
};
constexpr Ratios plain{0.68, 1.48};
constexpr Ratios anchored{0.73, 1.37};  // the same around one anchor at a time
constexpr Ratios unverified{0.4, 2.5};  // assumed: a family of which no measurement had a part in its tables
}  // namespace

ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors) {
  const auto& r = anchors > 0 ? anchored : times.verified ? plain : unverified;
  return {seconds * r.low, seconds * r.high};
}

namespace {
/// Standard deviations of logarithms: of a board's factor, and of what a configuration adds of its own, which is a
/// share of how much the forecasts differ (configurations that hardly differ are wrong alike). Chosen from measured
/// tables: boards' means lie off by 0.16, and around them the rows of seven tables by 0.33 to 0.57 of their forecasts'
/// spread (docs/results-kernel.md).
constexpr double board_spread = 0.16, own_share = 0.5, least_own = 0.02;

double log_scale(std::vector<double> logs, double spread) {
  if (logs.empty()) return 0;
  std::ranges::sort(logs);
  const auto n = logs.size();
  const double median = n % 2 == 1 ? logs[n / 2] : 0.5 * (logs[n / 2 - 1] + logs[n / 2]);
  const double told = static_cast<double>(n) * board_spread * board_spread, own = own_share * spread;
  return median * told / (told + own * own + least_own * least_own);
}

double within_reach(const KernelTimes& times, const AnchoredTime& a) {
  const double ratio = a.measured_s / a.forecast_s;
  if (a.by_memory) return std::clamp(ratio, 6.0 / 7, 1.5);
  const double clock = a.clock_hz > 0 ? a.clock_hz : times.clock_hz;
  const double slowest = times.base_clock_hz > 0 ? std::min(times.base_clock_hz, clock) : clock / 1.5;
  return std::clamp(ratio, clock / (1.25 * std::max(times.clock_hz, clock)), clock / (0.9 * slowest));
}

[[noreturn]] void refuse_anchor(const std::string& text) {
  throw Error(ErrorCode::usage, fmt::format("--anchor {}: no CONFIG=SECONDS", text), {},
              "a row of the table (12=0.0031), or parameters (block_size_x=32,tile_size_x=2=0.0031)");
}
}  // namespace

KernelAnchor parse_anchor(const std::string& text) {
  KernelAnchor anchor;
  const auto last = text.rfind('=');
  if (last == std::string::npos || last == 0) refuse_anchor(text);
  const auto seconds = base::number_in<double>(std::string_view(text).substr(last + 1));
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) refuse_anchor(text);
  anchor.seconds = *seconds;
  const auto configuration = text.substr(0, last);
  if (configuration.find('=') == std::string::npos) {
    anchor.row = base::number_in<std::int64_t>(configuration).value_or(0);
    if (anchor.row < 1) refuse_anchor(text);
    return anchor;
  }
  for (const auto part : base::split(configuration, ',')) {
    const auto equal = part.find('=');
    if (equal == std::string_view::npos || equal == 0) refuse_anchor(text);
    anchor.parameters.emplace_back(part.substr(0, equal), part.substr(equal + 1));
  }
  return anchor;
}

bool bound_by_bandwidth(const std::string& bound_by) {
  return bound_by == "memory bandwidth" || bound_by == "second-level cache bandwidth";
}

double forecast_spread(const std::vector<double>& forecasts) {
  double sum = 0, squares = 0, count = 0;
  for (const double f : forecasts)
    if (f > 0) {
      sum += std::log(f);
      squares += std::log(f) * std::log(f);
      ++count;
    }
  return count > 0 ? std::sqrt(std::max(squares / count - sum / count * (sum / count), 0.0)) : 0;
}

AnchoredScale anchored_scale(const KernelTimes& times, const std::vector<AnchoredTime>& anchors, double spread) {
  std::vector<double> by_clock, by_bandwidth;
  for (const auto& a : anchors)
    if (a.forecast_s > 0 && a.measured_s > 0)
      (a.by_memory ? by_bandwidth : by_clock).push_back(std::log(within_reach(times, a)));
  AnchoredScale scale;
  scale.anchors = by_clock.size() + by_bandwidth.size();
  const double clock = log_scale(by_clock.empty() ? by_bandwidth : by_clock, spread);
  const double bandwidth = log_scale(by_bandwidth.empty() ? by_clock : by_bandwidth, spread);
  scale.clock = std::exp(clock);
  scale.bandwidth = std::exp(bandwidth);
  return scale;
}
}  // namespace sparsecast::gpu_code
