#pragma once
// The side of a device where plans live: memory of its own, and queues in which products of such memory follow each
// other without the host waiting. A Device that has one gives it (Device::resident()).

#include <memory>
#include <span>
#include <sparsecast/precision.hpp>
#include <variant>

namespace sparsecast::hardware {
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
  /// Until all that was queued is done.
  virtual void finish() = 0;
  [[nodiscard]] virtual ResidentHandles handles() const = 0;
  /// Allocations of the device's memory so far: a product in it makes none.
  [[nodiscard]] virtual std::int64_t allocations() const = 0;
};
}  // namespace sparsecast::hardware
