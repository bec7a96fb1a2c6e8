#include "gpu_code/tuning_table.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>
#include <sstream>

#include "base/files.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/macros.hpp"
#include "gpu_code/launch_options.hpp"

namespace sparsecast::gpu_code {
namespace {
/// `begin`: where the column with the defines begins in the line.
void check_defines(const std::vector<std::string>& defines, const std::string& line, std::size_t begin,
                   const Place& place) {
  std::set<std::string> names;
  for (const auto& define : defines) {
    const auto at = line.find(define, begin);
    try {
      check_define(define, "defines", names);
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason_text(),
                  {place.file, place.line, static_cast<std::int64_t>(at) + 1}, error.remedy_text());
    }
    begin = at + define.size();
  }
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}
}  // namespace

std::vector<TuningRow> read_tuning_table(const std::filesystem::path& file) {
  return parse_tuning_table(base::read_file(file, {.what = "table"}), file);
}

std::vector<TuningRow> parse_tuning_table(const std::string& text, const std::filesystem::path& file) {
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line))
    throw Error(ErrorCode::bad_input, "the table is empty", {file.string()}, "its first line must name the columns");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; line.starts_with(byte_order_mark))
    line.erase(0, byte_order_mark.size());
  std::vector<std::string> head;
  for (const auto part : base::split(line, '\t')) {
    if (!part.empty() && std::ranges::find(head, part) != head.end())
      throw Error(ErrorCode::bad_input, fmt::format("column '{}' occurs twice", part),
                  {file.string(), 1, part.data() - line.data() + 1}, "remove one of them");
    head.emplace_back(part);
  }
  const auto column = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(head, name);
    return found == head.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - head.begin()));
  };
  if (!column("grid") || !column("block"))
    throw Error(ErrorCode::bad_input, "the table has no column grid or no column block", {file.string(), 1},
                "columns: kernel, grid, block, defines, args, buffers, seconds");
  std::vector<TuningRow> rows;
  std::map<std::string, std::vector<std::uint8_t>> contents;
  for (std::int64_t number = 2; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const Place place{file.string(), number};
    const auto fields = base::split(line, '\t');
    const auto beyond = fields.begin() + static_cast<std::ptrdiff_t>(std::min(head.size(), fields.size()));
    if (const auto more = std::find_if(beyond, fields.end(), [](const auto& cell) { return !cell.empty(); });
        more != fields.end())
      throw Error(ErrorCode::bad_input,
                  fmt::format("the row has {} cells, the table {} columns", fields.size(), head.size()),
                  {file.string(), number, more->data() - line.data() + 1},
                  "separate cells by one tab each, and what stands in a cell by spaces");
    // Missing columns and cells are empty.
    const auto cell = [&](std::string_view name) {
      const auto c = column(name);
      return c && *c < fields.size() ? fields[*c] : std::string_view(line).substr(line.size());
    };
    const auto field = [&](std::string_view name) { return std::string(cell(name)); };
    const auto start = [&](std::string_view name) { return static_cast<std::size_t>(cell(name).data() - line.data()); };
    TuningRow row;
    row.line = number;
    try {
      row.kernel = field("kernel");
      row.grid = parse_dimensions(field("grid"), "grid");
      row.block = parse_dimensions(field("block"), "block");
      row.defines = words(field("defines"));
      check_defines(row.defines, line, start("defines"), place);
      for (const auto& word : words(field("args"))) row.arguments.insert(parse_assignment(word, "args", row.arguments));
      for (const auto& word : words(field("buffers"))) {
        const auto [name, path] = parse_assignment(word, "buffers", row.buffers);
        auto& content = contents[path];
        if (content.empty()) content = read_buffer(file.parent_path() / path);
        row.buffers[name] = content;
      }
      if (const auto seconds = field("seconds"); !seconds.empty()) {
        row.seconds = base::number_in<double>(seconds);
        if (!row.seconds || !(*row.seconds > 0.0) || !std::isfinite(*row.seconds))
          throw Error(ErrorCode::usage, fmt::format("seconds {}: not a time", seconds));
      }
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason_text(), error.place().file.empty() ? place : error.place(),
                  error.remedy_text());
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw Error(ErrorCode::bad_input, "the table has no rows", {file.string()}, "give one configuration per line");
  return rows;
}
}  // namespace sparsecast::gpu_code
