#pragma once
// Why a compiler refuses a source: the first error among its messages, at the place in the user's own file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sparsecast/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_code/compile/tool_folder.hpp"

namespace sparsecast::gpu_code {
/// What the source's folder is called where compilers run.
constexpr const char* linked_folder = "beside";

/// FILE(LINE): TEXT or FILE:LINE:COLUMN: TEXT; without a line where it is neither.
struct CompilerMessage {
  Place place;
  std::string text;
};
/// The digits that end before `end`, which goes to their first; 0 and `end` unchanged where there are none.
[[nodiscard]] std::int64_t number_before(std::string_view text, std::size_t& end);
[[nodiscard]] CompilerMessage parse_message(const std::string& line);

[[noreturn]] void refuse_source(const std::filesystem::path& source, const std::vector<std::string>& defines,
                                const std::string& compiler, const ToolFolder& folder);
}  // namespace sparsecast::gpu_code
