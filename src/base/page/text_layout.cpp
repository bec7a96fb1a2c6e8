#include "base/page/text_layout.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sparsecast::base {
namespace {
// Bytes of the next column: one code point, with the escape sequences before it.
std::size_t next_column(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '\x1b') {
    const std::size_t end = text.find('m', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  if (at < text.size()) ++at;
  while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
  return at;
}

// So many columns of the text, or all of it.
std::size_t bytes_of_columns(std::string_view text, std::size_t wanted) {
  std::size_t at = 0;
  for (std::size_t column = 0; column < wanted && at < text.size(); ++column) at += next_column(text.substr(at));
  return at;
}

// Where further lines of a folded line begin: at its last column of words, in the first half of the page.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = first;
  for (std::size_t at = first; at < line.size();) {
    const std::size_t gap = line.find("  ", at);
    if (gap == std::string_view::npos) break;
    at = std::min(line.find_first_not_of(' ', gap), line.size());
    if (const std::size_t column = columns(line.substr(0, at)); at < line.size() && column <= width / 2)
      indent = column;
  }
  return indent;
}

std::string escaped(std::string_view text, const char* code, const Layout& page) {
  return page.colour ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}
}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = std::min(text.find('m', at), text.size() - 1);
      continue;
    }
    count += (text[at] & 0xC0) != 0x80 ? 1 : 0;
  }
  return count;
}

std::vector<std::string> folded_words(std::string_view text, std::size_t width, bool break_words) {
  std::vector<std::string> lines(1);
  std::size_t filled = 0;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    std::size_t length = columns(word);
    if (filled > 0 && filled + 1 + length > width) {
      lines.emplace_back();
      filled = 0;
    }
    while (break_words && filled == 0 && length > width) {
      const std::size_t bytes = bytes_of_columns(word, width);
      lines.back() = word.substr(0, bytes);
      lines.emplace_back();
      word.remove_prefix(bytes);
      length = columns(word);
    }
    if (filled > 0) lines.back() += ' ';
    lines.back() += word;
    filled += (filled > 0 ? 1 : 0) + length;
  }
  return lines;
}

std::string folded(std::string_view text, int width) {
  const auto most = static_cast<std::size_t>(std::max(width, 20));
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (!out.empty() || line.data() != text.data()) out += '\n';
    if (columns(line) <= most) {
      out += line;
      continue;
    }
    // Up to the last column of words the line stays as it is; what follows is folded.
    const std::size_t indent = hanging_indent(line, most), head = bytes_of_columns(line, indent);
    out += line.substr(0, head);
    std::string before;
    for (const std::string& part : folded_words(line.substr(head), most - indent, false)) {
      out += before + part;
      before.assign(1, '\n').append(indent, ' ');
    }
  }
  return out;
}

std::string bold(std::string_view text, const Layout& page) { return escaped(text, "1", page); }
std::string red(std::string_view text, const Layout& page) { return escaped(text, "31", page); }
}  // namespace sparsecast::base
