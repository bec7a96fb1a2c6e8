#pragma once
// Device: something here that runs products, behind one small interface; host, opencl and cuda implement it. Measuring
// (calibration/timing.hpp) and everything above know only this.

#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>
#include <sparsecast/micro_benchmark.hpp>
#include <sparsecast/product.hpp>
#include <sparsecast/structure.hpp>

#include "base/progress.hpp"

namespace sparsecast::hardware {
class ResidentSide;  // resident.hpp

/// A matrix in one format on a device, with its own x (filled once with values in [0.5, 1.5)) and y there.
class Product {
 public:
  virtual ~Product() = default;
  /// Runs the product so many times in a row and returns the seconds between start and end of all of them: device
  /// events on a GPU, the steady clock on the host.
  virtual double run(int times) = 0;
  /// The product through the device, for checking; x has cols entries (of a ProductKind, those of its block). Of
  /// complex values the result is real and imaginary part in turn.
  virtual std::vector<double> multiply(std::span<const double> x) = 0;
  /// Seconds that converting from CSR took (and copying, on a device with its own memory).
  [[nodiscard]] virtual double preprocess_seconds() const = 0;
  /// Bytes of the format on the device.
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  /// Queues the product of memory of the device's, x and y named as ResidentSide::address() does: y from entry
  /// first_row on is overwritten; of several vectors by rows where it takes_blocks(), and then from row 0 on. Only of
  /// devices with a ResidentSide; Error unavailable elsewhere.
  virtual void enqueue(const void* x, void* y, std::int64_t first_row, int queue, std::int64_t vectors);
  [[nodiscard]] virtual bool takes_blocks() const { return false; }
  /// Seconds of a cycle of the device's clock right now; 0 where its driver does not tell.
  [[nodiscard]] virtual double cycle_seconds() const { return 0; }
};

/// x of the timed products: positive and away from zero, so that no value is denormal and none is special.
template <class Value>
Array<Value> timing_vector(std::int64_t size) {
  Array<Value> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = value_from<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
  return x;
}

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceProperties& properties() const = 0;
  /// Threads in use on a host device, 0 elsewhere.
  [[nodiscard]] virtual int threads() const = 0;
  /// Names of the kernels that it runs, in the order of the kernel table.
  [[nodiscard]] virtual std::vector<std::string> kernels() const = 0;
  /// Bytes that the kernel's format needs there; Error usage for an unknown kernel.
  [[nodiscard]] virtual std::int64_t format_bytes(const Structure& structure, const std::string& kernel,
                                                  Precision precision) const = 0;
  /// Converts and uploads. Error too_large where it would not fit; nothing is attempted then. Error unavailable for a
  /// task that the device does not have, failed where the kernel has no such product.
  [[nodiscard]] virtual std::unique_ptr<Product> prepare(const Matrix& matrix, const Structure& structure,
                                                         const std::string& kernel, Precision precision,
                                                         const ProductKind& task = {}) = 0;
  /// nullptr where plans work in the host's memory.
  [[nodiscard]] virtual ResidentSide* resident() { return nullptr; }
  /// Measures this device's curves (bandwidth over footprint, latency, launch) into `curves`, but for those that are
  /// there; `quick` coarsely. Told of every step, it has put whole curves there, also when it is interrupted.
  virtual void measure_curves(std::vector<Curve>& curves, bool quick, const base::ProgressFunction& progress) = 0;
  /// Measures instructions and memory for forecasts of GPU kernels; empty where none are made (all but CUDA devices).
  [[nodiscard]] virtual std::vector<MicroBenchmark> measure_instructions(bool /*quick*/) { return {}; }
};

/// Opens "host", "opencl:N" or "cuda:N". Error unavailable with a remedy where it is not here; usage for another name.
std::unique_ptr<Device> open_device(const std::string& name, int threads = 0);

/// A device that is here, without opening more than needed to describe it.
struct PresentDevices {
  std::vector<DeviceProperties> devices;
  std::vector<std::string> missing;  ///< one line per kind that is not here: what is missing and how to get it
};
PresentDevices present_devices();

/// What this build can drive, present or not: "host", "OpenCL", "CUDA".
std::vector<std::string> built_in_devices();

/// A kind of GPU that this program can drive.
struct GpuKind {
  std::string_view prefix;    ///< of the devices' names: "cuda:"
  std::string_view built_in;  ///< as built_in_devices() tells it; empty where there is only the reason why not
  std::vector<DeviceProperties> (*list)(std::string* why);
  std::unique_ptr<Device> (*open)(int number);
};
/// Called before main() by the library that drives them, where it is linked (gpu/drivers.cpp).
void set_gpu_kinds(std::span<const GpuKind> kinds);
}  // namespace sparsecast::hardware
