#pragma once
// The side of a device where plans live: memory of its own, and queues in which products of such memory follow each
// other without the host waiting. A Device that has one gives it (Device::resident()).

#include <memory>
#include <span>
#include <sparsecast/precision.hpp>
#include <variant>

namespace sparsecast::hardware {
class Device;

/// Memory on a device; released when it goes, which must be before the device does.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
};

/// Of a kernel: a number or an array.
using DeviceArgument = std::variant<std::int64_t, const DeviceMemory*>;

/// What drives a device, as its API names it: cl_context and cl_command_queue, CUcontext and CUstream.
struct ResidentHandles {
  std::string api;
  void* context = nullptr;
  void* queue = nullptr;
};

/// Not safe from several threads at once.
class ResidentSide {
 public:
  virtual ~ResidentSide() = default;
  /// Error failed where the driver has no such memory. At least 16 bytes are allocated, so that 0 is fine.
  [[nodiscard]] virtual std::unique_ptr<DeviceMemory> allocate(std::int64_t bytes) = 0;
  /// The API's own name of it: a CUDA address, an OpenCL cl_mem.
  [[nodiscard]] virtual void* address(const DeviceMemory& memory) const = 0;
  /// The name of what lies so many bytes within memory; nullptr where the API has none (OpenCL).
  [[nodiscard]] virtual void* within(void* memory, std::int64_t bytes) const = 0;
  /// Memory of the caller's, named as address() does, as an argument of passes: the caller keeps it.
  [[nodiscard]] virtual std::unique_ptr<DeviceMemory> borrow(void* memory) = 0;
  /// After everything that was queued before; back when done.
  virtual void upload(DeviceMemory& to, const void* from, std::int64_t bytes) = 0;
  virtual void download(const DeviceMemory& from, void* to, std::int64_t bytes) = 0;
  /// Queues a pass over vectors, one of kernels/vectors.cl, on so many groups.
  virtual void pass(std::string_view function, Precision precision, std::int64_t groups,
                    std::span<const DeviceArgument> arguments) = 0;
  /// How many for vectors of so many numbers.
  [[nodiscard]] virtual std::int64_t groups_of(std::int64_t numbers) const = 0;
  /// Products between the two may go to so many queues (Product::enqueue), each of which begins after what was queued
  /// before; what follows join() begins after all of them.
  virtual void fork(int queues) = 0;
  virtual void join() = 0;
  /// From here to leave(), all that is queued goes to a queue of the caller's, in the order of its calls: fork() and
  /// join() do nothing. Error usage for a queue of another device or context. What was uploaded before is there.
  virtual void enter(void* queue) = 0;
  virtual void leave() = 0;
  /// The same device for memory of another context of its API; nullptr where it is the device's own, as it always is
  /// where memory knows none (CUDA). Error usage for a context without this device.
  [[nodiscard]] virtual std::unique_ptr<Device> in_context(void* context) = 0;
  /// Until all that was queued is done.
  virtual void finish() = 0;
  [[nodiscard]] virtual ResidentHandles handles() const = 0;
  /// Allocations of the device's memory so far: a product in it makes none.
  [[nodiscard]] virtual std::int64_t allocations() const = 0;
};
}  // namespace sparsecast::hardware
