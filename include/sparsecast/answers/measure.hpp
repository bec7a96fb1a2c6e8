#pragma once
// measure: what every kernel takes on a matrix, by the same kernels that are forecast.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/powers.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The products to time, and the device.
struct MeasureRequest {
  MatrixInput matrix = {};
  std::string device = "host";            ///< device: host, opencl:N or cuda:N
  std::vector<std::string> kernels = {};  ///< only these; empty: all
  bool every = false;  ///< also time kernels that are forecast to take more than ten times as long as the best
  ProductKind product = {};
  int threads = 0;  ///< host threads; 0: one per available core
  /// Rank by what finishes so many products first, conversion included; 0: by the product.
  std::int64_t iterations = 0;
  std::int64_t powers = 0;  ///< time so many powers of the matrix times a vector too; 0: none
  bool no_store = false;    ///< do not keep the times for later forecasts of this matrix
  Listener listener = {};
};

/// A kernel's time on a matrix. What was not timed is nothing, and `status` says why.
struct KernelTime {
  std::string kernel = {};                        ///< as in kernel_table()
  std::optional<double> seconds = {};             ///< one product, robust centre of the blocks
  std::optional<double> low_s = {}, high_s = {};  ///< 5th and 95th percentile of the blocks
  std::optional<double> gflops = {};              ///< rate in Gflop/s: 2 × nonzeros × vectors / seconds / 10⁹
  std::optional<double> preprocess_s = {};        ///< time of the conversion from CSR into newly allocated memory
  std::optional<double> total_s = {};             ///< the conversion and as many products as were asked for
  std::int64_t repeats = 0;                       ///< number of products that were timed
  double spread = 0;                              ///< median absolute deviation of the blocks, relative to the centre
  std::string status = "ok";                      ///< ok, or the reason why there is no time
};

/// The times of kernels on one matrix.
struct MeasuredTimes {
  MatrixSize matrix = {};
  DeviceName device = {};
  ProductKind product = {};
  std::vector<KernelTime> measurements = {};  ///< kernels, fastest first; those without a time come last
  std::optional<MeasuredPowers> powers = {};  ///< powers of the matrix, if they were requested
};

/// Times the kernels in turns and keeps the times of plain products in the store. Error unavailable where the device is
/// not here; errors of reading the matrix. Thread safety: safe from several threads at once, which disturb each other's
/// times.
[[nodiscard]] MeasuredTimes measure(const MeasureRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
