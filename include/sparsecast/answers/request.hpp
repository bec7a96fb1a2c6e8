#pragma once
// What requests have in common: the matrix that is meant, and what answers say first.
//
// Thread safety: the structs are values; the function is safe from several threads at once.

#include <cstdint>
#include <filesystem>
#include <sparsecast/device.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/matrix_input.hpp>
#include <sparsecast/product.hpp>
#include <sparsecast/progress.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <variant>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The matrix that is meant: the one in memory, which is shared, or the file's, read as read_matrix() does, with so
/// many threads. "ss:GROUP/NAME" is looked for in the store and fetched where it is not there, with the listener's
/// progress. Errors of read_matrix(); Error usage for a Structure, which has no entries, and for a name that the
/// collection does not have; failed where it cannot be fetched or kept, unavailable in a build that cannot fetch.
/// Thread safety: safe from several threads at once.
[[nodiscard]] Matrix load_matrix(const MatrixInput& input, int threads = 0, const Listener& listener = {});

/// The matrix that an answer is of.
struct MatrixSize {
  std::string name = {};
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
};

/// The device that an answer is of.
struct DeviceName {
  std::string name = {};               ///< name of the device, as requests take it: host, opencl:0, nvidia-a100
  DeviceKind kind = DeviceKind::host;  ///< what runs the products: the host, OpenCL or CUDA
};

}  // namespace sparsecast
#pragma GCC visibility pop
