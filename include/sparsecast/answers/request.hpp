#pragma once
// What requests have in common: the matrix that is meant, and what answers say first.
//
// Thread safety: the structs are values, the tables constant.

#include <filesystem>
#include <sparsecast/device.hpp>
#include <sparsecast/fields.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/product.hpp>
#include <sparsecast/progress.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <variant>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A matrix in memory (which may borrow the caller's arrays: csr_view.hpp), a file or "ss:GROUP/NAME", or, where
/// nothing is multiplied, what is known of one.
using MatrixInput = std::variant<Matrix, std::filesystem::path, Structure>;

/// The matrix that an answer is of.
struct MatrixSize {
  std::string name = {};
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
};
template <>
struct Fields<MatrixSize> {
  static constexpr std::string_view about = "The matrix that an answer is of.";
  static constexpr auto table =
      std::tuple(field<&MatrixSize::name>("what the matrix is called"), field<&MatrixSize::rows>("", at_least(0)),
                 field<&MatrixSize::cols>("", at_least(0)), field<&MatrixSize::nonzeros>("", at_least(0)));
};

/// The device that an answer is of.
struct DeviceName {
  std::string name = {};
  DeviceKind kind = DeviceKind::host;
};
template <>
struct Fields<DeviceName> {
  static constexpr std::string_view about = "The device that an answer is of.";
  static constexpr auto table = std::tuple(field<&DeviceName::name>("as users type it: host, opencl:0, nvidia-a100"),
                                           field<&DeviceName::kind>("what runs the products"));
};

}  // namespace sparsecast
#pragma GCC visibility pop
