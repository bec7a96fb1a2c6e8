#pragma once
// Text as editors of other systems leave it: with a byte order mark, in UTF-16, or in lines that end with a carriage
// return alone.

#include <string>
#include <string_view>

namespace sparsecast::matrix {
enum class TextForm {
  plain,     ///< read as it stands
  marked,    ///< UTF-8's three bytes in front, then plain
  wide,      ///< UTF-16, low byte first
  wide_big,  ///< UTF-16, high byte first
  returns,   ///< carriage returns, and no line feed
};

/// From the first bytes. UTF-16 is known by its mark, and without one by a percent sign in two bytes.
TextForm text_form(std::string_view first);

/// The text with line feeds and one byte a character. What is no ASCII becomes a question mark: it stands in comments.
/// Of a marked text cut the mark off instead: it need not be copied.
std::string plain_text(std::string_view text, TextForm form);
}  // namespace sparsecast::matrix
