#include "matrix/collection/market_sizes.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "fields/wording.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::size_t longest_line = 1 << 16;  // of the head

std::vector<std::int64_t> numbers_of(std::string_view line) {
  std::vector<std::int64_t> numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    if (*at == ' ' || *at == '\t' || *at == '\r') {
      ++at;
      continue;
    }
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = next;
  }
  return numbers;
}
}  // namespace

void MarketSizes::read(std::string_view bytes) {
  while (!sizes_ && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > longest_line) refuse("is not a Matrix Market file: a line of its header does not end");
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    read_line(line_);
    line_.clear();
  }
  if (bytes.empty()) return;
  lines_ += std::ranges::count(bytes, '\n');
  last_ = bytes.back();
}

void MarketSizes::finish() const {
  if (!sizes_) refuse("ends before its size line");
  const std::int64_t lines = lines_ + (last_ == '\n' ? 0 : 1);
  if (lines < entries_)
    refuse(fmt::format("ends after {} of {} entries", base::format_count(lines), base::format_count(entries_)));
}

void MarketSizes::refuse(const std::string& reason) const {
  throw Error(
      ErrorCode::bad_input, reason, {file_},
      wording::format("it was not kept; {} fetches the index again", wording::command("get", {{"refresh", true}})));
}

void MarketSizes::read_line(std::string_view line) {
  if (!banner_) {
    const std::string words = base::lower_case(line);
    if (!words.starts_with("%%matrixmarket matrix ")) refuse("is not a Matrix Market file");
    banner_ = true;
    array_ = words.find(" array ") != std::string::npos;
    symmetric_ = words.find(" general") == std::string::npos;
    return;
  }
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos || line[first] == '%') return;
  const std::vector<std::int64_t> sizes = numbers_of(line);
  if (sizes.size() != (array_ ? 2 : 3)) refuse("has no size line");
  compare(sizes[0], sizes[1], array_ ? 0 : sizes[2]);
  entries_ = array_ ? 0 : sizes[2];
  sizes_ = true;
}

void MarketSizes::compare(std::int64_t rows, std::int64_t cols, std::int64_t entries) const {
  if (rows != entry_.rows || cols != entry_.cols)
    refuse(fmt::format("is {} × {}; according to the index it is {} × {}", base::format_count(rows),
                       base::format_count(cols), base::format_count(entry_.rows), base::format_count(entry_.cols)));
  if (array_) return;
  // Of a symmetric matrix one triangle is stored. Zeros that are stored may not be counted.
  const std::int64_t most = entry_.entries > 0 ? entry_.entries : INT64_MAX;
  const std::int64_t least = symmetric_ ? entry_.nonzeros / 2 : entry_.nonzeros;
  if (entries < least || entries > most)
    refuse(fmt::format("holds {} entries; according to the index it has {} non-zeros", base::format_count(entries),
                       base::format_count(entry_.nonzeros)));
}

std::int64_t most_market_bytes(const CollectionEntry& entry) {
  // Two indices of at most 20 digits, two numbers of at most 27 characters. Where the zeros are not counted, a file may
  // hold as many again.
  constexpr std::int64_t head = 1 << 20, most_entries = INT64_MAX / 512;
  const std::int64_t entries = entry.entries > 0 ? entry.entries : 2 * std::min(entry.nonzeros, most_entries);
  return head + 96 * std::min(entries, most_entries);
}
}  // namespace sparsecast::matrix
