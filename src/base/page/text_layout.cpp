#include "base/page/text_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/guard/printable.hpp"
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

constexpr auto likenesses = std::to_array<std::pair<char32_t, const char*>>({
#include "base/page/likenesses.def"
});

// The next code point and its bytes; U+FFFD and one byte where they are no UTF-8.
std::pair<char32_t, std::size_t> next_letter(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {U'\uFFFD', 1};
  char32_t letter = static_cast<unsigned char>(text[0]) & (length == 1 ? 0x7FU : 0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) letter = letter << 6 | (static_cast<unsigned char>(text[k]) & 0x3FU);
  return {letter, length};
}

// A braille character of a picture by how many of its eight dots are set.
char shade(char32_t braille) {
  constexpr std::string_view shades = " .:-=+*#@";
  return shades[static_cast<std::size_t>(std::popcount(static_cast<std::uint32_t>(braille & 0xFF)))];
}

using Rows = std::vector<std::vector<std::string>>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;
constexpr std::size_t least_words = 16;  // columns of a cell of words

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string_view word : split(text, ' ')) longest = std::max(longest, columns(word));
  return longest;
}

// What a table needs of its columns: the widest cell, and the least that it can do with.
struct Needs {
  Widths widths, least;

  Needs(const Rows& rows, bool words_last) {
    for (const auto& row : rows) widths.resize(std::max(widths.size(), row.size()));
    least = widths;
    for (const auto& row : rows)
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool head = &row == rows.data(), words = words_last && c + 1 == widths.size();
        widths[c] = std::max(widths[c], columns(row[c]));
        const std::size_t needed = head ? longest_word(row[c]) : words ? least_words : columns(row[c]);
        least[c] = std::max(least[c], std::min(needed, columns(row[c])));
      }
  }
};

std::size_t total(const Widths& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.empty() ? 0 : widths.size() - 1));
}

// Narrower columns, the one that can give most first, until the table fits or none can give more.
Widths fitted(const Needs& needs, std::size_t width) {
  Widths widths = needs.widths;
  for (std::size_t excess = total(widths); excess > width; excess = total(widths)) {
    std::size_t widest = 0, most = 0;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] - needs.least[c] > most) most = widths[c] - needs.least[c], widest = c;
    if (most == 0) break;
    widths[widest] -= std::min(most, excess - width);
  }
  return widths;
}

// One row, in as many lines as its highest cell. Headings stand on their last line.
std::string row_text(const std::vector<std::string>& row, const Widths& widths, bool words_last, bool head) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(columns(row[c]) <= widths[c] ? std::vector{row[c]} : folded_words(row[c], widths[c], true));
    lines = std::max(lines, cells.back().size());
  }
  std::string out;
  for (std::size_t l = 0; l < lines; ++l) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t above = head ? lines - cells[c].size() : 0;
      const std::string cell = l >= above && l - above < cells[c].size() ? cells[c][l - above] : std::string();
      const std::string blanks(widths[c] - std::min(widths[c], columns(cell)), ' ');
      if (c > 0) line.append(gap, ' ');
      line += c == 0 || (words_last && c + 1 == widths.size()) ? cell + blanks : blanks + cell;
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

// These columns of all rows as one table.
std::string block_text(const Rows& rows, const Widths& widths, const std::vector<std::size_t>& taken, bool words_last,
                       const Layout& page) {
  Widths own;
  for (const std::size_t c : taken) own.push_back(widths[c]);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::string> part;
    for (const std::size_t c : taken)
      if (c < row.size()) part.push_back(row[c]);
    const bool head = &row == rows.data();
    const std::string text = row_text(part, own, words_last && taken.back() + 1 == widths.size(), head);
    if (!head) {
      out += text;
      continue;
    }
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) out += bold(line, page) + '\n';
  }
  return out;
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

std::string to_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [letter, length] = next_letter(text);
    text.remove_prefix(length);
    if (letter < 0x80) {
      out += static_cast<char>(letter);
    } else if (letter >= 0x2800 && letter < 0x2900) {
      out += shade(letter);
    } else {
      const char32_t wanted = letter;
      const auto* const found =
          std::ranges::find(likenesses, wanted, [](const auto& likeness) { return likeness.first; });
      out += found == likenesses.end() ? "?" : found->second;
    }
  }
  return out;
}

TextTable::TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

void TextTable::add_with_note(std::vector<std::string> row, std::string note) {
  auto place = std::ranges::find(notes_, note);
  if (place == notes_.end()) place = notes_.insert(place, std::move(note));
  row.push_back('[' + std::to_string(place - notes_.begin() + 1) + ']');
  add(std::move(row));
}

void TextTable::words_last() { words_last_ = true; }

void TextTable::keys(std::size_t columns) { keys_ = std::max<std::size_t>(columns, 1); }

std::string TextTable::text(const Layout& page) const {
  const auto width = static_cast<std::size_t>(std::max(page.width, 20));
  const Needs needs(rows_, words_last_);
  Widths widths = fitted(needs, width);
  if (total(widths) > width) widths = needs.widths;  // goes on below, so nothing need be narrow
  if (widths.empty()) return {};
  const std::size_t keys = std::min(keys_, widths.size());
  std::vector<std::size_t> first(keys);
  std::iota(first.begin(), first.end(), 0);
  // Keys that leave no room for another column are folded within their words.
  const std::size_t room = (width - std::min(width - 10, gap + least_words)) / keys - (keys > 1 ? gap : 0);
  std::size_t filled_by_keys = 0;
  for (const std::size_t c : first) {
    if (filled_by_keys + widths[c] > width * 2 / 3) widths[c] = std::min(widths[c], room);
    filled_by_keys += widths[c] + (c + 1 < keys ? gap : 0);
  }
  std::string out;
  for (std::size_t next = keys; next <= widths.size();) {
    std::vector<std::size_t> taken = first;
    std::size_t filled = filled_by_keys;
    while (next < widths.size() && (taken.size() == keys || filled + gap + widths[next] <= width)) {
      widths[next] = std::min(widths[next], width - gap - std::min(width - gap - 1, filled_by_keys));
      filled += gap + widths[next];
      taken.push_back(next++);
    }
    out += (out.empty() ? "" : "\n") + block_text(rows_, widths, taken, words_last_, page);
    if (next == widths.size()) break;
  }
  for (std::size_t n = 0; n < notes_.size(); ++n) {
    const std::string mark = '[' + std::to_string(n + 1) + "] ";
    std::string before = mark;
    for (const std::string& line : folded_words(notes_[n], width - mark.size(), false)) {
      out += before + line + '\n';
      before.assign(mark.size(), ' ');
    }
  }
  return out;
}
}  // namespace sparsecast::base
