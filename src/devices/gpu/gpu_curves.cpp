#include "devices/gpu/gpu_curves.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <sparsecast/array.hpp>
#include "base/median.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "devices/curve_steps.hpp"

namespace sparsecast::devices {
namespace {

// The texts of the curves use 64-bit integers, so any precision builds them; single is what every device has.
constexpr Precision any_precision = Precision::single_;

class Curves {
 public:
  Curves(GpuRuntime& runtime, bool quick)
      : runtime_(runtime), batch_s_(quick ? 0.001 : 0.005), result_(runtime.allocate(8)) {}

  double read(std::int64_t bytes) {
    const std::int64_t count = bytes / 8;
    const auto data = filled(count);
    return static_cast<double>(count * 8) / seconds("read_all", groups(count), {count, data.get(), result_.get()});
  }
  double copy(std::int64_t bytes) {
    const std::int64_t count = bytes / 16;  // half is read, half is written
    const auto data = filled(count), other = runtime_.allocate(count * 8);
    return static_cast<double>(count * 16) / seconds("copy_all", groups(count), {count, data.get(), other.get()});
  }
  double gather(std::int64_t x_bytes) {
    const std::int64_t elements = std::max<std::int64_t>(1, x_bytes / 8);
    // Enough to occupy the device and to touch all of a large x over the runs.
    const std::int64_t count = std::clamp<std::int64_t>(elements, 1 << 16, 1 << 22);
    Array<std::int32_t> index(static_cast<std::size_t>(count));
    base::Random random(1);
    for (auto& i : index) i = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(elements)));
    const auto indices = runtime_.allocate(count * 4);
    runtime_.upload(*indices, index.data(), count * 4);
    const auto values = filled(count), x = filled(elements);
    return static_cast<double>(count) /
           seconds("gather_all", groups(count), {count, indices.get(), values.get(), x.get(), result_.get()});
  }
  // One random cycle through all lines of the ring (Sattolo's shuffle), so that every load waits for the one before.
  double latency(std::int64_t bytes, int line_bytes) {
    const std::int64_t stride = line_bytes / 8, lines = std::max<std::int64_t>(2, bytes / line_bytes);
    std::vector<std::int64_t> order(static_cast<std::size_t>(lines));
    std::iota(order.begin(), order.end(), 0);
    base::Random random(2);
    for (std::int64_t i = lines - 1; i > 0; --i)
      std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i))]);
    Array<std::int64_t> ring(static_cast<std::size_t>(lines * stride), 0);
    for (std::int64_t i = 0; i < lines; ++i) ring[i * stride] = order[i] * stride;
    const auto data = runtime_.allocate(lines * stride * 8);
    runtime_.upload(*data, ring.data(), lines * stride * 8);
    // The difference of two lengths: the cost of the launch cancels.
    constexpr std::int64_t few = 1024, many = 5120;
    const double shorter = seconds("chase", 1, {few, data.get(), result_.get()});
    const double longer = seconds("chase", 1, {many, data.get(), result_.get()});
    return std::max(0.0, longer - shorter) / (many - few);
  }
  double launch() {
    const auto data = filled(1);
    return seconds("read_all", 1, {std::int64_t{1}, data.get(), result_.get()});
  }

 private:
  // As many groups as stay resident: each thread then reads many elements, as in a product with long rows.
  [[nodiscard]] std::int64_t groups(std::int64_t count) const {
    const DeviceProperties& p = runtime_.properties();
    const std::int64_t resident =
        std::int64_t{std::max(1, p.compute_units)} * std::max(1, p.threads_per_unit / gpu_group_size);
    return std::clamp<std::int64_t>((count + gpu_group_size - 1) / gpu_group_size, 1,
                                    std::min(resident, runtime_.most_groups()));
  }
  std::unique_ptr<GpuBuffer> filled(std::int64_t count) {
    const Array<std::int64_t> ones(static_cast<std::size_t>(count), 1);
    auto buffer = runtime_.allocate(count * 8);
    runtime_.upload(*buffer, ones.data(), count * 8);
    return buffer;
  }
  // Seconds of one launch, the median of several batches that each last long enough for the device's clock.
  double seconds(std::string_view function, std::int64_t groups, std::vector<GpuArgument> arguments) {
    GpuKernel& kernel = runtime_.kernel(function, any_precision, 0);
    const auto batch = [&](int launches) {
      runtime_.start_timer();
      for (int i = 0; i < launches; ++i) runtime_.launch(kernel, groups, arguments);
      return runtime_.stop_timer();
    };
    batch(1);
    int launches = 1;
    while (launches < (1 << 14) && batch(launches) < batch_s_) launches *= 2;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(batch(launches) / launches);
    // A clock too coarse to see the batch must not make a rate infinite.
    return std::max(base::median(std::move(times)), 1e-9);
  }

  GpuRuntime& runtime_;
  double batch_s_;
  std::unique_ptr<GpuBuffer> result_;
};

}  // namespace

void measure_gpu_curves(std::vector<Curve>& curves, GpuRuntime& runtime, bool quick,
                        const base::ProgressFunction& progress) {
  const DeviceProperties& p = runtime.properties();
  std::int64_t last_cache = 4 << 20;
  int line_bytes = 128;
  for (const CacheLevel& cache : p.caches) {
    last_cache = cache.size_bytes;
    line_bytes = cache.line_bytes;
  }
  // Far enough beyond the last cache to see memory alone; bounded by what the device, and half of it at most, has.
  const std::int64_t largest =
      std::min({8 * last_cache, p.memory_bytes / 4, runtime.largest_buffer(), std::int64_t{1} << 30});
  std::vector<double> footprints;
  for (double bytes = 16384; bytes <= static_cast<double>(largest); bytes *= quick ? 4 : 2) footprints.push_back(bytes);

  Curves measured(runtime, quick);
  CurveSteps steps(curves, 0, 4 * static_cast<int>(footprints.size()) + 1, progress);
  const auto measure = [&](const char* name, const std::function<double(std::int64_t)>& value) {
    if (steps.passes(name, static_cast<int>(footprints.size()))) return;
    Curve curve{name, 0, {}, {}};
    for (const double bytes : footprints) {
      steps.begin(name, bytes);
      curve.x.push_back(bytes);
      curve.y.push_back(value(static_cast<std::int64_t>(bytes)));
    }
    curves.push_back(std::move(curve));
  };
  measure("read_bandwidth", [&](std::int64_t bytes) { return measured.read(bytes); });
  measure("copy_bandwidth", [&](std::int64_t bytes) { return measured.copy(bytes); });
  measure("gather_rate", [&](std::int64_t bytes) { return measured.gather(bytes); });
  measure("latency", [&](std::int64_t bytes) { return measured.latency(bytes, line_bytes); });
  if (steps.passes("launch", 1)) return;
  curves.push_back({"launch", 0, {1}, {measured.launch()}});
}

}  // namespace sparsecast::devices
