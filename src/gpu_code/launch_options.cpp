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

void check_launch(const Launch& launch) {
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
