#include "gpu_code/launch_options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"

namespace sparsecast::gpu_code {
Dim3 parse_dimensions(const std::string& text, const std::string& option) {
  Dim3 dim{1, 1, 1};
  std::size_t d = 0;
  const char *at = text.data(), *end = text.data() + text.size();
  while (d < 3) {
    const auto [stop, error] = std::from_chars(at, end, dim[d]);
    if (error != std::errc() || dim[d] < 1) break;
    ++d;
    at = stop;
    if (at == end) return dim;
    if (*at != 'x' && *at != ',') break;
    ++at;
  }
  throw Error(ErrorCode::usage, fmt::format("{} {}: not a size", option, text), {},
              "give X, XxY or XxYxZ, each 1 or more");
}

std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& option) {
  const auto equal = text.find('=');
  if (equal == std::string::npos || equal == 0)
    throw Error(ErrorCode::usage, fmt::format("{} {}: not NAME=VALUE", option, text), {},
                fmt::format("for example {} n=1000", option));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file) {
  return base::read_bytes(file, {.what = "buffer's file", .most_bytes = std::int64_t{1} << 33});
}

namespace {
/// Whose grids have 16 bits in y and z, and blocks 64 threads in z, on every device (CUDA C++ Programming Guide,
/// technical specifications per compute capability).
void check_nvidia_limits(const Launch& launch) {
  constexpr std::int64_t most_blocks = 65'535, most_deep = 64;
  const auto refuse = [](const std::string& what, std::int64_t given, std::int64_t most, const char* option) {
    throw Error(ErrorCode::usage, fmt::format("{} {} do not launch: NVIDIA's limit is {}", given, what, most), {},
                "see " + wording::option(option));
  };
  if (launch.grid[1] > most_blocks) refuse("blocks in y", launch.grid[1], most_blocks, "grid");
  if (launch.grid[2] > most_blocks) refuse("blocks in z", launch.grid[2], most_blocks, "grid");
  if (launch.block[2] > most_deep) refuse("threads in z", launch.block[2], most_deep, "block");
}

/// What __launch_bounds__ and reqd_work_group_size promise: a larger block, or another one, does not launch.
void check_bounds(const Launch& launch, const PtxKernel& kernel) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        ErrorCode::usage,
        fmt::format("a block of {}x{}x{} does not launch: {}", launch.block[0], launch.block[1], launch.block[2], why),
        {}, "see " + wording::option("block"));
  };
  const auto& most = kernel.most_block;
  if (most[0] > 0 && launch.threads_per_block() > most[0] * most[1] * most[2])
    refuse(fmt::format("the launch bounds of {} allow {} threads", kernel.name, most[0] * most[1] * most[2]));
  const auto& needed = kernel.required_block;
  if (needed[0] > 0 && launch.block != needed)
    refuse(fmt::format("{} is compiled for blocks of {}x{}x{}", kernel.name, needed[0], needed[1], needed[2]));
}
}  // namespace

void check_launch(const Launch& launch, const PtxKernel& kernel, const KernelTimes& times) {
  for (std::size_t d = 0; d < 3; ++d)
    if (launch.grid[d] < 1 || launch.block[d] < 1 || launch.grid[d] > INT32_MAX || launch.block[d] > 1024)
      throw Error(ErrorCode::usage, "a launch needs a grid of at least 1 and a block of 1 to 1024 in every direction",
                  {}, wording::format("see {} and {}", wording::option("grid"), wording::option("block")));
  if (launch.threads_per_block() > 1024)
    throw Error(ErrorCode::usage,
                fmt::format("a block of {} threads is too large: the limit is 1024", launch.threads_per_block()), {},
                "see " + wording::option("block"));
  if (launch.blocks() > (std::int64_t{1} << 52))
    throw Error(ErrorCode::usage, "the grid is too large", {}, "see " + wording::option("grid"));
  if (times.processor.empty()) check_nvidia_limits(launch);
  check_bounds(launch, kernel);
}

void add_launch_notes(std::vector<std::string>& notes, const Launch& launch, const PtxKernel& kernel) {
  const auto is_dynamic = [&](const PtxOperand& o) {
    if (o.kind != PtxOperand::Kind::symbol || o.index < 0) return false;
    const auto& variable = kernel.variables[static_cast<std::size_t>(o.index)];
    return variable.external && variable.space == PtxSpace::shared;
  };
  const bool used = std::ranges::any_of(
      kernel.body, [&](const PtxInstruction& in) { return std::ranges::any_of(in.operands, is_dynamic); });
  if (used && launch.dynamic_shared_bytes == 0)
    notes.emplace_back(
        "the kernel uses dynamic shared memory, whose size was not given: more of it may let fewer blocks be resident");
}

void TraceDoubts::join(const TraceDoubts& other) {
  assumed |= other.assumed;
  side_lost |= other.side_lost;
  shared_end = std::max(shared_end, other.shared_end);
}

std::int64_t shared_bytes_of(const Launch& launch, const PtxKernel& kernel, const KernelResources& known) {
  const std::int64_t declared = (kernel.shared_bytes + 15) / 16 * 16;
  return std::max(declared + launch.dynamic_shared_bytes, known.shared_bytes);
}

void add_doubts(std::vector<std::string>& notes, const TraceDoubts& doubts, std::int64_t shared_bytes, Voice voice) {
  if (doubts.assumed)
    notes.emplace_back(
        "some branches or addresses depend on data that were not given: lanes were assumed to diverge and addresses to "
        "be scattered");
  if (doubts.side_lost)
    notes.emplace_back(
        "branches on unknown data are nested so deeply that a single lane is left: of the innermost branch, one side "
        "was followed");
  if (doubts.shared_end > static_cast<std::uint64_t>(shared_bytes))
    notes.push_back(wording::format("threads reach byte {} of their block's shared memory, which has {} bytes: such a "
                                    "launch fails; {} says how much of it is dynamic",
                                    doubts.shared_end, shared_bytes, wording::option("shared_bytes"))
                        .in(voice));
}

void check_trips(const Launch& launch, const PtxCode& ptx) {
  for (const auto& [label, counts] : launch.trips) {
    std::vector<std::string> labels;
    for (const auto& loop : ptx.loops()) labels.push_back(loop.label);
    if (std::ranges::find(labels, label) != labels.end()) continue;
    throw Error(
        ErrorCode::usage,
        wording::format("{} {}: there is no loop with that label", wording::option("kernel.trips"), label),
        {ptx.module().file},
        labels.empty() ? "the kernel has no loops" : "its loops: " + fmt::format("{}", fmt::join(labels, ", ")));
  }
}
}  // namespace sparsecast::gpu_code
