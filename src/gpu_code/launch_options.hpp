#pragma once
// A launch in words, as the command line and tables have it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
/// "X", "XxY" or "XxYxZ" (also with commas). Error usage.
[[nodiscard]] Dim3 parse_dimensions(const std::string& text, const std::string& option);
/// NAME=VALUE. Error usage.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option);
[[nodiscard]] std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file);
}  // namespace sparsecast::gpu_code
