#pragma once
// A launch in words, as the command line and tables have it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
/// "X", "XxY" or "XxYxZ" (also with commas). Error usage.
[[nodiscard]] Dim3 parse_dimensions(const std::string& text, const std::string& option);
/// NAME=VALUE. Error usage.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option);
[[nodiscard]] std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file);
/// Error usage where no device launches such a grid of such blocks, this one does not, or the kernel forbids it.
void check_launch(const Launch& launch, const PtxKernel& kernel, const KernelTimes& times);
/// Adds what a launch like this lacks without being refused here.
void add_launch_notes(std::vector<std::string>& notes, const Launch& launch, const PtxKernel& kernel);
/// Error usage where a given number of turns names no loop of the kernel.
void check_trips(const Launch& launch, const PtxCode& ptx);
}  // namespace sparsecast::gpu_code
