#include "devices/gpu_device.hpp"

#include "devices/gpu_curves.hpp"
#include "formats/kernels.hpp"

namespace sparsecast {
namespace {

class GpuDevice final : public Device {
 public:
  GpuDevice(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits)
      : runtime_(std::move(runtime)), limits_(limits) {}

  [[nodiscard]] const DeviceProperties& properties() const override { return runtime_->properties(); }
  [[nodiscard]] int threads() const override { return 0; }

  [[nodiscard]] std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const KernelInfo& kernel : kernel_table())
      if (kernel.on_gpu) names.emplace_back(kernel.name);
    return names;
  }
  [[nodiscard]] std::int64_t format_bytes(const Structure& structure, const std::string& kernel,
                                          Precision precision) const override {
    return gpu_format_bytes(structure, kernel, precision);
  }
  [[nodiscard]] std::unique_ptr<Product> prepare(const Matrix& matrix, const Structure& structure,
                                                 const std::string& kernel, Precision precision) override {
    return make_gpu_product(*runtime_, matrix, structure, kernel, precision, limits_);
  }
  void measure_curves(std::vector<Curve>& curves, bool quick) override { measure_gpu_curves(curves, *runtime_, quick); }

 private:
  std::unique_ptr<GpuRuntime> runtime_;
  GpuLaunchLimits limits_;
};

}  // namespace

std::unique_ptr<Device> gpu_device(std::unique_ptr<GpuRuntime> runtime, const GpuLaunchLimits& limits) {
  return std::make_unique<GpuDevice>(std::move(runtime), limits);
}

}  // namespace sparsecast
