#pragma once
// The table of a tuning space: one kernel in many configurations, each a set of #defines and a launch.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
struct TuningRow {
  std::int64_t line = 0;  ///< in the table's file
  std::string kernel;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::string> defines;
  std::map<std::string, std::string> arguments;
  std::map<std::string, std::vector<std::uint8_t>> buffers;
  std::optional<double> seconds;
};

/// Tab-separated with a head: kernel, grid, block (X x Y x Z), defines and args (NAME=VALUE, by spaces), buffers
/// (NAME=FILE, relative to the table), seconds. Columns other than grid and block may be missing. Error bad_input with
/// line; for a define that source_parameters.hpp refuses with line and column.
[[nodiscard]] std::vector<TuningRow> read_tuning_table(const std::filesystem::path& file);
/// The same of a text; buffers lie beside `file`.
[[nodiscard]] std::vector<TuningRow> parse_tuning_table(const std::string& text, const std::filesystem::path& file);
}  // namespace sparsecast::gpu_code
