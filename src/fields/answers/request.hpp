#pragma once
// The fields of <sparsecast/answers/request.hpp>.

#include <sparsecast/answers/request.hpp>

#include "fields/device.hpp"
#include "fields/fields.hpp"

namespace sparsecast {

template <>
inline constexpr bool is_handed_on<MatrixInput> = true;

template <>
struct Fields<MatrixSize> {
  static constexpr std::string_view about = "The matrix that an answer is about.";
  static constexpr auto table =
      std::tuple(field<&MatrixSize::name>("name of the matrix"), field<&MatrixSize::rows>("", at_least(0)),
                 field<&MatrixSize::cols>("", at_least(0)), field<&MatrixSize::nonzeros>("", at_least(0)));
};

template <>
struct Fields<DeviceName> {
  static constexpr std::string_view about = "The device that an answer is about.";
  static constexpr auto table =
      std::tuple(field<&DeviceName::name>("name of the device, as requests take it: host, opencl:0, nvidia-a100"),
                 field<&DeviceName::kind>("what runs the products: the host, OpenCL or CUDA"));
};

}  // namespace sparsecast
