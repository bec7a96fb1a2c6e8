#include "gpu_code/tuning_table.hpp"

#include <fmt/format.h>
#include <algorithm>
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
  std::vector<std::string> head;
  for (const auto part : base::split(line, '\t')) {
    if (!part.empty() && std::ranges::find(head, part) != head.end())
      throw Error(ErrorCode::bad_input, fmt::format("column '{}' occurs twice", part),
                  {file.string(), 1, part.data() - line.data() + 1}, "remove one of them");
    head.emplace_back(part);
  }
  const auto column = [&](std::string_view name) { return std::find(head.begin(), head.end(), name) - head.begin(); };
  const auto columns = static_cast<std::ptrdiff_t>(head.size());
  if (column("grid") == columns || column("block") == columns)
    throw Error(ErrorCode::bad_input, "the table has no column grid or no column block", {file.string(), 1},
                "columns: kernel, grid, block, defines, args, buffers, seconds");
  std::vector<TuningRow> rows;
  std::map<std::string, std::vector<std::uint8_t>> contents;
  for (std::int64_t number = 2; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const Place place{file.string(), number};
    const auto fields = base::split(line, '\t');
    const auto field = [&](std::string_view name) -> std::string {
      const auto c = column(name);
      return c < static_cast<std::ptrdiff_t>(fields.size()) ? std::string(fields[static_cast<std::size_t>(c)])
                                                            : std::string();
    };
    const auto start = [&](std::string_view name) {
      const auto c = static_cast<std::size_t>(column(name));
      return c < fields.size() ? static_cast<std::size_t>(fields[c].data() - line.data()) : line.size();
    };
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
        if (!(row.seconds > 0.0)) throw Error(ErrorCode::usage, fmt::format("seconds {}: not a time", seconds));
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
