#include "gpu_code/launch_options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

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
}  // namespace sparsecast::gpu_code
