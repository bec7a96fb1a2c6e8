#include "matrix/io/plausible_size.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/machine/memory.hpp"
#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
// "the control group's limit is 210 MB"; what the caller allowed has no other name.
std::string allowed_text(std::int64_t bytes) {
  const base::MemoryLimit limit = base::memory_limit();
  return fmt::format("{} is {}", bytes == limit.bytes ? limit.set_by : "the limit",
                     base::format_bytes(static_cast<double>(bytes)));
}
}  // namespace

void check_plausible(const ClaimedSize& size, std::int64_t file_bytes, std::int64_t memory_bytes, const Place& place) {
  constexpr auto remedy = "fix the sizes, or fetch the file again if it is cut off";
  if (size.entries > size.most_entries) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} entries are announced, but {} cannot hold them", base::format_count(size.entries),
                            base::format_bytes(static_cast<double>(file_bytes))),
                place, remedy);
  }
  constexpr std::int64_t always_plausible = std::int64_t{1} << 27;
  const std::int64_t longest = std::max(size.rows, size.cols);
  if (longest > always_plausible && longest / 64 > file_bytes) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} × {} is implausible for a file of {}", base::format_count(size.rows),
                            base::format_count(size.cols), base::format_bytes(static_cast<double>(file_bytes))),
                place, remedy);
  }
  // Row pointers and the counters of the assembly, and the entries; in floating point, which cannot overflow.
  const double pointer_bytes = size.entries > INT32_MAX / size.stored_per_entry ? 8 : 4;
  const double stored = static_cast<double>(size.entries) * (16 + 12.0 * size.stored_per_entry) / 28.0;
  const double needed = 2 * pointer_bytes * static_cast<double>(size.rows) + size.entry_bytes * stored;
  if (needed > static_cast<double>(memory_bytes)) {
    throw Error(ErrorCode::too_large,
                fmt::format("reading {} × {} with {} entries needs {} of memory; {}", base::format_count(size.rows),
                            base::format_count(size.cols), base::format_count(size.entries), base::format_bytes(needed),
                            allowed_text(memory_bytes)),
                place, "read it with more memory allowed");
  }
}
}  // namespace sparsecast::matrix
