#pragma once
// Words in the text of a kernel's source.

#include <cstddef>
#include <string_view>

namespace sparsecast::gpu_code {
[[nodiscard]] bool is_word(char c);
[[nodiscard]] bool is_blank(char c);
/// Where a word stands, on from `from`, that is no part of another; npos for nowhere.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);
}  // namespace sparsecast::gpu_code
