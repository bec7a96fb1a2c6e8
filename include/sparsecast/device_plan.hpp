#pragma once
// Products on a GPU with vectors in the device's memory: a program that keeps x and y there copies nothing. `Plan`
// (plan.hpp), in contrast, takes vectors of the host; each call copies x to the device and y back.
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

/// The context and queue of a plan's device, in the terms of its API: a cl_context and its cl_command_queue ("OpenCL"),
/// or a CUcontext and its CUstream ("CUDA"; the device's primary context, which the CUDA runtime uses too). Both belong
/// to the plan. A copy that shares its blocks has the same ones; a plan that is assigned to or gets new values may have
/// others.
struct DeviceHandles {
  std::string api;
  void* context = nullptr;
  void* queue = nullptr;
};
/// Error unavailable for a plan on the host.
[[nodiscard]] DeviceHandles device_handles(const Plan& plan);

/// Queues y = A·x and returns without waiting. x and y are in the precision of the plan and given by a CUDA address or
/// by a cl_mem of device_handles().context. They must hold cols and rows entries and must not overlap; this is not
/// checked. The product starts after what is already in the queue, and ends before what is queued later. Nothing is
/// copied through the host, and no memory is allocated. The blocks of a cut run at the same time, in queues of their
/// own. Error unavailable for a plan on the host.
void apply_on_device(const Plan& plan, const void* x, void* y);
/// Waits until everything in the queue is done. Error unavailable for a plan on the host.
void wait_for_device(const Plan& plan);

/// Memory on a plan's device, for programs that do not call the device's API themselves. It keeps the device open.
class DeviceArray {
 public:
  /// Allocates the memory. Error unavailable for a plan on the host; too_large if the device has too little memory.
  DeviceArray(const Plan& plan, std::int64_t bytes);
  /// Copies from and to memory of the host. A copy starts after everything that was queued before, and the call returns
  /// when it is done. Error usage for more bytes than the array has.
  void upload(const void* from, std::int64_t bytes);
  void download(void* to, std::int64_t bytes) const;
  /// Returns the memory in the form that apply_on_device() takes.
  [[nodiscard]] void* memory() const noexcept;
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

/// Vectors in a device's memory. `memory` is a CUDA address or a cl_mem; entry `first` of it is the first entry of row
/// 0. Strides are in entries and positive.
struct DeviceVectors {
  void* memory = nullptr;
  std::int64_t first = 0;
  std::int64_t rows = 0, vectors = 1;
  std::int64_t row_stride = 1, vector_stride = 1;
};

/// Products in the caller's queues and contexts, such as those of the library that owns the arrays x and y. An OpenCL
/// context other than the plan's gets its own copy of the matrix at its first product. The last four such contexts keep
/// their copies.
class DeviceProducts {
 public:
  /// `matrix`: the matrix of the plan, as it was planned. Its arrays must live as long as this object, because other
  /// contexts, and blocks of vectors if the plan's kernels take one vector at a time, get the matrix when they are
  /// first used. Error unavailable for a plan on the host.
  DeviceProducts(const Plan& plan, Matrix matrix);

  /// Queues y = alpha·A·x + beta·y and returns without waiting. With beta = 0, y is not read. `context` is the
  /// cl_context of x and y, nullptr with CUDA; `queue` is a cl_command_queue of that context, or a CUstream of the
  /// device's primary context. Vectors without gaps are read and written in place. Other vectors, and scaled products,
  /// pass through memory that is kept for that queue. Several vectors are multiplied at once by csr-stream, if memory
  /// allows. Products of several queues may run at once. Error usage for shapes that do not fit, and for a queue or
  /// context without the plan's device. The size of x and y and their overlap are not checked.
  void apply(const DeviceVectors& x, const DeviceVectors& y, double alpha, double beta, void* context,
             void* queue) const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sparsecast
#pragma GCC visibility pop
