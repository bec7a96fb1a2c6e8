#include "gpu_code/tuning_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <sparsecast/error.hpp>
#include <sstream>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/defines_header.hpp"
#include "gpu_code/tuning_judgement.hpp"

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
    throw Error(ErrorCode::usage, fmt::format("{} {}: no NAME=VALUE", option, text), {},
                fmt::format("for example {} n=1000", option));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

std::vector<std::uint8_t> read_buffer(const std::filesystem::path& file) {
  return base::read_bytes(file, {.what = "buffer's file", .most_bytes = std::int64_t{1} << 33});
}

namespace {

/// `begin`: where the column with the defines begins in the line.
void check_defines(const std::vector<std::string>& defines, const std::string& line, std::size_t begin,
                   const Place& place) {
  for (const auto& define : defines) {
    const auto at = line.find(define, begin);
    try {
      check_define(define, "defines");
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason(), {place.file, place.line, static_cast<std::int64_t>(at) + 1},
                  error.remedy());
    }
    begin = at + define.size();
  }
}

}  // namespace

std::vector<TuningRow> read_tuning_table(const std::filesystem::path& file) {
  return parse_tuning_table(base::read_file(file, {.what = "table"}), file);
}

std::vector<TuningRow> parse_tuning_table(const std::string& text, const std::filesystem::path& file) {
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line))
    throw Error(ErrorCode::bad_input, "the table is empty", {file.string()}, "its first line names the columns");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> head;
  for (const auto part : base::split(line, '\t')) head.emplace_back(part);
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
      const auto words = [](const std::string& text) {
        std::vector<std::string> list;
        std::istringstream stream(text);
        for (std::string word; stream >> word;) list.push_back(word);
        return list;
      };
      row.defines = words(field("defines"));
      check_defines(row.defines, line, start("defines"), place);
      for (const auto& word : words(field("args"))) row.arguments.insert(parse_assignment(word, "args"));
      for (const auto& word : words(field("buffers"))) {
        const auto [name, path] = parse_assignment(word, "buffers");
        auto& content = contents[path];
        if (content.empty()) content = read_buffer(file.parent_path() / path);
        row.buffers[name] = content;
      }
      if (const auto text = field("seconds"); !text.empty()) {
        double seconds = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0))
          throw Error(ErrorCode::usage, fmt::format("seconds {}: not a time", text));
        row.seconds = seconds;
      }
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_input, error.reason(), error.place().file.empty() ? place : error.place(),
                  error.remedy());
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw Error(ErrorCode::bad_input, "the table has no rows", {file.string()}, "one configuration a line");
  return rows;
}

KernelReport forecast_row(const std::filesystem::path& file, const TuningRow& row, const KernelTimes& times,
                          const AnalysisOptions& options, const Launch* shared,
                          const std::vector<std::pair<std::string, std::string>>& scalars) {
  const auto code = load_code(file, row.kernel, row.defines, times, false);
  Launch launch;
  if (shared) launch = *shared;
  launch.grid = row.grid;
  launch.block = row.block;
  for (const auto& [name, value] : row.arguments) launch.arguments.insert_or_assign(name, value);
  for (const auto& [name, bytes] : row.buffers) launch.buffers.insert_or_assign(name, bytes);
  for (const auto& [name, value] : scalars)
    if (std::ranges::find(code.parameter_names, name) != code.parameter_names.end())
      launch.arguments.try_emplace(name, value);
  return analyze_code(code, std::move(launch), times, options);
}

TuningReport forecast_tuning_space(const std::filesystem::path& file, const std::vector<TuningRow>& rows,
                                   const KernelTimes& times, const AnalysisOptions& options, int jobs,
                                   const base::ProgressFunction& progress, const Launch* shared) {
  TuningReport report;
  report.configurations.resize(rows.size());
  std::size_t finished = 0;
  std::mutex lock;
  const double start = base::now_s();
  base::parallel_for(static_cast<std::int64_t>(rows.size()), {jobs, true}, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const auto& row = rows[i];
    try {
      auto& out = report.configurations[i];
      out.row = index + 1;
      out.measured_s = row.seconds;
      auto forecast = forecast_row(file, row, times, options, shared);
      out.estimates = std::move(forecast.estimates);
      out.notes = std::move(forecast.notes);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      throw Error(error.code(), fmt::format("row {} of the table (line {}): {}", i + 1, row.line, error.reason()),
                  error.place(), error.remedy());
    }
    const std::lock_guard guard(lock);
    ++finished;
    if (!progress) return;
    const double done = static_cast<double>(finished) / static_cast<double>(rows.size());
    const double passed = base::now_s() - start;
    progress({done, passed * (1 - done) / done, fmt::format("configuration {} of {}", finished, rows.size())});
  });

  add_judgement(report, times);
  return report;
}

}  // namespace sparsecast::gpu_code
