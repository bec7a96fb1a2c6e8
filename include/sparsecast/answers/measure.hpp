#pragma once
// measure: what every kernel takes on a matrix, by the same kernels that are forecast.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/powers.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Which products are timed, and where.
struct MeasureRequest {
  MatrixInput matrix = {};
  std::string device = "host";            ///< "host", "opencl:N" or "cuda:N"
  std::vector<std::string> kernels = {};  ///< only these; empty: all
  bool every = false;                     ///< also kernels that are forecast to take ten times as long as the best
  ProductKind product = {};
  int threads = 0;  ///< of the host; 0: all
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
  std::optional<double> gflops = {};              ///< 2 × nonzeros × vectors / seconds / 10⁹
  std::optional<double> preprocess_s = {};        ///< conversion from CSR into fresh memory
  std::optional<double> total_s = {};             ///< the conversion and as many products as were asked for
  std::int64_t repeats = 0;                       ///< products that were timed
  double spread = 0;                              ///< median absolute deviation of the blocks over the centre
  std::string status = "ok";                      ///< "ok", or why there is no time
};

/// The times of kernels on one matrix.
struct MeasuredTimes {
  MatrixSize matrix = {};
  DeviceName device = {};
  ProductKind product = {};
  std::vector<KernelTime> measurements = {};  ///< fastest first, those without a time at the end
  std::optional<MeasuredPowers> powers = {};  ///< where powers were asked for
};

/// Times the kernels in turns and keeps the times of plain products in the store. Error unavailable where the device is
/// not here; errors of reading the matrix. Thread safety: safe from several threads at once, which disturb each other's
/// times.
[[nodiscard]] MeasuredTimes measure(const MeasureRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
