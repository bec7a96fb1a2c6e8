#pragma once
// What a format takes in a GPU's memory, known without one: forecasts of devices that are not here ask too.

#include <cstdint>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>
#include <string_view>

namespace sparsecast::formats {
/// Bytes on the device: the format's arrays and what the kernel needs beside them, without x and y.
/// Error usage where no such kernel runs on GPUs.
std::int64_t gpu_format_bytes(const Structure& structure, std::string_view kernel, Precision precision);
}  // namespace sparsecast::formats
