#include "matrix/io/text_form.hpp"

#include <algorithm>

namespace sparsecast::matrix {
namespace {
constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", wide_mark = "\xFF\xFE", wide_big_mark = "\xFE\xFF";
constexpr std::string_view wide_percent("%\0", 2), wide_big_percent("\0%", 2);

/// Lines that end with a carriage return alone end with a line feed.
void end_lines(std::string& text) {
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
}
}  // namespace

TextForm text_form(std::string_view first) {
  if (first.starts_with(utf8_mark)) return TextForm::marked;
  if (first.starts_with(wide_mark) || first.starts_with(wide_percent)) return TextForm::wide;
  if (first.starts_with(wide_big_mark) || first.starts_with(wide_big_percent)) return TextForm::wide_big;
  const bool text = first.find('\0') == std::string_view::npos;
  if (text && first.find('\n') == std::string_view::npos && first.find('\r') != std::string_view::npos)
    return TextForm::returns;
  return TextForm::plain;
}

std::string plain_text(std::string_view text, TextForm form) {
  std::string out;
  if (form != TextForm::wide && form != TextForm::wide_big) {
    out = text.substr(form == TextForm::marked ? utf8_mark.size() : 0);
  } else {
    if (text.starts_with(wide_mark) || text.starts_with(wide_big_mark)) text.remove_prefix(2);
    const std::size_t low = form == TextForm::wide ? 0 : 1;
    out.reserve(text.size() / 2 + 1);
    for (std::size_t k = 0; k + 1 < text.size(); k += 2) {
      const auto c = static_cast<unsigned char>(text[k + low]);
      out += text[k + 1 - low] == 0 && c < 0x80 ? static_cast<char>(c) : '?';
    }
    if (text.size() % 2 != 0) out += '?';  // half a character
  }
  end_lines(out);
  return out;
}
}  // namespace sparsecast::matrix
