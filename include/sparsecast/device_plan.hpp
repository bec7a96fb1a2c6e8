#pragma once
// A plan where it lives: on a GPU, x and y may be memory of the device, so that a program which keeps its vectors there
// copies nothing. `Plan` (plan.hpp) takes vectors of the host, copies x there once a call and y back.
//
// For example, on OpenCL's first device:
//
//   #include <cstdio>
//   #include <sparsecast/device_plan.hpp>
//   #include <sparsecast/generate.hpp>
//   #include <vector>
//
//   void smooth(const sparsecast::Matrix& matrix) {
//     sparsecast::Strategy strategy = sparsecast::one_kernel(matrix, "sell");
//     strategy.device = "opencl:0";
//     const sparsecast::Plan plan(matrix, strategy);
//     std::vector<double> values(matrix.rows(), 1.0);
//     const std::int64_t bytes = matrix.rows() * 8;
//     sparsecast::DeviceArray x(plan, bytes), y(plan, bytes);
//     x.upload(values.data(), bytes);
//     for (int step = 0; step < 100; ++step) {
//       sparsecast::apply_on_device(plan, x.memory(), y.memory());  // y = A·x, queued
//       sparsecast::apply_on_device(plan, y.memory(), x.memory());
//     }
//     x.download(values.data(), bytes);  // after all of them
//     std::printf("%g\n", values[0]);
//   }
//
// Thread safety: the functions are safe from several threads at once, with a plan that none of them assigns to or gives
// new values; they take turns. Threads may share a DeviceArray that none of them uploads to.

#include <cstdint>
#include <memory>
#include <sparsecast/plan.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What drives a plan's device, as its API names it: a cl_context and its cl_command_queue ("OpenCL"), a CUcontext and
/// its CUstream ("CUDA"; the device's primary context, which the CUDA runtime uses as well). Both are the plan's own: a
/// copy that shares its blocks has the same, a plan that is assigned to or given new values may have others.
struct DeviceHandles {
  std::string api;
  void* context = nullptr;
  void* queue = nullptr;
};
/// Error unavailable for a plan on the host.
[[nodiscard]] DeviceHandles device_handles(const Plan& plan);

/// Queues y = A·x and returns: x and y in the precision of the plan, named as the API does, by a CUDA address or by a
/// cl_mem of device_handles().context. They must hold cols and rows entries and not overlap, which nobody checks. The
/// product begins after what is in the queue already and is done before what is queued there afterwards. Nothing is
/// copied through the host, and no memory is allocated. Blocks of a cut go to queues of their own beside each other.
/// Error unavailable for a plan on the host.
void apply_on_device(const Plan& plan, const void* x, void* y);
/// Until all that is queued is done. Error unavailable for a plan on the host.
void wait_for_device(const Plan& plan);

/// Memory on a plan's device, for programs that do not speak to its API themselves. It keeps the device open.
class DeviceArray {
 public:
  /// Error unavailable for a plan on the host, too_large where the device has no such memory.
  DeviceArray(const Plan& plan, std::int64_t bytes);
  /// After everything that was queued before, and back when done. Error usage for more bytes than there are.
  void upload(const void* from, std::int64_t bytes);
  void download(void* to, std::int64_t bytes) const;
  /// What apply_on_device() takes.
  [[nodiscard]] void* memory() const noexcept;
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

/// Vectors in a device's memory: by a CUDA address or a cl_mem, whose entry `first` is the first of row 0. Strides are
/// in entries and positive.
struct DeviceVectors {
  void* memory = nullptr;
  std::int64_t first = 0;
  std::int64_t rows = 0, vectors = 1;
  std::int64_t row_stride = 1, vector_stride = 1;
};

/// Products in queues and contexts of the caller's: those of a library whose arrays x and y are. A context of OpenCL
/// that is not the plan's gets the matrix once more, when its first product comes; of such contexts the last four keep
/// it.
class DeviceProducts {
 public:
  /// `matrix`: the plan's, as it was planned. It must live as long as this: other contexts, and blocks of vectors where
  /// the plan's kernels take one at a time, are given it when they come. Error unavailable for a plan on the host.
  DeviceProducts(const Plan& plan, Matrix matrix);

  /// y = alpha·A·x + beta·y, queued and not waited for; with beta = 0 y is not read. `context` is the cl_context of x
  /// and y, nullptr with CUDA; `queue` a cl_command_queue of it, or a CUstream of the device's primary context. Vectors
  /// without gaps are read and written where they lie; others, and scaled products, pass through memory that is kept
  /// for that queue. Several vectors go at once where memory allows, by csr-stream. Products of several queues may run
  /// at once. Error usage for shapes that do not fit, and for a queue or context without the plan's device. Whether x
  /// and y are that large and do not overlap nobody checks.
  void apply(const DeviceVectors& x, const DeviceVectors& y, double alpha, double beta, void* context,
             void* queue) const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sparsecast
#pragma GCC visibility pop
