#include "gpu_code/times/measured_times.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "calibration/store.hpp"
#include "fields/wording.hpp"

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
    return base::median(std::move(clocks));
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
    double sum = 0, count = 0;
    for (const char* name : names)
      if (const std::optional<double> v = value(std::string(name))) {
        sum += *v;
        ++count;
      }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

 private:
  [[nodiscard]] const MicroBenchmark* find(const std::string& name, bool throughput) const {
    const auto found =
        std::ranges::find_if(list_, [&](const auto& b) { return b.name == name && b.throughput == throughput; });
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

double limit(const DeviceProperties& properties, const char* name) {
  const auto found = properties.limits.find(name);
  return found != properties.limits.end() ? found->second : 0;
}

// Error usage for a processor.
KernelTimes described_times(const DeviceProperties& p) {
  if (p.kind == DeviceKind::host)
    throw Error(ErrorCode::usage, fmt::format("{} is a processor; kernels are forecast for GPUs", p.name), {},
                wording::ask("catalogue") + " lists them");
  static const std::vector<KernelTimes> boards = [] {
    std::vector<KernelTimes> tables;
    for (const std::string& name : kernel_time_devices()) tables.push_back(kernel_times(name));
    return tables;
  }();
  const int capability = static_cast<int>(std::lround(10 * limit(p, "compute_capability")));
  const bool amd = p.vendor == "AMD";
  // The nearest board: of the newest architecture that is not newer (else the oldest), then by its size.
  const auto distance = [&](const KernelTimes& t) {
    const int older = capability - t.architecture, size = std::abs(t.multiprocessors - p.compute_units);
    const bool other_waves = p.warp_size > 0 && p.warp_size != 32 * t.wave_warps;
    return std::tuple(t.processor.empty() == amd, other_waves, t.model != p.model, older < 0, std::abs(older), size);
  };
  KernelTimes times = *std::ranges::min_element(boards, {}, distance);
  if (times.model == p.model) return times;
  if (amd || times.architecture != capability) times.borrowed_from = times.name;
  times.sources.emplace_back("device", fmt::format("limits as described; everything else as {}", times.name));
  times.name = p.name;
  times.model = p.model;
  times.l2_bytes_per_cycle *= static_cast<double>(p.compute_units) / times.multiprocessors;
  times.multiprocessors = p.compute_units;
  times.clock_hz = p.clock_hz;
  times.base_clock_hz = p.base_clock_hz;
  times.memory_bandwidth = p.memory_bandwidth;
  for (const CacheLevel& cache : p.caches) times.l2_bytes = cache.size_bytes;
  if (p.warps_per_unit > 0) times.max_warps = p.warps_per_unit * times.wave_warps;
  if (const double registers = limit(p, "registers_per_unit"); registers > 0)
    times.registers = static_cast<int>(registers);
  if (const double shared = limit(p, "shared_bytes_per_unit"); shared > 0)
    times.shared_max_bytes = static_cast<std::int64_t>(shared);
  // The newest whose machine code is read here.
  if (!amd) times.architecture = std::min(capability, 90);
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
  // The model adds the time in the pipe (put_times in overlap_model.cpp).
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
                fmt::format("the profile of {} has no instruction times of a GPU", profile.name), {},
                "give a calibrated CUDA device, or a table by name");
  if (profile.micro_benchmarks.empty())
    throw Error(ErrorCode::unavailable, fmt::format("the profile of {} has no micro-benchmarks", profile.name), {},
                wording::ask("calibrate", {{"device", profile.name}, {"only_instructions", true}}));
  KernelTimes times = laid_over(described_times(profile.properties), profile.properties, profile.micro_benchmarks);
  times.clock_is_known = true;
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
    const auto schema = document.is_object() ? document.value("schema", nlohmann::json()) : nlohmann::json();
    if (schema == "sparsecast/profile/1") return measured_times(read_profile(name));
    if (schema == "sparsecast/device-properties/1") return described_times(read_device(name));
    return kernel_times(name);
  }
  if (name.starts_with("cuda:") || name.starts_with("opencl:") || name == "host") {
    const auto profile = calibration::kept_profile(name);
    if (!profile)
      throw Error(ErrorCode::unavailable, fmt::format("{} was never calibrated", name), {},
                  wording::ask("calibrate", {{"device", name}, {"only_instructions", true}}));
    return measured_times(*profile);
  }
  const auto tables = kernel_time_devices();
  const bool has_table = std::ranges::find(tables, name) != tables.end();
  return has_table ? kernel_times(name) : described_times(describe_device(name));
}
}  // namespace sparsecast::gpu_code
