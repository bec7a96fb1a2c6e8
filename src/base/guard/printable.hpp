#pragma once
// Text of others (names of files, words of compilers, what a library says) in a message of ours: one line, no control
// characters that a terminal would obey, bytes that are no UTF-8 shown as such, bounded in length.

#include <cstddef>
#include <string>
#include <string_view>

namespace sparsecast::base {
/// As one line: \n, \t and \r are written so, other control characters and bytes that are no UTF-8 as \xNN. Of a text
/// of more than `most` characters the middle is left out.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = static_cast<std::size_t>(-1));

/// The same of a text of several lines: line ends and tabs stay, and with `colours` the escape sequences of colours.
/// Where we write none, they are somebody else's.
[[nodiscard]] std::string printable_lines(std::string_view text, bool colours = true);

/// Bytes of the UTF-8 character at the beginning; 0 where it is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;
}  // namespace sparsecast::base
