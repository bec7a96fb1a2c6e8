#pragma once
// GpuRuntime: the small interface between the products on a GPU and the API that drives it. opencl/runtime.cpp and
// cuda/runtime.cpp implement it; nothing above knows which. It is not a general wrapper: one queue, buffers, kernels of
// our own texts whose arguments are buffers and 64-bit integers, and a timer of device events.

#include <optional>

#include "hardware/device.hpp"
#include "hardware/resident.hpp"

namespace sparsecast::hardware {
class VendorLibrary;
struct GpuFunction;  // gpu_kernels.hpp

/// Threads of a work-group (block) in every kernel; the texts are compiled for it.
inline constexpr int gpu_group_size = 256;

using GpuBuffer = DeviceMemory;

/// A kernel that is ready to be launched; owned by the runtime.
class GpuKernel {
 public:
  virtual ~GpuKernel() = default;
};

using GpuArgument = DeviceArgument;

class GpuRuntime : public ResidentSide {
 public:
  [[nodiscard]] virtual const DeviceProperties& properties() const = 0;
  /// Largest single buffer in bytes, and most groups in a launch; kernels stride over what is beyond.
  [[nodiscard]] virtual std::int64_t largest_buffer() const = 0;
  [[nodiscard]] virtual std::int64_t most_groups() const = 0;

  /// A function of a kernel text (see gpu_kernels.hpp), compiled or loaded at the first call. offset_bits is 32 or 64
  /// for texts that read row pointers, else ignored.
  GpuKernel& kernel(std::string_view function, Precision precision, int offset_bits);
  /// Seconds of all kernel() so far that compiled or loaded: paid once, by whichever conversion comes first.
  [[nodiscard]] double loading_seconds() const { return loading_s_; }
  /// Queues a launch of so many groups of gpu_group_size threads.
  virtual void launch(GpuKernel& kernel, std::int64_t groups, std::span<const GpuArgument> arguments) = 0;

  /// Device time between the start of the first and the end of the last launch after start_timer(); waits for them.
  virtual void start_timer() = 0;
  virtual double stop_timer() = 0;

  // Products of the caller's memory, and several queues (hardware/resident.hpp). The defaults are those of a runtime
  // that no plan lives on.

  [[nodiscard]] void* address(const GpuBuffer& /*buffer*/) const override { return nullptr; }
  [[nodiscard]] void* within(void* memory, std::int64_t bytes) const override { return bytes == 0 ? memory : nullptr; }
  [[nodiscard]] std::unique_ptr<DeviceMemory> borrow(void* /*memory*/) override { return nullptr; }
  void enter(void* /*queue*/) override {}
  void leave() override {}
  /// The caller's queue between enter() and leave().
  [[nodiscard]] virtual std::optional<void*> entered() const { return std::nullopt; }
  /// Between the two, launches and copies go to the runtime's own queue, after what the caller's has and before what it
  /// gets: for a library that knows no other.
  virtual void detour() {}
  virtual void end_detour() {}
  [[nodiscard]] std::unique_ptr<Device> in_context(void* /*context*/) override { return nullptr; }
  /// Makes a buffer stand for memory of the caller's from that byte on, in launches from now on; nullptr: for its own
  /// again. False where the API has no name for a place within an array (OpenCL), and then nothing is changed.
  virtual bool bind(GpuBuffer& /*buffer*/, void* /*memory*/, std::int64_t /*from*/) { return false; }
  /// Queues a copy from the beginning of one array to that byte of another.
  virtual void copy(const void* /*from*/, void* /*to*/, std::int64_t /*at*/, std::int64_t /*bytes*/) {}
  void fork(int /*queues*/) override {}
  /// Launches and copies go to that one of them.
  virtual void select(int /*queue*/) {}
  void join() override {}
  void finish() override {}
  [[nodiscard]] ResidentHandles handles() const override { return {}; }
  void pass(std::string_view function, Precision precision, std::int64_t groups,
            std::span<const GpuArgument> arguments) final {
    launch(kernel(function, precision, 32), groups, arguments);
  }
  /// As many as fill the device, or what the numbers need.
  [[nodiscard]] std::int64_t groups_of(std::int64_t numbers) const final;
  [[nodiscard]] std::int64_t allocations() const final { return allocations_; }

  /// Clock of the compute units right now; 0 where the driver does not tell.
  [[nodiscard]] virtual double clock_hz() const { return 0; }

  /// The vendor's own products on this device; nullptr where there are none.
  [[nodiscard]] virtual VendorLibrary* vendor() { return nullptr; }

 protected:
  double loading_s_ = 0;
  std::int64_t allocations_ = 0;
  std::map<std::string, std::unique_ptr<GpuKernel>> kernels_;  ///< by their CUDA symbol

  virtual std::unique_ptr<GpuKernel> make_kernel(const GpuFunction& function, Precision precision, int offset_bits) = 0;
};

/// VendorLibrary: the products of a GPU vendor's own library, measured beside ours under the names vendor-….
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  /// Names of its kernels, as in the kernel table.
  [[nodiscard]] virtual std::vector<std::string> kernels() const = 0;
  /// Bytes of the format's arrays; Error usage where the library has no such kernel.
  [[nodiscard]] virtual std::int64_t format_bytes(const Structure& structure, std::string_view kernel,
                                                  Precision precision) const = 0;
  /// As Device::prepare.
  virtual std::unique_ptr<Product> prepare(GpuRuntime& runtime, const Matrix& matrix, const Structure& structure,
                                           std::string_view kernel, Precision precision) = 0;
};
}  // namespace sparsecast::hardware
