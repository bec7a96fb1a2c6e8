// A GPU as a Device: its properties, curves and products, whichever API drives it.

#include "fields/wording.hpp"
#include "hardware/gpu/gpu_product.hpp"

#include <sparsecast/error.hpp>

#include "base/median.hpp"
#include "base/random.hpp"
#include "formats/kernels.hpp"
#include "hardware/curve_steps.hpp"
#include "hardware/gpu/micro_benchmarks.hpp"

namespace sparsecast::hardware {
namespace {
// What a GPU gives over the footprint, by device events: reading, copying, gathering as a product does, latency of a
// chain of loads, and the cost of a launch. The curves have the names and units of the host's.

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
  double latency(std::int64_t bytes, int line_bytes) {
    const Array<std::int64_t> ring = chase_ring(bytes, line_bytes);
    const auto size = static_cast<std::int64_t>(ring.size()) * 8;
    const auto data = runtime_.allocate(size);
    runtime_.upload(*data, ring.data(), size);
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

/// Adds "read_bandwidth" and "copy_bandwidth" (bytes/s over bytes read), "gather_rate" (elements/s over bytes of x),
/// "latency" (s over bytes) and "launch" (s per launch over launches queued at once), but for those that are there.
/// Interruptible: what is there by then is whole.
void measure_gpu_curves(std::vector<Curve>& curves, GpuRuntime& runtime, bool quick,
                        const base::ProgressFunction& progress) {
  const DeviceProperties& p = runtime.properties();
  const CacheLevel last = last_cache(p, {.size_bytes = 4 << 20, .line_bytes = 128});
  // Far enough beyond the last cache to see memory alone; bounded by what the device, and half of it at most, has.
  const std::int64_t largest =
      std::min({8 * last.size_bytes, p.memory_bytes / 4, runtime.largest_buffer(), std::int64_t{1} << 30});
  Curves measured(runtime, quick);
  CurveSteps steps(curves, 0, CurveSteps::footprints(16384, largest, quick), 4, progress);
  steps.measure("read_bandwidth", [&](std::int64_t bytes) { return measured.read(bytes); });
  steps.measure("copy_bandwidth", [&](std::int64_t bytes) { return measured.copy(bytes); });
  steps.measure("gather_rate", [&](std::int64_t bytes) { return measured.gather(bytes); });
  steps.measure("latency", [&](std::int64_t bytes) { return measured.latency(bytes, last.line_bytes); });
  steps.launch(1, [&] { return measured.launch(); });
}

class GpuDevice final : public Device {
 public:
  GpuDevice(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits)
      : runtime_(std::move(runtime)), limits_(limits) {}

  [[nodiscard]] const DeviceProperties& properties() const override { return runtime_->properties(); }
  [[nodiscard]] int threads() const override { return 0; }

  [[nodiscard]] std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const formats::KernelInfo& kernel : formats::kernel_table())
      if (kernel.on_gpu && !kernel.vendor) names.emplace_back(kernel.name);
    if (const VendorLibrary* vendor = runtime_->vendor()) {
      const std::vector<std::string> more = vendor->kernels();
      names.insert(names.end(), more.begin(), more.end());
    }
    return names;
  }
  [[nodiscard]] std::int64_t format_bytes(const Structure& structure, const std::string& kernel,
                                          Precision precision) const override {
    if (const VendorLibrary* vendor = vendor_of(kernel)) return vendor->format_bytes(structure, kernel, precision);
    return formats::gpu_format_bytes(structure, kernel, precision);
  }
  [[nodiscard]] std::unique_ptr<Product> prepare(const Matrix& matrix, const Structure& structure,
                                                 const std::string& kernel, Precision precision,
                                                 const ProductKind& task) override {
    if (task.transposed)
      throw Error(ErrorCode::unavailable,
                  "the kernels of " + properties().name + " multiply only by A, not by its transpose", {},
                  wording::format("omit {}, or use the host", wording::option("transposed", true)));
    if (task.vectors > 1 && !formats::kernel_or_plain(kernel).gpu.blocks)
      throw Error(ErrorCode::failed, "multiplies one vector at a time there");
    if (VendorLibrary* vendor = vendor_of(kernel))
      return vendor->prepare(*runtime_, matrix, structure, kernel, precision);
    return make_gpu_product(*runtime_, matrix, structure, kernel, precision, task.vectors, limits_);
  }
  void measure_curves(std::vector<Curve>& curves, bool quick, const base::ProgressFunction& progress) override {
    measure_gpu_curves(curves, *runtime_, quick, progress);
  }
  [[nodiscard]] std::vector<MicroBenchmark> measure_instructions(bool quick) override {
    if (properties().kind != DeviceKind::cuda) return {};
    return run_micro_benchmarks(*runtime_, quick);
  }

  [[nodiscard]] ResidentSide* resident() override { return runtime_.get(); }

 private:
  // nullptr for our own kernels. Error unavailable where the vendor's library is not here.
  [[nodiscard]] VendorLibrary* vendor_of(const std::string& kernel) const {
    const formats::KernelInfo* info = formats::find_kernel(kernel);
    if (info == nullptr || !info->vendor) return nullptr;
    if (runtime_->vendor() == nullptr)
      throw Error(ErrorCode::unavailable, "there is no vendor library for " + kernel + " on " + properties().name, {},
                  "vendor- kernels need a cuda:N device and cuSPARSE (libcusparse.so.12)");
    return runtime_->vendor();
  }

  std::unique_ptr<GpuRuntime> runtime_;
  GpuLaunchLimits limits_;
};
}  // namespace

std::unique_ptr<Device> gpu_device(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits) {
  return std::make_unique<GpuDevice>(std::move(runtime), limits);
}
}  // namespace sparsecast::hardware
