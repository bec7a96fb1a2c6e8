#pragma once
// What requests have in common: the matrix that is meant, and what answers say first.
//
// Thread safety: the structs are values, the tables constant.

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

/// The matrix that an answer is of.
struct MatrixSize {
  std::string name = {};
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
};

/// The device that an answer is of.
struct DeviceName {
  std::string name = {};               ///< as users type it: "host", "opencl:0", "nvidia-a100"
  DeviceKind kind = DeviceKind::host;  ///< what runs its products
};

}  // namespace sparsecast
#pragma GCC visibility pop
