#include "devices/gpu/gpu_device.hpp"

#include <sparsecast/error.hpp>

#include "devices/gpu/gpu_curves.hpp"
#include "devices/gpu/micro_benchmarks.hpp"
#include "devices/gpu/vendor_library.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::devices {
namespace {

class GpuDevice final : public Device, public ResidentSide {
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
    return gpu_format_bytes(structure, kernel, precision);
  }
  [[nodiscard]] std::unique_ptr<Product> prepare(const Matrix& matrix, const Structure& structure,
                                                 const std::string& kernel, Precision precision) override {
    if (VendorLibrary* vendor = vendor_of(kernel))
      return vendor->prepare(*runtime_, matrix, structure, kernel, precision);
    return make_gpu_product(*runtime_, matrix, structure, kernel, precision, limits_);
  }
  void measure_curves(std::vector<Curve>& curves, bool quick, const base::ProgressFunction& progress) override {
    measure_gpu_curves(curves, *runtime_, quick, progress);
  }
  [[nodiscard]] std::vector<MicroBenchmark> measure_instructions(bool quick) override {
    if (properties().kind != DeviceKind::cuda) return {};
    return run_micro_benchmarks(*runtime_, quick);
  }

  [[nodiscard]] ResidentSide* resident() override { return this; }
  [[nodiscard]] std::unique_ptr<DeviceMemory> allocate_memory(std::int64_t bytes) override {
    return runtime_->allocate(bytes);
  }
  [[nodiscard]] void* name_of(const DeviceMemory& memory) const override {
    return runtime_->address(static_cast<const GpuBuffer&>(memory));
  }
  void upload_to(DeviceMemory& to, const void* from, std::int64_t bytes) override {
    if (bytes > 0) runtime_->upload(static_cast<GpuBuffer&>(to), from, bytes);
  }
  void download_from(const DeviceMemory& from, void* to, std::int64_t bytes) override {
    if (bytes > 0) runtime_->download(static_cast<const GpuBuffer&>(from), to, bytes);
  }
  void fork(int queues) override { runtime_->fork(queues); }
  void join() override { runtime_->join(); }
  void wait() override { runtime_->finish(); }
  [[nodiscard]] ResidentHandles handles() const override { return runtime_->handles(); }
  [[nodiscard]] std::int64_t allocations() const override { return runtime_->allocations(); }

 private:
  // nullptr for our own kernels. Error unavailable where the vendor's library is not here.
  [[nodiscard]] VendorLibrary* vendor_of(const std::string& kernel) const {
    const formats::KernelInfo* info = formats::find_kernel(kernel);
    if (info == nullptr || !info->vendor) return nullptr;
    if (runtime_->vendor() == nullptr)
      throw Error(ErrorCode::unavailable, "no library of the vendor's for " + kernel + " on " + properties().name, {},
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

}  // namespace sparsecast::devices
