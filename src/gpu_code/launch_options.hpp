#pragma once
// A launch in words, as the command line and tables have it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <sparsecast/error.hpp>
#include <sparsecast/wording.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/times/occupancy.hpp"
#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
/// "X", "XxY" or "XxYxZ" (also with commas). Error usage.
[[nodiscard]] Dim3 parse_dimensions(const std::string& text, const std::string& option);
/// NAME=VALUE. Error usage.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option);
/// The same for a name that `known` does not have yet. Error usage where it has.
template <class Value>
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option,
                                                                   const std::map<std::string, Value>& known) {
  auto assignment = parse_assignment(text, option);
  if (known.contains(assignment.first))
    throw Error(ErrorCode::usage, option + " " + text + ": " + assignment.first + " is given twice", {},
                "give each name once");
  return assignment;
}
[[nodiscard]] std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file);
/// Error usage where no device launches such a grid of such blocks, this one does not, or the kernel forbids it.
void check_launch(const Launch& launch, const PtxKernel& kernel, const KernelTimes& times);
/// Adds what a launch like this lacks without being refused here.
void add_launch_notes(std::vector<std::string>& notes, const Launch& launch, const PtxKernel& kernel);
/// What following a launch left open.
struct TraceDoubts {
  bool assumed = false;          ///< some branch or address was not known and was assumed
  bool side_lost = false;        ///< of a branch on unknown data one side was followed
  std::uint64_t shared_end = 0;  ///< bytes of a block's shared memory up to the last that is surely reached
  void join(const TraceDoubts& other);
};
/// Bytes of shared memory that a block has in all.
[[nodiscard]] std::int64_t shared_bytes_of(const Launch& launch, const PtxKernel& kernel, const KernelResources& known);
/// Adds what they mean, of blocks with so many bytes of shared memory: where threads reach beyond, the launch fails, or
/// a size was left out.
void add_doubts(std::vector<std::string>& notes, const TraceDoubts& doubts, std::int64_t shared_bytes, Voice voice);
/// Error usage where a given number of turns names no loop of the kernel.
void check_trips(const Launch& launch, const PtxCode& ptx);
}  // namespace sparsecast::gpu_code
